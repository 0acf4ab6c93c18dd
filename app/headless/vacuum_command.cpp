// SPDX-License-Identifier: PostgreSQL
// gantryctl vacuum: options in, a run shown, an exit code out.
#include <fmt/format.h>

#include "app/headless/advised_jobs.h"
#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/run_command.h"
#include "app/headless/vacuum_text.h"
#include "core/options/vacuum_table.h"
#include "core/options/validate.h"
#include "core/vacuum/vacuum.h"

namespace gantry::headless {
namespace {

CommandSyntax vacuumSyntax(options::VacuumOptions& options, Presentation& presentation) {
    CommandSyntax syntax;
    syntax.name = "vacuum";
    syntax.purpose =
        "Vacuums or analyzes the tables of a database over several connections at once, the "
        "longest "
        "first, or builds its bloated indexes anew.";
    syntax.operands = "[DBNAME]";
    syntax.mostOperands = 1;
    syntax.table = options::vacuumTable(options);
    addPresentation(syntax.table, presentation);
    syntax.notes =
        "What is not said about the connection comes from libpq's environment variables (PGHOST, "
        "PGDATABASE, …), its service and its password file, as with vacuumdb. Exit code: 0 clean, "
        "1 "
        "finished, but something refused, 2 refused before it began, 3 failed, 130 cancelled.";
    return syntax;
}

}  // namespace

int vacuumCommand(const Words& words) {
    options::VacuumOptions options;
    Presentation presentation;
    const CommandSyntax syntax = vacuumSyntax(options, presentation);
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
    if (!reportProblems("vacuum", options::validate(options))) return kRefused;

    const StopSignals signals("gantryctl: ended at once; the server may still be at work\n");
    return carryOut({.connection = options.connection,
                     .presentation = presentation,
                     .planOnly = options.dryRun,
                     .tellNotices = options.echo,
                     .run =
                         [&](events::EventSink& events, std::stop_token stop) {
                             runWithAdvice(options, events, stop,
                                           [&](const auto& with, events::EventSink& sink) {
                                               vacuum::vacuum(with, sink, stop);
                                           });
                         },
                     .summary = renderVacuumSummary,
                     .plan = renderVacuumPlan},
                    signals);
}

}  // namespace gantry::headless
