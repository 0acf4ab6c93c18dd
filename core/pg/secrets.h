// SPDX-License-Identifier: PostgreSQL
// Statements as they may be shown and kept: without the passwords in them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gantry::pg {

/// The statement with "***" for the value behind each PASSWORD or password= (of a role, a user
/// mapping, a connection string) and in each URL with one. Also for a statement that was cut off.
std::string withoutSecrets(std::string_view statement);

}  // namespace gantry::pg
