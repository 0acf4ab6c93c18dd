// SPDX-License-Identifier: PostgreSQL
#include "core/options/command.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "core/options/dump_table.h"
#include "core/options/restore_table.h"
#include "core/options/tune_table.h"
#include "core/options/vacuum_table.h"

namespace gantry::options {
namespace {

constexpr std::string_view kPlainCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";

std::string quoteWord(const std::string& word) {
    if (!word.empty() && word.find_first_not_of(kPlainCharacters) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'') {
            quoted += "'\\''";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

/// A value of a connection string, quoted where libpq's syntax asks for it.
std::string quoteConninfoValue(std::string_view value) {
    if (!value.empty() && value.find_first_of(" '\\\t\n") == std::string_view::npos) {
        return std::string(value);
    }
    std::string quoted = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

constexpr int kOldestWithZstd = 16;

/// pg_dump compresses with gzip unless told otherwise; ours would be zstd.
void appendCompression(const DumpOptions& options, std::optional<int> serverMajor,
                       StockCommand& command) {
    const bool archived =
        options.format == archive::Format::Directory || options.format == archive::Format::Custom;
    const bool zstd = serverMajor.value_or(kOldestWithZstd) >= kOldestWithZstd;
    if (options.compression && !options.compression->automatic) {
        const io::Compression& wanted = *options.compression;
        if (zstd) {
            command.arguments.insert(command.arguments.end(), {"-Z", io::toString(wanted)});
        } else if (wanted.algorithm == io::Algorithm::None) {
            command.arguments.insert(command.arguments.end(), {"-Z", "0"});
        } else if (wanted.algorithm == io::Algorithm::Gzip) {
            constexpr int kGzipLevel = 6;
            command.arguments.insert(command.arguments.end(),
                                     {"-Z", std::to_string(wanted.level.value_or(kGzipLevel))});
        } else {
            command.notes.push_back(
                fmt::format("pg_dump {} knows gzip alone, which is used instead of {}.",
                            *serverMajor, io::toString(wanted.algorithm)));
        }
    } else if (archived) {
        if (zstd) command.arguments.insert(command.arguments.end(), {"-Z", "zstd"});
        command.notes.push_back(
            fmt::format("pg_dump does not adapt the compression level to the machine: {}'s default "
                        "is used.",
                        zstd ? "zstd" : "gzip"));
    }
}

void appendJobs(const DumpOptions& options, StockCommand& command) {
    if (options.format == archive::Format::Directory) {
        if (options.jobs) {
            command.arguments.insert(command.arguments.end(),
                                     {"-j", std::to_string(*options.jobs)});
        } else {
            command.notes.emplace_back(
                "pg_dump uses one connection unless -j gives a number; it has no auto.");
        }
    } else if (!options.jobs || *options.jobs > 1) {
        command.notes.emplace_back(
            "pg_dump reads over one connection in this format; only -F d takes -j.");
    }
}

/// An option of a restore that pg_restore lacks, and what that means there; empty: nothing.
struct OnlyOurs {
    std::string_view name;
    std::string_view note;
};
constexpr OnlyOurs kOnlyOurs[] = {
    {"analyze", "pg_restore gathers no statistics: run vacuumdb --analyze-only afterwards."},
    {"exclude-table-data", "pg_restore cannot leave rows out by table: use a list (-L) instead."},
    {"create-schemas",
     "pg_restore makes no schema that is not chosen: run CREATE SCHEMA in the database before."},
    {"create-roles", "pg_restore makes no roles: run CREATE ROLE on the server before."},
    {"no-share", ""},
    {"no-rewrites", ""},
    {"no-freeze", ""},
    {"no-binary", ""},
    {"no-batches", ""},
    {"failed-list", "pg_restore keeps no list of what failed."},
    {"dry-run", "pg_restore has no plan to show: without this option it restores."},
    {"check", "pg_restore does not look first: without this option it restores."},
    {"refresh",
     "pg_restore swaps no databases: restore into a new one, then rename both with ALTER "
     "DATABASE."},
    {"drop-old", ""},
    {"terminate-sessions", ""},
    {"scratch", "pg_restore starts no server: give it one with -h, -p and -d."},
    {"resume", "pg_restore cannot go on where a run ended: restore into an empty database."},
};

std::map<std::string, std::string> given(const std::vector<Option>& table) {
    std::map<std::string, std::string> told;
    for (const Option& option : table) {
        const std::vector<std::string> values = option.get();
        if (values.empty() || option.group == OptionGroup::Connection) continue;
        told.emplace(option.name, values.size() == 1 ? values.front() : quoteForShell(values));
    }
    return told;
}

}  // namespace

std::string withoutPassword(const std::string& database) {
    if (database.find('=') == std::string::npos && database.find("://") == std::string::npos) {
        return database;
    }
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(
        PQconninfoParse(database.c_str(), nullptr), PQconninfoFree);
    if (!parsed) return database;
    bool hasPassword = false;
    std::string rest;
    for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        // libpq marks what a dialog must not show, so that new kinds of secrets are covered.
        if (std::string_view(option->dispchar) == "*") {
            hasPassword = true;
            continue;
        }
        if (!rest.empty()) rest += ' ';
        rest += fmt::format("{}={}", option->keyword, quoteConninfoValue(option->val));
    }
    return hasPassword ? rest : database;
}

std::vector<std::string> gantryctlCommand(const DumpOptions& options) {
    DumpOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    std::vector<std::string> command{"gantryctl", "dump"};
    for (std::string& argument : toArguments(dumpTable(shown))) {
        command.push_back(std::move(argument));
    }
    return command;
}

std::vector<std::string> gantryctlCommand(const RestoreOptions& options) {
    RestoreOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    std::vector<std::string> command{"gantryctl", "restore"};
    for (std::string& argument : toArguments(restoreTable(shown))) {
        command.push_back(std::move(argument));
    }
    command.push_back(options.archive.string());
    return command;
}

std::vector<std::string> gantryctlCommand(const TuneOptions& options) {
    TuneOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    std::vector<std::string> command{"gantryctl", "tune"};
    for (std::string& argument : toArguments(tuneTable(shown))) {
        command.push_back(std::move(argument));
    }
    if (!options.archive.empty()) command.push_back(options.archive.string());
    return command;
}

std::map<std::string, std::string> optionsGiven(const DumpOptions& options) {
    DumpOptions bound = options;
    return given(dumpTable(bound));
}

std::map<std::string, std::string> optionsGiven(const RestoreOptions& options) {
    RestoreOptions bound = options;
    return given(restoreTable(bound));
}

std::vector<std::string> gantryctlCommand(const VacuumOptions& options) {
    VacuumOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    shown.maintenanceDatabase = withoutPassword(options.maintenanceDatabase);
    std::vector<std::string> command{"gantryctl", "vacuum"};
    for (std::string& argument : toArguments(vacuumTable(shown))) {
        command.push_back(std::move(argument));
    }
    return command;
}

StockCommand pgDumpCommand(const DumpOptions& options, std::optional<int> serverMajor) {
    DumpOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    StockCommand command;
    command.arguments = {"pg_dump"};
    for (const Option& option : dumpTable(shown)) {
        if (option.name == "format") {
            command.arguments.insert(command.arguments.end(),
                                     {"-F", std::string(1, formatLetter(options.format))});
        } else if (option.name == "compress") {
            appendCompression(options, serverMajor, command);
        } else if (option.name == "jobs") {
            appendJobs(options, command);
        } else if (option.pgDump.since != PgDumpNote::kNever) {
            appendArguments(option, command.arguments);
        }
    }
    return command;
}

std::vector<std::string> createdbCommand(const ConnectionOptions& connection,
                                         const std::string& name) {
    std::vector<std::string> command{"createdb"};
    for (const auto& [letter, value] :
         {std::pair("-h", &connection.host), {"-p", &connection.port}, {"-U", &connection.user}}) {
        if (!value->empty()) command.insert(command.end(), {letter, *value});
    }
    if (connection.database.find('=') != std::string::npos) {  // a service, an sslmode
        command.insert(command.end(), {"--maintenance-db",
                                       withoutPassword(connection.database) + " dbname=postgres"});
    }
    command.insert(command.end(), {"-T", "template0", name});
    return command;
}

StockCommand pgRestoreCommand(const RestoreOptions& options) {
    RestoreOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    StockCommand command;
    command.arguments = {"pg_restore"};
    for (const Option& option : restoreTable(shown)) {
        const auto* const own =
            std::find_if(std::begin(kOnlyOurs), std::end(kOnlyOurs),
                         [&](const OnlyOurs& candidate) { return candidate.name == option.name; });
        if (own == std::end(kOnlyOurs)) {
            appendArguments(option, command.arguments);
        } else if (!own->note.empty() && !option.get().empty()) {
            command.notes.emplace_back(own->note);
        }
    }
    if (!options.jobs) {
        command.notes.emplace_back(
            "pg_restore uses one connection unless -j gives a number; it has no auto.");
    }
    command.notes.emplace_back(
        "pg_restore loads each table over one connection and adds foreign keys in one step.");
    command.arguments.push_back(options.archive.string());
    return command;
}

StockCommand vacuumdbCommand(const VacuumOptions& options) {
    VacuumOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    shown.maintenanceDatabase = withoutPassword(options.maintenanceDatabase);
    StockCommand command;
    command.arguments = {"vacuumdb"};
    for (const Option& option : vacuumTable(shown)) {
        if (!isOnlyOurs(option.name)) appendArguments(option, command.arguments);
    }
    const auto note = [&](bool given, std::string_view text) {
        if (given) command.notes.emplace_back(text);
    };
    note(options.work.reindexConcurrently,
         "vacuumdb rebuilds no indexes: use reindexdb --concurrently -j N.");
    note(options.plansItself(),
         "vacuumdb does the same to every table; --min-xid-age alone leaves some out.");
    note(!options.jobs, "vacuumdb uses one connection unless -j gives a number; it has no auto.");
    note(!options.maintenanceWorkMem.empty() || options.costDelay || options.costLimit,
         "vacuumdb sets neither memory nor cost limits: set them in PGOPTIONS, as in \"-c "
         "vacuum_cost_delay=5\".");
    note(!options.budget.empty(), "vacuumdb knows no time limit: it ends when all is done.");
    note(options.dryRun, "vacuumdb has no plan to show: without this option it does its work.");
    return command;
}

std::string quoteForShell(const std::vector<std::string>& arguments) {
    std::string line;
    for (const std::string& argument : arguments) {
        if (!line.empty()) line += ' ';
        line += quoteWord(argument);
    }
    return line;
}

}  // namespace gantry::options
