// SPDX-License-Identifier: PostgreSQL
// gantryctl dump: options in, a run shown, an exit code out.
#include <fmt/format.h>

#include <cstdlib>

#include "app/headless/advised_jobs.h"
#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/file_copies.h"
#include "app/headless/quantity.h"
#include "app/headless/run_command.h"
#include "app/headless/run_text.h"
#include "app/headless/stop_signals.h"
#include "core/archive/nowhere_writer.h"
#include "core/dump/dump.h"
#include "core/options/command.h"
#include "core/options/dump_table.h"
#include "core/options/validate.h"

namespace gantry::headless {
namespace {

namespace fs = std::filesystem;

CommandSyntax dumpSyntax(options::DumpOptions& options, Presentation& presentation) {
    CommandSyntax syntax;
    syntax.name = "dump";
    syntax.purpose =
        "Dumps a database over several connections at once, into an archive that pg_restore reads.";
    syntax.operands = "[DBNAME]";
    syntax.mostOperands = 1;
    syntax.table = options::dumpTable(options);
    addPresentation(syntax.table, presentation);
    syntax.unsupported = options::unsupportedDumpOptions();
    syntax.notes =
        "What is not said about the connection comes from libpq's environment variables (PGHOST, "
        "PGDATABASE, …), its service and its password file, as with pg_dump. Exit code: 0 clean, 1 "
        "finished with errors that were ignored, 2 refused before it began, 3 failed, 130 "
        "cancelled.";
    return syntax;
}

std::string lineToRestore(const options::DumpOptions& options) {
    const std::string path = options.output.string();
    if (options.format == archive::Format::Plain) {
        return options::quoteForShell({"psql", "-X", "-d", "NEWDB", "-f", path});
    }
    if (options.format == archive::Format::Tar) {
        return options::quoteForShell({"pg_restore", "-d", "NEWDB", path});
    }
    return options::quoteForShell({"pg_restore", "-d", "NEWDB", "-j", "4", path});
}

}  // namespace

int dumpCommand(const Words& words) {
    options::DumpOptions options;
    Presentation presentation;
    const CommandSyntax syntax = dumpSyntax(options, presentation);
    ParsedLine line = parseCommandLine(syntax, words);
    if (!line.operands.empty()) {
        if (options.connection.database.empty()) {
            options.connection.database = line.operands.front();
        } else {
            line.problems.push_back(
                fmt::format("\"{}\" is one word too many: --dbname names the database already.",
                            line.operands.front()));
        }
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    if (!reportProblems("dump", options::validate(options))) return kRefused;

    const StopSignals signals(
        fmt::format("gantryctl: ended at once; what was written so far may be left as {}.partial\n",
                    printable(options.output.string())));
    FileCopies copies;  // pg_dump has neither our standard input nor our pipes
    copies.replaceFilters(options.selection.filterFiles, signals.token());
    return carryOut(
        {.connection = options.connection,
         .presentation = presentation,
         .planOnly = options.dryRun,
         .run =
             [&](events::EventSink& events, std::stop_token stop) {
                 runWithAdvice(options, events, stop,
                               [&](const auto& with, events::EventSink& sink) {
                                   dump::dump(with, sink, stop);
                               });
             },
         .summary =
             [&](const events::RunState& run) {
                 if (archive::isNowhere(options.output)) return renderSummary(run, {.kept = false});
                 return renderSummary(run, {options.output.string(), lineToRestore(options)});
             }},
        signals);
}

}  // namespace gantry::headless
