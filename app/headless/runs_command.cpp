// SPDX-License-Identifier: PostgreSQL
// gantryctl runs: what was done, how long it took, and what it can be compared with.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <limits>

#include "app/headless/amount_input.h"
#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/quantity.h"
#include "app/headless/runs_text.h"
#include "core/base/buffer.h"
#include "core/base/file.h"
#include "core/events/event_json.h"
#include "core/events/run_log.h"
#include "core/events/trace_export.h"
#include "core/history/compare.h"
#include "core/history/history.h"
#include "core/report/span_table.h"

namespace gantry::headless {
namespace {

using history::History;
using history::PastRun;
using options::Option;
using options::OptionGroup;

constexpr std::size_t kMostTasks = 15;

/// A row whose value is a moment or an age.
Option momentOption(options::OptionName name, std::string& target) {
    Option row = options::textOption(OptionGroup::Run, name, target);
    row.set = [&target](std::string_view text) {
        target = parseMoment(text, std::chrono::system_clock::now());
    };
    return row;
}

Option jsonOption(bool& target) {
    return options::flagOption(OptionGroup::Run, {"json", 0, "", "as JSON"}, target);
}

Option verboseOption(bool& target) {
    return options::flagOption(OptionGroup::Run, {"verbose", 'v', "", "list all tasks"}, target);
}

/// What is there, with what killed processes left taken in.
History openHistory() {
    History history(history::usualFolder(), [](const std::string& message) {
        printErr(fmt::format("warning: {}\n", oneLine(message)));
    });
    history.settle();
    return history;
}

PastRun findRun(History& history, const std::string& number) {
    if (number == "last") {
        const std::vector<PastRun> latest = history.runs({.most = 1});
        if (!latest.empty()) return latest.front();
        throw Error(ErrorKind::Preflight, "there is no run yet");
    }
    int64_t id = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (error == std::errc() && end == number.data() + number.size()) {
        if (const auto found = history.run(id)) return *found;
    }
    throw Error(ErrorKind::Preflight, "there is no such run", number,
                "gantryctl runs list shows which there are; \"last\" is the last one.");
}

int listRuns(const Words& words) {
    history::Filter filter;
    std::string outcome;
    std::optional<uint32_t> limit;
    bool json = false;
    CommandSyntax syntax;
    syntax.name = "runs list";
    syntax.purpose =
        "Lists the runs of gantryctl and of the desktop application, the last one first.";
    syntax.table.push_back(options::textOption(
        OptionGroup::Run, {"database", 'd', "NAME", "only of this database"}, filter.database));
    syntax.table.push_back(options::textOption(
        OptionGroup::Run, {"operation", 0, "WHAT", "only dump, restore or vacuum"},
        filter.operation));
    syntax.table.push_back(options::textOption(
        OptionGroup::Run,
        {"outcome", 0, "WHAT",
         "only clean, completed_with_errors, failed, cancelled, interrupted or running"},
        outcome));
    syntax.table.push_back(
        momentOption({"since", 0, "WHEN", "only since then: 12h, 30d, 8w, 6mo, 2y or 2026-11-01"},
                     filter.since));
    syntax.table.push_back(
        options::countOption(OptionGroup::Run, {"limit", 0, "N", "at most N of them"}, limit));
    syntax.table.back().standard = "all";
    syntax.table.push_back(jsonOption(json));
    ParsedLine line = parseCommandLine(syntax, words);
    filter.status = history::statusFrom(outcome);
    if (!outcome.empty() && !filter.status) {
        line.problems.push_back(
            fmt::format("--outcome: \"{}\" is none. Choose clean, completed_with_errors, failed, "
                        "cancelled, interrupted or running.",
                        printable(outcome)));
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    if (limit) filter.most = *limit;
    const std::vector<PastRun> runs = openHistory().runs(filter);
    printData(json ? runListJson(runs) : renderRunList(runs));
    return kClean;
}

int show(const Words& words) {
    bool json = false;
    bool verbose = false;
    CommandSyntax syntax;
    syntax.name = "runs show";
    syntax.purpose =
        "Tells all about a run: outcome, verdict, the tasks that took longest, and what its length "
        "came from.";
    syntax.operands = "RUN";
    syntax.fewestOperands = syntax.mostOperands = 1;
    syntax.table = {verboseOption(verbose), jsonOption(json)};
    syntax.notes = "RUN is the number that runs list shows, or \"last\".";
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    History history = openHistory();
    RunDetails details;
    details.run = findRun(history, line.operands.front());
    details.tasks = history.tasks(details.run.id);
    if (history.logBytes(details.run) > 0) {
        details.state.emplace();
        for (const events::Event& event : events::readRunLog(history.logOf(details.run))) {
            details.state->apply(event);
        }
    }
    printData(json ? runJson(details)
                   : renderRun(details, verbose ? details.tasks.size() : kMostTasks));
    return kClean;
}

std::string exported(const std::vector<events::Event>& events, const std::string& format) {
    if (format == "jsonl") {
        std::string text;
        for (const events::Event& event : events) text += events::toJson(event) + '\n';
        return text;
    }
    events::RunState state;
    for (const events::Event& event : events) state.apply(event);
    return format == "csv" ? report::csvOf(state) : events::traceOf(state) + '\n';
}

int exportRun(const Words& words) {
    std::string format = "jsonl";
    std::filesystem::path output;
    CommandSyntax syntax;
    syntax.name = "runs export";
    syntax.purpose = "Writes a run's events, or what they come to, for other programs.";
    syntax.operands = "RUN";
    syntax.fewestOperands = syntax.mostOperands = 1;
    syntax.table.push_back(options::textOption(OptionGroup::Run,
                                               {"format", 'F', "FORMAT",
                                                "jsonl (which the desktop application opens), csv "
                                                "(a line for each task or chunk) or trace "
                                                "(for Perfetto and chrome://tracing)"},
                                               format));
    syntax.table.push_back(options::pathOption(
        OptionGroup::Run, {"file", 'f', "FILE", "where to; it must not exist"}, output));
    syntax.table.back().standard = "standard output";
    syntax.notes = "RUN is the number that runs list shows, or \"last\".";
    ParsedLine line = parseCommandLine(syntax, words);
    if (format != "jsonl" && format != "csv" && format != "trace") {
        line.problems.push_back(fmt::format("--format: \"{}\" is none. Choose jsonl, csv or trace.",
                                            printable(format)));
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    History history = openHistory();
    const PastRun run = findRun(history, line.operands.front());
    const std::string text = exported(events::readRunLog(history.logOf(run)), format);
    if (output.empty()) {
        printData(text);
        return kClean;
    }
    File file = File::create(output);
    file.writeAt(0, bytesOf(text));
    file.close();
    return kClean;
}

int compare(const Words& words) {
    bool json = false;
    bool verbose = false;
    CommandSyntax syntax;
    syntax.name = "runs compare";
    syntax.purpose = "Puts two runs side by side: which task became slower, which faster.";
    syntax.operands = "RUN RUN";
    syntax.fewestOperands = syntax.mostOperands = 2;
    syntax.table = {verboseOption(verbose), jsonOption(json)};
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    History history = openHistory();
    const PastRun before = findRun(history, line.operands[0]);
    const PastRun after = findRun(history, line.operands[1]);
    const std::vector<history::TaskChange> changes =
        history::compareTasks(history.tasks(before.id), history.tasks(after.id));
    printData(
        json ? comparisonJson(before, after, changes)
             : renderComparison(before, after, changes, verbose ? changes.size() : kMostTasks));
    return kClean;
}

int prune(const Words& words) {
    history::PruneRule rule;
    std::string size;
    CommandSyntax syntax;
    syntax.name = "runs prune";
    syntax.purpose = "Forgets old runs, with the records of their events.";
    syntax.table.push_back(momentOption(
        {"older-than", 0, "AGE", "those that began before: 12h, 30d, 8w, 6mo, 2y or 2026-11-01"},
        rule.before));
    syntax.table.push_back(options::textOption(
        OptionGroup::Run,
        {"keep-bytes", 0, "SIZE", "the oldest, until the rest needs no more than this: 500MB, 2GB"},
        size));
    syntax.table.back().set = [&rule](std::string_view text) { rule.keepBytes = parseSize(text); };
    ParsedLine line = parseCommandLine(syntax, words);
    if (!line.help && line.problems.empty() && rule.before.empty() && !rule.keepBytes) {
        line.problems.emplace_back("Say which: --older-than, --keep-bytes, or both.");
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    const history::Pruned pruned = openHistory().prune(rule);
    printOut(fmt::format("{} forgotten, {} of records removed.\n", counted(pruned.runs, "run"),
                         humanBytes(pruned.bytes)));
    return kClean;
}

int removeRuns(const Words& words) {
    CommandSyntax syntax;
    syntax.name = "runs remove";
    syntax.purpose = "Forgets runs, with the records of their events.";
    syntax.operands = "RUN...";
    syntax.fewestOperands = 1;
    syntax.mostOperands = std::numeric_limits<std::size_t>::max();
    syntax.notes =
        "RUN is the number that runs list shows, or \"last\". What a run has written or restored "
        "stays; a restore that was interrupted cannot be resumed without its record.";
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    History history = openHistory();
    std::vector<int64_t> ids;
    for (const std::string& number : line.operands) {
        const PastRun run = findRun(history, number);
        if (run.status == history::Status::Running) {
            throw Error(ErrorKind::Preflight, "the run is under way", number,
                        "Remove it once it is over.");
        }
        ids.push_back(run.id);
    }
    const history::Pruned removed = history.remove(ids);
    printOut(fmt::format("{} forgotten, {} of records removed.\n", counted(removed.runs, "run"),
                         humanBytes(removed.bytes)));
    return kClean;
}

constexpr std::string_view kRunsUsage =
    "The runs of gantryctl and of the desktop application.\n\n"
    "Usage: gantryctl runs list|show|compare|export|remove|prune [OPTION]...\n\n"
    "  list     show which there were\n"
    "  show     tell all about one\n"
    "  compare  put two side by side\n"
    "  export   write one for other programs\n"
    "  remove   forget some\n"
    "  prune    forget old ones\n\n"
    "They are kept in GANTRY_HISTORY_DIR, or in gantry/ of the user's state folder\n"
    "(XDG_STATE_HOME). \"gantryctl runs list --help\" and so on tell more.\n";

}  // namespace

int runsCommand(const Words& words) {
    const std::string what = words.empty() ? "" : words.front();
    const Words rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    if (what == "list") return listRuns(rest);
    if (what == "show") return show(rest);
    if (what == "compare") return compare(rest);
    if (what == "export") return exportRun(rest);
    if (what == "remove") return removeRuns(rest);
    if (what == "prune") return prune(rest);
    if (what == "--help" || what == "-?") {
        printOut(kRunsUsage);
        return kClean;
    }
    if (!what.empty())
        printErr(fmt::format("gantryctl runs: there is no \"{}\".\n\n", printable(what)));
    printErr(kRunsUsage);
    return kRefused;
}

}  // namespace gantry::headless
