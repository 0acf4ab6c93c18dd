// SPDX-License-Identifier: PostgreSQL
// The key of a script's \restrict command.
#pragma once

#include <string>

namespace gantry::archive {

/// Letters and digits from the kernel's random source: nobody who can put text into a database can
/// guess it and write an \unrestrict of his own. Throws Error{Io}.
std::string randomRestrictKey();

}  // namespace gantry::archive
