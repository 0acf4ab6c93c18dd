// SPDX-License-Identifier: PostgreSQL
#include "core/options/command.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <memory>

#include "core/options/dump_table.h"

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

/// pg_dump compresses with gzip unless told otherwise; ours would be zstd.
void appendCompression(const DumpOptions& options, PgDumpCommand& command) {
    const bool archived =
        options.format == archive::Format::Directory || options.format == archive::Format::Custom;
    if (options.compression && !options.compression->automatic) {
        command.arguments.insert(command.arguments.end(),
                                 {"-Z", io::toString(*options.compression)});
    } else if (archived) {
        command.arguments.insert(command.arguments.end(), {"-Z", "zstd"});
        command.notes.emplace_back(
            "pg_dump does not adapt the compression level to the machine: zstd's default is used.");
    }
}

void appendJobs(const DumpOptions& options, PgDumpCommand& command) {
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

PgDumpCommand pgDumpCommand(const DumpOptions& options) {
    DumpOptions shown = options;
    shown.connection.database = withoutPassword(options.connection.database);
    PgDumpCommand command;
    command.arguments = {"pg_dump"};
    for (const Option& option : dumpTable(shown)) {
        if (option.name == "format") {
            command.arguments.insert(command.arguments.end(),
                                     {"-F", std::string(1, formatLetter(options.format))});
        } else if (option.name == "compress") {
            appendCompression(options, command);
        } else if (option.name == "jobs") {
            appendJobs(options, command);
        } else if (option.pgDump.since != PgDumpNote::kNever) {
            appendArguments(option, command.arguments);
        }
    }
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
