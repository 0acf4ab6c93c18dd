// SPDX-License-Identifier: PostgreSQL
#include "core/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/format.h"
#include "core/report/held_up.h"
#include "core/report/utilization.h"

namespace gantry::report {
namespace {

using events::IdleCause;
using events::Outcome;
using events::RunState;
using events::SpanState;

/// Savings below this part, or these seconds, are lost among what two equal runs differ by.
constexpr double kWorthSaving = 0.05;
constexpr double kWorthSavingSeconds = 0.1;
constexpr double kWorthTelling = 0.2;       ///< the least share of a task that is told of
constexpr double kWorthTellingWait = 0.05;  ///< the least share of the run that a lock took
constexpr double kCompressionLimits = 0.1;  ///< of the workers' time, when it is what holds them up

std::string percent(double share) { return fmt::format("{}%", std::lround(share * 100)); }

std::string workers(uint32_t count) {
    return count == 1 ? std::string("one worker") : fmt::format("{} workers", count);
}

std::string about(double seconds) {
    if (seconds < 9.5) return fmt::format("about {:.2g} s", seconds);
    if (seconds < 59.5) return fmt::format("about {:.0f} s", seconds);
    return "about " + formatDuration(Duration(std::llround(seconds * 1e6)));
}

/// "a third job", "a 23rd job".
std::string ordinal(uint32_t number) {
    static constexpr std::array<const char*, 9> kWords{
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"};
    if (number >= 1 && number <= kWords.size()) return kWords[number - 1];
    const uint32_t tens = number % 100;
    const char* ending = "th";
    if (tens < 11 || tens > 13) {
        if (number % 10 == 1) ending = "st";
        if (number % 10 == 2) ending = "nd";
        if (number % 10 == 3) ending = "rd";
    }
    return fmt::format("{}{}", number, ending);
}

/// Whether locks of others took a part of the run that explains its length.
bool waitedForLocks(const RunState& run, const HeldUp& held) {
    return secondsOf(held.locks) >=
           std::max(secondsOf(run.now()) * kWorthTellingWait, kWorthSavingSeconds);
}

void sayLocks(const RunState& run, const HeldUp& held, std::string& text) {
    text +=
        fmt::format("{} waited {} of {} for {}: {}. ", held.all < held.some ? "Workers" : "The run",
                    formatDuration(held.locks), formatDuration(run.now()),
                    held.manyLocks ? "locks, longest" : "a lock", held.lock);
}

void sayLongest(const LongestTask& longest, std::string& text) {
    if (longest.share < kWorthTelling) {
        text +=
            fmt::format("No single task held the run up: the longest, {}, took {} of the time. ",
                        longest.object, percent(longest.share));
        return;
    }
    text += fmt::format("{} took {} of the time over {}. ", longest.object, percent(longest.share),
                        workers(longest.workers));
}

void sayAdvice(const MeasuredRun& measured, const std::vector<Outlook>& outlooks,
               std::string& text) {
    if (outlooks.empty() || outlooks.back().workers <= measured.workers) return;
    const auto advice = moreWorkers(measured, outlooks);
    if (!advice) {
        text += "More jobs would have saved next to nothing. ";
    } else if (advice->workers == measured.workers + 1) {
        text += fmt::format("A {} job would have saved {}, if server and disks keep up. ",
                            ordinal(advice->workers), about(advice->secondsSaved));
    } else {
        text += fmt::format(
            "{} jobs instead of {} would have saved {}, if server and disks keep "
            "up. ",
            advice->workers, measured.workers, about(advice->secondsSaved));
    }
}

void sayBusy(const RunState& run, bool locksTold, std::string& text) {
    const Utilization use = utilizationOf(run);
    if (use.workers.empty()) return;
    text += fmt::format("Workers were busy {} of the time", percent(use.busyShare()));
    const bool told = locksTold && !use.idle.empty() && use.idle.front().cause == IdleCause::Lock;
    if (!use.idle.empty() && !told && use.busyShare() < 0.95) {
        const events::WorkerIdle most{
            .worker = {}, .cause = use.idle.front().cause, .on = use.idle.front().longestOn};
        text += fmt::format("; of the rest most went to: {} ({})", describeIdle(most),
                            formatDuration(use.idle.front().total));
    }
    text += ". ";
}

/// Of the workers' time; empty where nothing was compressed.
std::optional<double> shareOfCompression(const RunState& run) {
    Duration busy{};
    for (const SpanState& span : run.spans()) busy += span.end.value_or(run.now()) - span.begin;
    if (!run.finished()->compressionWait || busy <= Duration::zero()) return std::nullopt;
    return static_cast<double>(run.finished()->compressionWait->count()) /
           static_cast<double>(busy.count());
}

void sayCompression(double share, bool processorsFull, std::string& text) {
    if (share < 0.01) {
        text += "Compression was never the limit. ";
    } else if (share < kCompressionLimits) {
        text +=
            fmt::format("Compression was the limit for {} of the workers' time. ", percent(share));
    } else {
        text += fmt::format(
            "Workers waited {} of their time for compression: {} would help. ", percent(share),
            processorsFull
                ? "this machine's cores were full, so that only a lower level or a lighter codec"
                : "more compressor threads or a lower level");
    }
}

}  // namespace

std::optional<LongestTask> longestTask(const RunState& run) {
    std::optional<LongestTask> best;
    const HeldUp held = heldUp(run);
    Duration begin = held.stretches.empty() ? run.now() : held.stretches.front().first;
    Duration end{};
    for (const SpanState& span : run.spans()) {
        begin = std::min(begin, span.begin);
        end = std::max(end, span.end.value_or(run.now()));
    }
    for (const auto& [id, task] : run.tasks()) {
        Duration first = run.now();
        Duration last{};
        std::set<WorkerId> by;
        for (const std::size_t index : task.spans) {
            const SpanState& span = run.spans()[index];
            first = std::min(first, span.begin);
            last = std::max(last, span.end.value_or(run.now()));
            by.insert(span.worker);
        }
        if (by.empty() || (best && last - first <= best->duration)) continue;
        best = LongestTask{.task = id,
                           .object = task.object,
                           .duration = last - first,
                           .workers = static_cast<uint32_t>(by.size())};
    }
    if (best && end > begin) {
        best->share = static_cast<double>(best->duration.count()) /
                      static_cast<double>((end - begin).count());
    }
    return best;
}

std::optional<Advice> moreWorkers(const MeasuredRun& run, const std::vector<Outlook>& outlooks) {
    for (const Outlook& outlook : outlooks) {
        const double saved = run.seconds - outlook.seconds;
        if (outlook.workers > run.workers &&
            saved >= std::max(run.seconds * kWorthSaving, kWorthSavingSeconds)) {
            return Advice{.workers = outlook.workers, .secondsSaved = saved};
        }
    }
    return std::nullopt;
}

std::string verdict(const RunState& run, const MeasuredRun& measured,
                    const std::vector<Outlook>& outlooks) {
    if (!run.finished()) return {};
    const auto longest = longestTask(run);
    if (!longest) return {};
    std::string text;
    const HeldUp held = heldUp(run);
    const bool waited = waitedForLocks(run, held);
    if (waited) sayLocks(run, held, text);
    sayLongest(*longest, text);
    const bool whole = run.finished()->cameToItsEnd();
    const auto compression = shareOfCompression(run);
    const bool processorsFull = measured.processors >= kProcessorsFull;
    // More workers would only wait with the others.
    if (whole && compression.value_or(0) < kCompressionLimits) {
        if (processorsFull) {
            text += fmt::format(
                "This machine's cores were busy {} of the time{}, so that more jobs would have "
                "saved next to nothing. ",
                percent(*measured.processors),
                held.all > Duration::zero() ? " that it was not held up" : "");
        } else {
            sayAdvice(measured, outlooks, text);
        }
    }
    sayBusy(run, waited, text);
    if (compression) sayCompression(*compression, processorsFull, text);
    if (!text.empty()) text.pop_back();
    return text;
}

std::string describeIdle(const events::WorkerIdle& idle) {
    const std::string& on = idle.on;
    switch (idle.cause) {
        case IdleCause::Dependency:
            return on.empty() ? "waits for what has to come first" : "waits for " + on;
        case IdleCause::Lock:
            return on.empty() ? "waits for a lock" : "waits for a lock: " + on;
        case IdleCause::Tail:
            return on.empty() ? "nothing left to do" : "nothing left to do but " + on;
        case IdleCause::Starting:
            return on.empty() ? "starting" : "starting: " + on;
        case IdleCause::Paused:
            return "paused";
        case IdleCause::Left:
            return on.empty() ? "no longer part of the run" : "left: " + on;
    }
    return "";
}

}  // namespace gantry::report
