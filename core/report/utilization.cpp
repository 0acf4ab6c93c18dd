// SPDX-License-Identifier: PostgreSQL
#include "core/report/utilization.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gantry::report {
namespace {

using events::IdleCause;
using events::IdleState;
using events::RunState;
using events::SpanState;

double shareOf(Duration part, Duration whole) {
    if (whole <= Duration::zero()) return 0;
    return std::min(1.0, static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

Duration overlap(Duration begin, Duration end, Duration from, Duration to) {
    return std::max(std::min(end, to) - std::max(begin, from), Duration::zero());
}

/// The coordinator's own preparations are no work that others could have shared.
Duration firstWork(const RunState& run) {
    for (const SpanState& span : run.spans()) {
        if (span.worker.value != 0) return span.begin;
    }
    return run.now();
}

/// Of workers that were not there when the run began: when they were first heard of.
std::map<WorkerId, Duration> addedLater(const RunState& run) {
    const uint32_t first = run.started() ? run.started()->workers : 0;
    std::map<WorkerId, Duration> added;
    const auto heardOf = [&](WorkerId worker, Duration at) {
        if (worker.value <= first) return;
        const auto [known, isNew] = added.emplace(worker, at);
        if (!isNew) known->second = std::min(known->second, at);
    };
    for (const SpanState& span : run.spans()) heardOf(span.worker, span.begin);
    for (const IdleState& idle : run.idles()) heardOf(idle.idle.worker, idle.begin);
    return added;
}

/// As long as the coordinator waits for a lock that the run needs to begin, all wait with it.
bool isFirstWait(const IdleState& idle, Duration firstWork) {
    return idle.idle.worker.value == 0 && idle.idle.cause == IdleCause::Lock &&
           idle.begin < firstWork;
}

/// When a worker had a task. Sums over any time are found by binary search, also where a damaged
/// log lets tasks overlap.
class TaskTime {
public:
    void add(Duration begin, Duration end) {
        if (end <= begin) return;
        moments_.push_back({.at = begin, .change = 1});
        moments_.push_back({.at = end, .change = -1});
    }
    /// All have been added.
    void close() {
        std::sort(moments_.begin(), moments_.end(),
                  [](const Moment& a, const Moment& b) { return a.at < b.at; });
        const Moment* last = nullptr;
        for (Moment& moment : moments_) {
            moment.tasks = moment.change;
            if (last != nullptr) {
                moment.tasks += last->tasks;
                moment.before = last->before + (moment.at - last->at) * last->tasks;
            }
            last = &moment;
        }
    }
    Duration within(Duration from, Duration to) const {
        return to <= from ? Duration::zero() : until(to) - until(from);
    }

private:
    struct Moment {
        Duration at{};
        int change = 0;
        int tasks = 0;      ///< from then on
        Duration before{};  ///< until then
    };
    Duration until(Duration at) const {
        const auto next =
            std::upper_bound(moments_.begin(), moments_.end(), at,
                             [](Duration time, const Moment& moment) { return time < moment.at; });
        if (next == moments_.begin()) return Duration::zero();
        const Moment& last = *std::prev(next);
        return last.before + (at - last.at) * last.tasks;
    }

    std::vector<Moment> moments_;
};

}  // namespace

double WorkerUse::busyShare() const { return shareOf(busy, present); }

double Utilization::busyShare() const {
    Duration busy{};
    Duration present{};
    for (const WorkerUse& use : workers) {
        busy += use.busy;
        present += use.present;
    }
    return shareOf(busy, present);
}

Utilization utilizationOf(const RunState& run) {
    return utilizationOf(run, Duration::zero(), run.now());
}

Utilization utilizationOf(const RunState& run, Duration from, Duration to) {
    Utilization result;
    const Duration worksFrom = firstWork(run);
    const auto firstWait =
        std::find_if(run.idles().begin(), run.idles().end(),
                     [&](const IdleState& idle) { return isFirstWait(idle, worksFrom); });
    result.begin = std::max(from, firstWait == run.idles().end() ? worksFrom : firstWait->begin);
    result.end = std::max(result.begin, std::min(to, run.now()));
    std::map<WorkerId, WorkerUse> uses;
    const std::map<WorkerId, Duration> added = addedLater(run);
    for (const auto& [worker, state] : run.workers()) {
        if (worker.value == 0) continue;
        const auto later = added.find(worker);
        const Duration came =
            later == added.end() ? result.begin : std::max(result.begin, later->second);
        uses[worker] = {.worker = worker, .present = std::max(result.end - came, Duration::zero())};
    }
    std::map<WorkerId, TaskTime> taskTimes;
    for (const SpanState& span : run.spans()) {
        if (!uses.contains(span.worker)) continue;
        taskTimes[span.worker].add(span.begin, span.end.value_or(run.now()));
    }
    for (auto& [worker, time] : taskTimes) {
        time.close();
        uses[worker].busy = time.within(result.begin, result.end);
    }
    std::map<IdleCause, std::map<std::string, Duration>> waits;
    for (const IdleState& idle : run.idles()) {
        if (isFirstWait(idle, worksFrom)) {
            const Duration time =
                overlap(idle.begin, std::min(idle.end.value_or(run.now()), worksFrom), result.begin,
                        result.end);
            for (auto& [worker, use] : uses) {
                if (added.contains(worker)) continue;
                use.idle[static_cast<std::size_t>(IdleCause::Lock)] += time;
                waits[IdleCause::Lock][idle.idle.on] += time;
            }
            continue;
        }
        const auto use = uses.find(idle.idle.worker);
        if (use == uses.end()) continue;
        const Duration time =
            overlap(idle.begin, idle.end.value_or(run.now()), result.begin, result.end);
        use->second.idle[static_cast<std::size_t>(idle.idle.cause)] += time;
        const auto taskTime = taskTimes.find(idle.idle.worker);
        if (idle.idle.cause == IdleCause::Lock && taskTime != taskTimes.end()) {
            // Who waits in the middle of a task does not work meanwhile.
            use->second.busy -=
                taskTime->second.within(std::max(idle.begin, result.begin),
                                        std::min(idle.end.value_or(run.now()), result.end));
        }
        if (idle.idle.cause == IdleCause::Left) {
            use->second.present -= time;
        } else if (time > Duration::zero()) {
            waits[idle.idle.cause][idle.idle.on] += time;
        }
    }
    for (auto& [worker, use] : uses) result.workers.push_back(use);
    for (const auto& [cause, on] : waits) {
        IdleTotal total;
        total.cause = cause;
        for (const auto& [object, time] : on) {
            total.total += time;
            if (time > total.longest) {
                total.longest = time;
                total.longestOn = object;
            }
        }
        result.idle.push_back(std::move(total));
    }
    std::stable_sort(result.idle.begin(), result.idle.end(),
                     [](const IdleTotal& a, const IdleTotal& b) { return a.total > b.total; });
    return result;
}

}  // namespace gantry::report
