// SPDX-License-Identifier: PostgreSQL
#include "app/headless/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "app/headless/quantity.h"
#include "core/options/option.h"
#include "core/report/verdict.h"

namespace gantry::headless {
namespace {

using events::IdleCause;
using events::Outcome;
using events::RunState;
using events::SpanState;
using events::WorkerState;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string styled(std::string text, std::string_view code, const TextStyle& style) {
    if (!style.color) return text;
    return std::string(code) + std::move(text) + std::string(kPlain);
}

std::string bar(double fraction, std::size_t columns, const TextStyle& style) {
    fraction = std::clamp(fraction, 0.0, 1.0);
    if (!style.unicode) {
        const auto full = static_cast<std::size_t>(fraction * static_cast<double>(columns));
        return std::string(full, '#') + std::string(columns - full, '.');
    }
    static constexpr const char* kPartial[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    constexpr std::size_t kEighths = 8;
    const auto eighths = static_cast<std::size_t>(fraction * static_cast<double>(columns) *
                                                  static_cast<double>(kEighths));
    std::string text;
    for (std::size_t i = 0; i < eighths / kEighths; ++i) text += "█";
    text += kPartial[eighths % kEighths];
    const std::size_t used = eighths / kEighths + (eighths % kEighths > 0 ? 1 : 0);
    for (std::size_t i = used; i < columns; ++i) text += "░";
    return text;
}

/// Down, so that nothing shows as whole before it is.
int percent(double fraction) { return static_cast<int>(fraction * 100); }

std::string timeLeft(const RunState& state) {
    const auto left = state.timeLeft();
    if (!left) return {};
    constexpr auto kTooShort = std::chrono::seconds(1);
    return fmt::format(", {}{} left", *left < kTooShort ? "" : "about ", roughDuration(*left));
}

std::string amounts(const RunState& state) {
    std::string text = humanBytes(state.bytesDone());
    if (state.estimatedBytes() > 0) text += " of about " + humanBytes(state.expectedBytes());
    if (state.rate() > 0)
        text += fmt::format(", {}/s", humanBytes(static_cast<uint64_t>(state.rate())));
    return text + timeLeft(state);
}

std::string overallLine(const RunState& state, const TextStyle& style) {
    const std::string head = fmt::format("{:3}% ", percent(state.fraction()));
    const std::string tail = "  " + amounts(state);
    const std::size_t width = style.width - 1;
    constexpr std::size_t kShortestBar = 8;
    constexpr std::size_t kLongestBar = 40;
    if (columnsOf(head) + kShortestBar + columnsOf(tail) > width) {
        // The end matters more than the speed on the way.
        const std::string done = humanBytes(state.bytesDone());
        for (const std::string& text : {head + amounts(state), head + done + timeLeft(state)}) {
            if (columnsOf(text) <= width) return fitted(text, width, style.unicode);
        }
        return fitted(head + done, width, style.unicode);
    }
    const std::size_t length = std::min(kLongestBar, width - columnsOf(head) - columnsOf(tail));
    return styled(head, kBold, style) + bar(state.fraction(), length, style) + tail;
}

std::string describeIdle(const WorkerState& worker) {
    return worker.idle ? printable(report::describeIdle(*worker.idle)) : "between two tasks";
}

bool waitsForLock(const WorkerState& worker) {
    return !worker.span && worker.idle && worker.idle->cause == IdleCause::Lock;
}

std::string describeObject(const SpanState& span) {
    std::string text = printable(span.object);
    if (text.empty()) text = toString(span.kind);
    if (span.kind == plan::TaskKind::Finish) text = "completing " + text;
    if (span.span.chunk) text += fmt::format(" #{}", *span.span.chunk + 1);
    if (!span.phase.empty()) text += fmt::format(" ({})", printable(span.phase));
    return text;
}

std::string workerLine(WorkerId id, const WorkerState& worker, const RunState& state,
                       const TextStyle& style) {
    const std::string lane = id.value == 0 ? "  -  " : fmt::format("{:3}  ", id.value);
    const std::size_t width = style.width - 1 - lane.size();
    if (!worker.span) {
        return lane + styled(fitted(describeIdle(worker), width, style.unicode), kDim, style);
    }
    const SpanState& span = state.spans()[*worker.span];
    if (worker.idle) {
        return lane +
               fitted(describeObject(span) + " " + describeIdle(worker), width, style.unicode);
    }
    const std::string done = span.bytes > 0 ? humanBytes(span.bytes) : "";
    constexpr std::size_t kBarColumns = 10;
    constexpr std::size_t kDoneColumns = 9;
    constexpr std::size_t kShortestName = 12;
    constexpr std::size_t kLongestName = 48;
    const std::size_t tailColumns = 2 + kBarColumns + 6 + kDoneColumns;
    if (width < kShortestName + tailColumns || span.estimatedBytes == 0) {
        const std::size_t tail = done.empty() ? 0 : done.size() + 2;
        if (tail == 0 || width < kShortestName + tail) {
            return lane + fitted(describeObject(span), width, style.unicode);
        }
        return lane + fitted(describeObject(span), width - tail, style.unicode) + "  " + done;
    }
    const double fraction = state.spanFraction(span);
    return lane +
           fitted(describeObject(span), std::min(kLongestName, width - tailColumns),
                  style.unicode) +
           "  " + bar(fraction, kBarColumns, style) +
           fmt::format(" {:3}% {:>9}", percent(fraction), done);
}

std::string sumUp(const events::RunFinished& end) {
    std::string text = counted(end.relations, "table") + ", " + counted(end.rows, "row");
    if (end.largeObjects > 0) text += ", " + counted(end.largeObjects, "large object");
    return text;
}

/// Failures that were ignored, equal messages together.
std::string listFailures(const RunState& state) {
    constexpr std::size_t kMostNames = 3;
    std::map<std::string, std::vector<std::string>> byMessage;
    for (const std::size_t index : state.failures()) {
        const SpanState& span = state.spans()[index];
        if (!span.ignored || span.retried || !span.error) continue;
        ErrorInfo cause = *span.error;
        cause.object.clear();
        byMessage[cause.describe()].push_back(printable(span.object));
    }
    std::string text;
    for (const auto& [message, objects] : byMessage) {
        std::string names;
        for (std::size_t i = 0; i < std::min(objects.size(), kMostNames); ++i) {
            names += (i > 0 ? ", " : "") + objects[i];
        }
        if (objects.size() > kMostNames) {
            names += fmt::format(" and {} more", objects.size() - kMostNames);
        }
        text += fmt::format("  {}: {}\n", names, oneLine(message));
    }
    return text;
}

}  // namespace

std::vector<std::string> renderStart(const RunState& state, const TextStyle& style) {
    std::string text = "starting";
    for (const auto& [id, worker] : state.workers()) {
        if (waitsForLock(worker)) text = describeIdle(worker);
    }
    std::istringstream wrapped(
        options::wrapText(text, std::max<std::size_t>(style.width, 2) - 1, 0));
    std::vector<std::string> lines;
    for (std::string line; std::getline(wrapped, line);) lines.push_back(line);
    return lines;
}

std::string renderStopping(Duration since) {
    if (since < kStopPatience) return "stopping";
    return "stopping; Ctrl-C ends it at once, without tidying up";
}

std::vector<std::string> renderProgress(const RunState& state, const TextStyle& style) {
    constexpr std::size_t kNarrowest = 20;
    TextStyle usable = style;
    usable.width = std::max(usable.width, kNarrowest);
    const std::size_t room = std::max<std::size_t>(usable.height, 3) - 1;
    std::vector<std::string> lines{overallLine(state, usable)};
    std::vector<std::string> workers;
    for (const auto& [id, worker] : state.workers()) {
        if (id.value == 0 && !worker.span && !waitsForLock(worker)) continue;
        workers.push_back(workerLine(id, worker, state, usable));
    }
    if (lines.size() + workers.size() > room) {
        const std::size_t shown = room - 2;
        const std::string more = fmt::format("     and {} more", workers.size() - shown);
        workers.resize(shown);
        workers.push_back(more);
    }
    lines.insert(lines.end(), workers.begin(), workers.end());
    return lines;
}

std::string renderProgressLine(const RunState& state) {
    return fmt::format("{}%, {}", percent(state.fraction()), amounts(state));
}

std::string renderNotice(const events::Notice& notice) {
    return (notice.severity == events::Severity::Warning ? "warning: " : "") +
           oneLine(notice.message);
}

std::string renderForecast(const events::Forecast& forecast) {
    const auto time = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double, std::milli>(forecast.ms));
    const std::string by = forecast.runs == 1 ? std::string("run") : counted(forecast.runs, "run");
    return fmt::format("by the last {} like it, it takes about {}", by, humanDuration(time));
}

std::string renderFailure(const SpanState& span) {
    ErrorInfo error = span.error ? *span.error : ErrorInfo{};
    if (error.object.empty()) error.object = span.object;
    const std::string text = oneLine(error.describe());
    if (span.retried) return "trying again: " + text;
    return (span.ignored ? "error, going on without it: " : "error: ") + text;
}

std::string renderFinished(const SpanState& span) {
    std::string text = describeObject(span);
    if (span.rows > 0 || span.bytes > 0) {
        text += fmt::format(": {}, {}", counted(span.rows, "row"), humanBytes(span.bytes));
    }
    return fmt::format("{}, {}", text, humanDuration(span.end.value_or(span.begin) - span.begin));
}

std::string renderSummary(const RunState& state, const SummaryContext& context) {
    if (!state.finished()) return {};
    const events::RunFinished& end = *state.finished();
    const std::string operation = state.started() ? state.started()->operation : "run";
    const std::string database =
        state.started() ? printable(state.started()->database) : std::string();
    const std::string took = humanDuration(state.now());
    if (end.outcome == Outcome::Cancelled) {
        return fmt::format(
            "Cancelled after {}. Nothing was left that could be taken for a whole {}.\n", took,
            operation);
    }
    if (end.outcome == Outcome::Failed) {
        const std::string why = end.error ? oneLine(end.error->describe()) : "";
        return fmt::format(
            "The {} of \"{}\" failed after {}: {}\nNothing was left that could be taken for a "
            "whole "
            "{}.\n",
            operation, database, took, why, operation);
    }
    std::string text = fmt::format("The {} of \"{}\" is complete.\n", operation, database);
    if (end.outcome == Outcome::CompletedWithErrors) {
        text = fmt::format("The {} of \"{}\" finished, but with {} on the way:\n{}", operation,
                           database, counted(end.ignoredErrors, "error"), listFailures(state));
    }
    text += fmt::format("  Holds:    {}\n", sumUp(end));
    const double seconds = std::max(static_cast<double>(state.now().count()) / 1e6, 0.001);
    text +=
        fmt::format("  Read:     {} in {} ({}/s)", humanBytes(end.bytes), took,
                    humanBytes(static_cast<uint64_t>(static_cast<double>(end.bytes) / seconds)));
    if (end.compressedBytes > 0) {
        text += fmt::format(", {} {}", humanBytes(end.compressedBytes),
                            context.kept ? "on disk" : "that went nowhere");
    }
    text += '\n';
    if (!context.output.empty()) text += fmt::format("  Archive:  {}\n", context.output);
    if (!context.restoreCommand.empty())
        text += fmt::format("  Restore:  {}\n", context.restoreCommand);
    return text;
}

std::string renderPlan(const RunState& state, std::size_t most) {
    std::vector<const events::TaskState*> tasks;
    uint64_t bytes = 0;
    for (const auto& [id, task] : state.tasks()) {
        tasks.push_back(&task);
        bytes += task.estimatedBytes;
    }
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const events::TaskState* a, const events::TaskState* b) {
                         return a->estimatedBytes > b->estimatedBytes;
                     });
    const uint32_t workers = state.started() ? state.started()->workers : 0;
    std::string text = "The plan";
    if (state.started()) {
        text += fmt::format(" of the {} of \"{}\"", state.started()->operation,
                            printable(state.started()->database));
    }
    text += fmt::format(": {} for {}, about {}\n", counted(tasks.size(), "task"),
                        counted(workers, "worker"), humanBytes(bytes));
    for (std::size_t i = 0; i < std::min(tasks.size(), most); ++i) {
        const events::TaskState& task = *tasks[i];
        text += fmt::format("  {:>9}  {:<18} {}{}\n", humanBytes(task.estimatedBytes),
                            toString(task.kind), printable(task.object),
                            task.divisible && workers > 1 ? "  (divided if need be)" : "");
    }
    if (tasks.size() > most) {
        text += fmt::format("  and {} (--verbose lists all)\n",
                            counted(tasks.size() - most, "smaller task"));
    }
    if (state.lowerBoundMs() > 0) {
        text += fmt::format("By these estimates it takes {} at least.\n",
                            humanDuration(std::chrono::duration_cast<Duration>(
                                std::chrono::duration<double, std::milli>(state.lowerBoundMs()))));
    }
    if (state.forecast()) {
        std::string line = renderForecast(*state.forecast());
        line.front() = 'B';
        text += line + ".\n";
    }
    return text + "Nothing was done: this was a dry run.\n";
}

}  // namespace gantry::headless
