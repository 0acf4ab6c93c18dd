// SPDX-License-Identifier: PostgreSQL
// gantryctl dump: options in, a run shown, an exit code out.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/password.h"
#include "app/headless/quantity.h"
#include "app/headless/run_display.h"
#include "app/headless/run_text.h"
#include "app/headless/stop_signals.h"
#include "core/base/file.h"
#include "core/dump/dump.h"
#include "core/options/command.h"
#include "core/options/dump_table.h"
#include "core/options/validate.h"

namespace gantry::headless {
namespace {

namespace fs = std::filesystem;
using options::OptionGroup;

/// What concerns this front end alone.
struct Presentation {
    fs::path events;
    bool noProgress = false;
    bool quiet = false;
    bool verbose = false;
};

std::vector<options::Option> presentationTable(Presentation& p) {
    std::vector<options::Option> table;
    table.push_back(options::pathOption(
        OptionGroup::Run,
        {"events", 0, "FILE", "record the run as JSON Lines (- for standard output)"}, p.events));
    table.push_back(options::flagOption(
        OptionGroup::Run, {"no-progress", 0, "", "tell only warnings, errors and the outcome"},
        p.noProgress));
    table.push_back(options::flagOption(
        OptionGroup::Run, {"quiet", 'q', "", "tell only warnings and errors"}, p.quiet));
    table.push_back(options::flagOption(
        OptionGroup::Run, {"verbose", 'v', "", "a line for each finished task instead of the bar"},
        p.verbose));
    return table;
}

CommandSyntax dumpSyntax(options::DumpOptions& options, Presentation& presentation) {
    CommandSyntax syntax;
    syntax.name = "dump";
    syntax.purpose =
        "Dumps a database over several connections at once, into an archive that pg_restore reads.";
    syntax.operands = "[DBNAME]";
    syntax.mostOperands = 1;
    syntax.table = options::dumpTable(options);
    for (options::Option& option : presentationTable(presentation)) {
        syntax.table.push_back(std::move(option));
    }
    syntax.unsupported = options::unsupportedDumpOptions();
    syntax.notes =
        "What is not said about the connection comes from libpq's environment variables (PGHOST, "
        "PGDATABASE, …), its service and its password file, as with pg_dump. Exit code: 0 clean, 1 "
        "finished with errors that were ignored, 2 refused before it began, 3 failed, 130 "
        "cancelled.";
    return syntax;
}

/// pg_dump cannot read our standard input: a filter from there goes through a file.
class StandardInputFilter {
public:
    explicit StandardInputFilter(std::vector<fs::path>& filters) {
        for (fs::path& filter : filters) {
            if (filter != "-") continue;
            if (path_.empty()) store();
            filter = path_;
        }
    }
    ~StandardInputFilter() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove(path_, ignored);
    }
    StandardInputFilter(const StandardInputFilter&) = delete;
    StandardInputFilter& operator=(const StandardInputFilter&) = delete;

private:
    void store() {
        std::string pattern = (fs::temp_directory_path() / "gantry-filter-XXXXXX").string();
        const int fd = ::mkstemp(pattern.data());
        if (fd < 0) throw systemError("create the file", pattern, errno);
        path_ = pattern;
        File file(fd, path_);
        std::array<std::byte, 4096> block{};
        uint64_t offset = 0;
        ssize_t count = 0;
        while ((count = ::read(STDIN_FILENO, block.data(), block.size())) > 0) {
            const auto length = static_cast<std::size_t>(count);
            file.writeAt(offset, std::span(block).first(length));
            offset += length;
        }
        if (count < 0) throw systemError("read", "standard input", errno);
        file.close();
    }

    fs::path path_;
};

bool reportProblems(const options::DumpOptions& options) {
    const std::vector<options::Problem> problems = options::validate(options);
    for (const options::Problem& problem : problems) {
        const bool warning = problem.severity == options::ProblemSeverity::Warning;
        printErr(
            fmt::format("gantryctl dump: {}{}\n", warning ? "warning: " : "", problem.describe()));
    }
    return !options::hasErrors(problems);
}

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

std::string restoreCommand(const options::DumpOptions& options) {
    const std::string path = options.output.string();
    if (options.format == archive::Format::Plain) {
        return options::quoteForShell({"psql", "-X", "-d", "NEWDB", "-f", path});
    }
    if (options.format == archive::Format::Tar) {
        return options::quoteForShell({"pg_restore", "-d", "NEWDB", path});
    }
    return options::quoteForShell({"pg_restore", "-d", "NEWDB", "-j", "4", path});
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

Attempt attemptDump(const options::DumpOptions& options, const Presentation& presentation,
                    const StopSignals& signals) {
    RunDisplay display({.progress = !presentation.noProgress && !presentation.quiet,
                        .verbose = presentation.verbose,
                        .stop = signals.token()},
                       openLog(presentation.events));
    Attempt attempt;
    try {
        dump::dump(options, display.sink(), signals.token());
    } catch (const Error& error) {
        attempt.error = error.info();
    }
    display.finish();
    const events::RunState& run = display.state();
    attempt.begun = run.started().has_value();
    if (attempt.error && !attempt.begun) {
        attempt.wantsPassword = wantsPassword(*attempt.error, options.connection);
        attempt.exitCode = refusalCode(Error(*attempt.error));
        return attempt;
    }
    if (options.dryRun && !attempt.error) {
        constexpr std::size_t kMostTasks = 20;
        printOut(renderPlan(run, presentation.verbose ? run.tasks().size() : kMostTasks));
        return attempt;
    }
    const std::string summary =
        renderSummary(run, {options.output.string(), restoreCommand(options)});
    attempt.exitCode = run.finished() ? outcomeCode(run.finished()->outcome) : kFailed;
    const bool good = attempt.exitCode == kClean || attempt.exitCode == kFinishedWithErrors;
    // Standard output may be taken by the events; failures belong to standard error anyway.
    if (good && !presentation.quiet && presentation.events != "-") {
        printOut(summary);
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
    if (!reportProblems(options)) return kRefused;

    const StopSignals signals(
        fmt::format("gantryctl: ended at once; what was written so far may be left as {}.partial\n",
                    printable(options.output.string())));
    const StandardInputFilter filter(options.selection.filterFiles);
    askPasswordIfForced(options.connection, signals.token());
    Attempt attempt = attemptDump(options, presentation, signals);
    if (attempt.wantsPassword && askPassword(options.connection, signals.token())) {
        attempt = attemptDump(options, presentation, signals);
    }
    if (attempt.error && !attempt.begun) printError(*attempt.error);
    return attempt.exitCode;
}

}  // namespace gantry::headless
