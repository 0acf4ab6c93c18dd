// SPDX-License-Identifier: PostgreSQL
// "Copy as command": what an option struct would be on a command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/dump_options.h"
#include "core/options/restore_options.h"
#include "core/options/tune_options.h"
#include "core/options/vacuum_options.h"

namespace gantry::options {

/// argv of `gantryctl dump`, `restore`, `vacuum` or `tune` with the same effect, as short as can
/// be. A password inside the connection string is left out.
std::vector<std::string> gantryctlCommand(const DumpOptions& options);
std::vector<std::string> gantryctlCommand(const RestoreOptions& options);
std::vector<std::string> gantryctlCommand(const VacuumOptions& options);
std::vector<std::string> gantryctlCommand(const TuneOptions& options);

/// What was given, by long name, for the record of a run: a flag's text is empty, several values
/// are words of a shell. What concerns the connection, where passwords may be, is left out.
std::map<std::string, std::string> optionsGiven(const DumpOptions& options);
std::map<std::string, std::string> optionsGiven(const RestoreOptions& options);

/// What one of PostgreSQL's own programs would be told.
struct StockCommand {
    std::vector<std::string> arguments;  ///< argv of version 18
    std::vector<std::string> notes;      ///< what it cannot say, each a full sentence
};
/// The nearest that pg_dump can do: that of the server's major version, where it is known.
StockCommand pgDumpCommand(const DumpOptions& options,
                           std::optional<int> serverMajor = std::nullopt);
/// The nearest that pg_restore can do.
StockCommand pgRestoreCommand(const RestoreOptions& options);
/// The nearest that vacuumdb can do.
StockCommand vacuumdbCommand(const VacuumOptions& options);

/// What makes an empty database on the same server, by PostgreSQL's own program.
std::vector<std::string> createdbCommand(const ConnectionOptions& connection,
                                         const std::string& name);

/// One line for a POSIX shell; quotes only what needs it.
std::string quoteForShell(const std::vector<std::string>& arguments);

/// A connection string or URI without any password in it; others (names, broken ones) unchanged.
std::string withoutPassword(const std::string& database);

}  // namespace gantry::options
