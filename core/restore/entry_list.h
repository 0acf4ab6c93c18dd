// SPDX-License-Identifier: PostgreSQL
// The files that choose entries: lists as gantryctl list and pg_restore -l print them, and filters.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/ids.h"
#include "core/options/restore_options.h"

namespace gantry::restore {

/// The entries in the list's order: each line begins with an entry's number, what follows a
/// semicolon is a comment. Throws Error{Usage} naming the line, Error{Io}.
std::vector<DumpId> readEntryList(const std::filesystem::path& file);

/// Adds what a filter file says: "include|exclude KIND NAME" a line, KIND being schema, table,
/// index, function or trigger, or table_data to exclude; "#" begins a comment. Throws Error{Usage}
/// naming the line, Error{Io}.
void readFilter(const std::filesystem::path& file, options::RestoreSelection& selection);

}  // namespace gantry::restore
