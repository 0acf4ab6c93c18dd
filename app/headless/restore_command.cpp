// SPDX-License-Identifier: PostgreSQL
// gantryctl restore: options in, a run shown, an exit code out.
#include <fmt/format.h>

#include <optional>

#include "app/headless/advised_jobs.h"
#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/file_copies.h"
#include "app/headless/password.h"
#include "app/headless/restore_text.h"
#include "app/headless/run_command.h"
#include "core/options/command.h"
#include "core/options/restore_table.h"
#include "core/restore/check.h"
#include "core/restore/restore.h"
#include "core/restore/scratch_target.h"

namespace gantry::headless {
namespace {

CommandSyntax restoreSyntax(options::RestoreOptions& options, Presentation& presentation) {
    CommandSyntax syntax;
    syntax.name = "restore";
    syntax.purpose =
        "Restores an archive of gantryctl or pg_dump over several connections at once, or a plain "
        "SQL script (also .gz, .zst, .lz4) over one, as psql would run it.";
    syntax.operands = "PATH";
    syntax.fewestOperands = syntax.mostOperands = 1;
    syntax.table = options::restoreTable(options);
    addPresentation(syntax.table, presentation);
    syntax.unsupported = options::unsupportedRestoreOptions();
    syntax.notes =
        "What is not said about the connection comes from libpq's environment variables (PGHOST, "
        "PGUSER, …), its service and its password file. Exit code: 0 clean, 1 finished with errors "
        "that were ignored, 2 refused before it began, 3 failed, 130 cancelled. --check: 0 nothing "
        "will fail, 1 something will, 2 the restore would be refused.";
    return syntax;
}

/// --check: the findings on standard output; blockers refuse, warnings are errors to come.
int tellFindings(options::RestoreOptions& options, const StopSignals& signals) {
    askPasswordIfForced(options.connection, signals.token());
    std::vector<restore::Finding> findings;
    for (bool asked = false;; asked = true) {
        try {
            findings = restore::check(options, signals.token());
            break;
        } catch (const Error& error) {
            if (asked || !wantsPassword(error.info(), options.connection) ||
                !askPassword(options.connection, signals.token())) {
                printError(error.info());
                return refusalCode(error);
            }
        }
    }
    printData(renderFindings(findings));
    if (findings.empty() || findings.front().severity == restore::FindingSeverity::Note) {
        return kClean;
    }
    return findings.front().severity == restore::FindingSeverity::Blocker ? kRefused
                                                                          : kFinishedWithErrors;
}

/// The history's record, or else the one that was asked for, if it is a file.
std::string recordOf(const Presentation& presentation) {
    if (!presentation.noHistory) return "last";
    return presentation.events == "-" ? std::string() : presentation.events.string();
}

int run(options::RestoreOptions& options, const Presentation& presentation,
        const StopSignals& signals, const Aftermath& aftermath) {
    return carryOut(
        {.connection = options.connection,
         .presentation = presentation,
         .planOnly = options.dryRun,
         .run =
             [&](events::EventSink& events, std::stop_token stop) {
                 runWithAdvice(options, events, stop,
                               [&](const auto& with, events::EventSink& sink) {
                                   restore::restore(with, sink, stop);
                               });
             },
         .summary =
             [&](const events::RunState& state) { return renderRestoreSummary(state, aftermath); }},
        signals);
}

/// The server stays if there is something to look at.
int runInScratch(const options::RestoreOptions& options, const Presentation& presentation,
                 const StopSignals& signals) {
    std::optional<restore::ScratchTarget> target;
    try {
        target.emplace(restore::makeScratchTarget(
            options, [](std::string_view step) { printErr(fmt::format("{} …\n", step)); },
            signals.token()));
    } catch (const Error& error) {
        printError(error.info());
        return refusalCode(error);
    }
    const int code =
        run(target->options, presentation, signals, {.databaseStays = false, .record = {}});
    if (options.dryRun || (code != kClean && code != kFinishedWithErrors)) {
        printErr("The scratch server is gone, with all that was in it.\n");
        return code;
    }
    const scratch::ScratchInfo& info = target->server.info();
    std::string text =
        fmt::format("It is on scratch server \"{}\" (PostgreSQL {}).\n", info.name, info.version);
    text += fmt::format("  Connect:  {}\n",
                        options::quoteForShell({"psql", info.conninfo(target->database)}));
    text += fmt::format("  Stop it:  gantryctl scratch stop {}\n", info.name);
    target->server.release();
    // Standard output may be taken by the events.
    presentation.events == "-" ? printErr(text) : printOut(text);
    return code;
}

}  // namespace

int restoreCommand(const Words& words) {
    options::RestoreOptions options;
    Presentation presentation;
    const CommandSyntax syntax = restoreSyntax(options, presentation);
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    options.archive = line.operands.front();
    if (!reportProblems("restore", options::validate(options))) return kRefused;
    std::error_code differs;
    if (!options.resume.empty() && !presentation.events.empty() &&
        std::filesystem::equivalent(options.resume, presentation.events, differs)) {
        printErr(
            "gantryctl restore: --events and --resume: the new record would replace the one "
            "that is read. Name another file for --events.\n");
        return kRefused;
    }

    const StopSignals signals(
        "gantryctl: ended at once; what was restored so far stays in the database\n");
    FileCopies copies;
    try {
        copies.replaceFilters(options.selection.filterFiles, signals.token());
        copies.replace(options.selection.listFile, signals.token());
    } catch (const Error& error) {
        printError(error.info());
        return refusalCode(error);
    }
    if (options.checkOnly) return tellFindings(options, signals);
    if (options.scratch) return runInScratch(options, presentation, signals);
    return run(options, presentation, signals,
               {.databaseStays = true, .record = recordOf(presentation)});
}

}  // namespace gantry::headless
