// SPDX-License-Identifier: PostgreSQL
#include "app/headless/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/password.h"
#include "app/headless/run_display.h"
#include "app/headless/run_text.h"
#include "core/history/history.h"

namespace gantry::headless {
namespace {

namespace fs = std::filesystem;
using options::OptionGroup;

std::optional<events::RunLog> openLog(const fs::path& path) {
    if (path.empty()) return std::nullopt;
    if (path == "-") return events::RunLog::onDescriptor(STDOUT_FILENO, "standard output");
    try {
        return events::RunLog::create(path);
    } catch (const Error& error) {
        ErrorInfo info = error.info();
        info.kind = ErrorKind::Preflight;  // nothing has begun
        throw Error(std::move(info));
    }
}

struct Attempt {
    std::optional<ErrorInfo> error;
    bool begun = false;
    bool wantsPassword = false;
    int exitCode = kClean;
};

int outcomeCode(events::Outcome outcome) {
    switch (outcome) {
        case events::Outcome::Clean:
            return kClean;
        case events::Outcome::CompletedWithErrors:
            return kFinishedWithErrors;
        case events::Outcome::Failed:
            return kFailed;
        case events::Outcome::Cancelled:
            return kCancelled;
    }
    return kFailed;
}

Attempt attempt(const RunCommand& command, const StopSignals& signals) {
    const Presentation& presentation = command.presentation;
    RunDisplay display(
        {.progress = !presentation.noProgress && !presentation.quiet,
         .notices = command.tellNotices,
         .verbose = presentation.verbose,
         .stop = signals.token(),
         .history =
             presentation.noHistory || command.planOnly ? fs::path() : history::usualFolder()},
        openLog(presentation.events));
    Attempt attempt;
    try {
        command.run(display.sink(), signals.token());
    } catch (const Error& error) {
        attempt.error = error.info();
    }
    display.finish();
    const events::RunState& run = display.state();
    attempt.begun = run.started().has_value();
    if (attempt.error && !attempt.begun) {
        attempt.wantsPassword = wantsPassword(*attempt.error, command.connection);
        attempt.exitCode = refusalCode(Error(*attempt.error));
        return attempt;
    }
    // Standard output may be taken by the events; failures belong to standard error anyway.
    const auto print = presentation.events == "-" ? printErr : printOut;
    if (command.planOnly && !attempt.error) {
        constexpr std::size_t kMostTasks = 20;
        const std::size_t most = presentation.verbose ? run.tasks().size() : kMostTasks;
        print(command.plan ? command.plan(run, most) : renderPlan(run, most));
        for (const ErrorInfo& error : run.ignoredErrors()) printError(error);
        if (run.finished()) attempt.exitCode = outcomeCode(run.finished()->outcome);
        return attempt;
    }
    const std::string summary = command.summary(run);
    attempt.exitCode = run.finished() ? outcomeCode(run.finished()->outcome) : kFailed;
    const bool good = attempt.exitCode == kClean || attempt.exitCode == kFinishedWithErrors;
    if (good && !presentation.quiet) {
        print(summary);
    } else if (attempt.exitCode != kClean || !presentation.quiet) {
        printErr(summary);
    }
    if (!display.logProblem().empty()) {
        printErr(fmt::format("gantryctl: the record of the run is not whole: {}\n",
                             display.logProblem()));
        if (attempt.exitCode == kClean) attempt.exitCode = kFinishedWithErrors;
    }
    return attempt;
}

}  // namespace

void addPresentation(std::vector<options::Option>& table, Presentation& p) {
    table.push_back(options::pathOption(
        OptionGroup::Run,
        {"events", 0, "FILE", "record the run as JSON Lines (- for standard output)"}, p.events));
    table.push_back(options::flagOption(
        OptionGroup::Run, {"no-history", 0, "", "keep no record of the run (gantryctl runs)"},
        p.noHistory));
    table.push_back(options::flagOption(
        OptionGroup::Run, {"no-progress", 0, "", "tell only warnings, errors and the outcome"},
        p.noProgress));
    table.push_back(options::flagOption(
        OptionGroup::Run, {"quiet", 'q', "", "tell only warnings and errors"}, p.quiet));
    table.push_back(options::flagOption(
        OptionGroup::Run, {"verbose", 'v', "", "a line for each finished task instead of the bar"},
        p.verbose));
}

bool reportProblems(std::string_view command, const std::vector<options::Problem>& problems) {
    for (const options::Problem& problem : problems) {
        const bool warning = problem.severity == options::ProblemSeverity::Warning;
        printErr(fmt::format("gantryctl {}: {}{}\n", command, warning ? "warning: " : "",
                             problem.describe()));
    }
    return !options::hasErrors(problems);
}

int carryOut(const RunCommand& command, const StopSignals& signals) {
    askPasswordIfForced(command.connection, signals.token());
    Attempt outcome = attempt(command, signals);
    if (outcome.wantsPassword && askPassword(command.connection, signals.token())) {
        outcome = attempt(command, signals);
    }
    if (outcome.error && !outcome.begun) printError(*outcome.error);
    return outcome.exitCode;
}

}  // namespace gantry::headless
