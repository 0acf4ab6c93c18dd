// SPDX-License-Identifier: PostgreSQL
// The history's tables, version by version.
#pragma once

#include <string_view>
#include <vector>

#include "core/history/database.h"

namespace gantry::history {

/// Statements that make version N + 1 of version N, at index N. What has been released is never
/// changed: what is new is a further step. PRAGMA user_version tells which version a file has.
const std::vector<std::string_view>& schemaSteps();

/// Brings the file to the newest version, all steps or none. Throws Error{Preflight} if a newer
/// Gantry has written it, and as Database does.
void migrate(Database& database);

}  // namespace gantry::history
