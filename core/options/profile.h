// SPDX-License-Identifier: PostgreSQL
// Saved profiles: an option struct as JSON, and back.
#pragma once

#include <string>
#include <string_view>

#include "core/options/dump_options.h"
#include "core/options/restore_options.h"
#include "core/options/vacuum_options.h"

namespace gantry::options {

/// {"gantry_profile": 1, "operation": "dump", "options": {"schema": ["a"], "schema-only": true}}:
/// long names; flags are true, lists arrays, numbers numbers, the rest strings. Only what differs
/// from the standard is written, and never a password.
std::string toProfile(const DumpOptions& options);
/// Likewise, "operation" being "restore"; what is restored stands beside it as "archive".
std::string toProfile(const RestoreOptions& options);
/// Likewise, "operation" being "vacuum".
std::string toProfile(const VacuumOptions& options);

/// "dump", "restore" or "vacuum". Throws Error{Format} for what is no profile.
std::string operationOfProfile(std::string_view json);

/// Throws Error{Format} that names what is not understood: unknown options are errors, since what
/// they ask for would silently not happen.
DumpOptions dumpOptionsFromProfile(std::string_view json);
RestoreOptions restoreOptionsFromProfile(std::string_view json);
VacuumOptions vacuumOptionsFromProfile(std::string_view json);

}  // namespace gantry::options
