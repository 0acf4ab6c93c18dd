// SPDX-License-Identifier: PostgreSQL
// gantryctl tune: options in, a sweep shown while it goes on, a table and advice at its end.
#include <fmt/format.h>
#include <unistd.h>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/password.h"
#include "app/headless/quantity.h"
#include "app/headless/run_command.h"
#include "app/headless/terminal.h"
#include "app/headless/tune_text.h"
#include "core/base/sync.h"
#include "core/history/history.h"
#include "core/options/tune_table.h"
#include "core/tune/tune.h"

namespace gantry::headless {
namespace {

/// What concerns this front end alone.
struct TunePresentation {
    bool json = false;
    bool noHistory = false;
    bool noProgress = false;
};

CommandSyntax tuneSyntax(options::TuneOptions& options, TunePresentation& presentation) {
    CommandSyntax syntax;
    syntax.name = "tune";
    syntax.purpose =
        "Measures a dump, a restore or a vacuum with one number of jobs after the other, and says "
        "which to take.";
    syntax.operands = "[ARCHIVE]";
    syntax.mostOperands = 1;
    syntax.table = options::tuneTable(options);
    syntax.table.push_back(options::flagOption(options::OptionGroup::Run,
                                               {"json", 0, "", "print the figures as JSON"},
                                               presentation.json));
    syntax.table.push_back(
        options::flagOption(options::OptionGroup::Run,
                            {"no-history", 0, "", "keep no record of the runs (gantryctl runs)"},
                            presentation.noHistory));
    syntax.table.push_back(options::flagOption(
        options::OptionGroup::Run, {"no-progress", 0, "", "tell only warnings and the outcome"},
        presentation.noProgress));
    syntax.notes =
        "Each point is measured several times, in turns. Steps that gain nothing end the way up, "
        "and rounds end once they agree. ARCHIVE is what --for=restore restores, each time into a "
        "database of its own that is dropped afterwards. Ctrl-C ends it and shows what was "
        "measured by then. Exit code: 0 measured, 2 refused before it began, 3 failed, 130 "
        "stopped.";
    return syntax;
}

/// On a terminal one line that is written over; elsewhere a line for each measurement.
class TuneDisplay final : public tune::Observer {
public:
    explicit TuneDisplay(bool progress)
        : progress_(progress), onTerminal_(progress && isCapableTerminal(STDERR_FILENO)) {}

    void step(const std::string& what) override {
        const MutexLock lock(mutex_);
        step_ = what;
        show({});
    }
    void tell(const std::string& sentence) override {
        const MutexLock lock(mutex_);
        erase();
        printErr(fmt::format("{}\n", oneLine(sentence)));
    }
    void changed(const tune::Report& report) override {
        const MutexLock lock(mutex_);
        std::size_t samples = 0;
        for (const tune::Point& point : report.points) samples += point.samples.size();
        if (!progress_ || samples == samples_ || now_.round == 0) return;
        samples_ = samples;
        erase();
        printErr(fmt::format("  {}: {}\n", headline_,
                             tune::secondsText(report.points[now_.point].samples.back().seconds)));
    }
    void begins(const tune::Report& report, const tune::Sweep::Measurement& now,
                std::size_t left) override {
        const MutexLock lock(mutex_);
        now_ = now;
        ++number_;
        headline_ = renderMeasurement(report, now, number_, number_ + left);
        show({});
    }
    void progress(const events::RunState& run) override {
        const MutexLock lock(mutex_);
        show(fmt::format(" {:.0f}%", run.fraction() * 100));
    }
    void finish() {
        const MutexLock lock(mutex_);
        erase();
    }

private:
    void show(const std::string& share) REQUIRES(mutex_) {
        if (!onTerminal_) return;
        const TextStyle style = terminalStyle(STDERR_FILENO);
        std::string line = step_.empty() ? headline_ + share : headline_ + "  " + step_ + " …";
        if (columnsOf(line) >= style.width) line = fitted(line, style.width - 1, style.unicode);
        printErr("\r" + line + "\x1b[K");
    }
    void erase() REQUIRES(mutex_) {
        if (onTerminal_) printErr("\r\x1b[K");
    }

    const bool progress_;
    const bool onTerminal_;
    Mutex mutex_;
    std::string step_ GUARDED_BY(mutex_);
    std::string headline_ GUARDED_BY(mutex_);
    tune::Sweep::Measurement now_ GUARDED_BY(mutex_);
    std::size_t number_ GUARDED_BY(mutex_) = 0;
    std::size_t samples_ GUARDED_BY(mutex_) = 0;
};

int present(const tune::Report& report, bool json) {
    printData(json ? tune::toJson(report) : renderSweep(report, terminalStyle(STDOUT_FILENO)));
    if (report.stopped) return kCancelled;
    if (!report.error) return kClean;
    printError(*report.error);
    return kFailed;
}

}  // namespace

int tuneCommand(const Words& words) {
    options::TuneOptions options;
    TunePresentation presentation;
    const CommandSyntax syntax = tuneSyntax(options, presentation);
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    if (!line.operands.empty()) options.archive = line.operands.front();
    if (!reportProblems("tune", options::validate(options))) return kRefused;

    const StopSignals signals;
    askPasswordIfForced(options.connection, signals.token());
    const std::filesystem::path history =
        presentation.noHistory ? std::filesystem::path() : history::usualFolder();
    for (bool asked = false;; asked = true) {
        TuneDisplay display(!presentation.noProgress);
        try {
            const tune::Report report = tune::tune(options, history, display, signals.token());
            display.finish();
            return present(report, presentation.json);
        } catch (const Error& error) {
            display.finish();
            if (asked || !wantsPassword(error.info(), options.connection) ||
                !askPassword(options.connection, signals.token())) {
                throw;
            }
        }
    }
}

}  // namespace gantry::headless
