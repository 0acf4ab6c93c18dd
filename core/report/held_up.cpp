// SPDX-License-Identifier: PostgreSQL
#include "core/report/held_up.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace gantry::report {
namespace {

using events::IdleCause;
using events::IdleState;
using events::RunState;
using events::SpanState;

/// What a worker is at; a damaged log lets tasks overlap.
struct Lane {
    int tasks = 0;
    int locks = 0;
    int pauses = 0;
};

/// A worker begins or ends something.
struct Change {
    Duration at{};
    WorkerId worker;
    int Lane::*what = nullptr;
    int by = 0;
};

/// Waits for locks of other sessions: of the coordinator, or in the middle of a task. Who gets no
/// task since those of the run exclude each other waits for the run itself.
std::vector<const IdleState*> lockWaits(const RunState& run) {
    std::map<WorkerId, std::vector<const SpanState*>> tasks;
    for (const SpanState& span : run.spans()) tasks[span.worker].push_back(&span);
    const auto hasTask = [&](const IdleState& idle) {
        const std::vector<const SpanState*>& own = tasks[idle.idle.worker];
        const auto later = std::partition_point(own.begin(), own.end(), [&](const SpanState* span) {
            return span->begin <= idle.begin;
        });
        return later != own.begin() && (*std::prev(later))->end.value_or(run.now()) > idle.begin;
    };
    std::vector<const IdleState*> waits;
    for (const IdleState& idle : run.idles()) {
        if (idle.idle.cause != IdleCause::Lock) continue;
        if (idle.idle.worker.value == 0 || hasTask(idle)) waits.push_back(&idle);
    }
    return waits;
}

std::vector<Change> changesOf(const RunState& run, const std::vector<const IdleState*>& waits) {
    std::vector<Change> changes;
    const auto add = [&](Duration begin, std::optional<Duration> end, WorkerId worker,
                         int Lane::*what) {
        changes.push_back({.at = begin, .worker = worker, .what = what, .by = 1});
        changes.push_back(
            {.at = end.value_or(run.now()), .worker = worker, .what = what, .by = -1});
    };
    for (const SpanState& span : run.spans()) add(span.begin, span.end, span.worker, &Lane::tasks);
    for (const IdleState* wait : waits)
        add(wait->begin, wait->end, wait->idle.worker, &Lane::locks);
    for (const IdleState& idle : run.idles()) {
        if (idle.idle.cause == IdleCause::Paused) {
            add(idle.begin, idle.end, idle.idle.worker, &Lane::pauses);
        }
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    return changes;
}

/// How many there are of each kind.
struct Count {
    int working = 0;
    int locked = 0;       ///< workers
    int paused = 0;       ///< workers
    int coordinator = 0;  ///< waits for a lock

    void add(WorkerId worker, const Lane& lane, int by) {
        if (lane.tasks > 0 && lane.locks == 0) working += by;
        if (lane.locks > 0) (worker.value == 0 ? coordinator : locked) += by;
        if (lane.pauses > 0) paused += by;
    }
    bool heldUp() const { return locked + paused > 0 || (working == 0 && coordinator > 0); }
    bool byLock() const { return locked > 0 || (working == 0 && coordinator > 0); }
};

/// The lock with the longest wait in all.
void nameLock(const std::vector<const IdleState*>& waits, Duration now, HeldUp& held) {
    std::map<std::string, Duration> times;
    for (const IdleState* wait : waits) {
        times[wait->idle.on] += wait->end.value_or(now) - wait->begin;
    }
    Duration longest{};
    for (const auto& [lock, time] : times) {
        if (time <= longest) continue;
        longest = time;
        held.lock = lock;
    }
    held.manyLocks = times.size() > 1;
}

}  // namespace

bool HeldUp::covers(Duration at) const {
    const auto next = std::partition_point(stretches.begin(), stretches.end(),
                                           [at](const auto& one) { return one.first < at; });
    return next != stretches.begin() && at <= std::prev(next)->second;
}

Duration HeldUp::within(Duration from, Duration to) const {
    Duration sum{};
    for (const auto& [begin, end] : stretches) {
        sum += std::max(std::min(end, to) - std::max(begin, from), Duration::zero());
    }
    return sum;
}

HeldUp heldUp(const RunState& run) {
    HeldUp held;
    std::map<WorkerId, Lane> lanes;
    Count count;
    Duration since{};
    const std::vector<const IdleState*> waits = lockWaits(run);
    for (const Change& change : changesOf(run, waits)) {
        const Duration time = change.at - since;
        if (time > Duration::zero() && count.heldUp()) {
            if (count.byLock()) held.locks += time;
            if (count.working > 0) {
                held.some += time;
            } else {
                held.all += time;
                if (held.stretches.empty() || held.stretches.back().second < since) {
                    held.stretches.emplace_back(since, since);
                }
                held.stretches.back().second = change.at;
            }
        }
        since = change.at;
        Lane& lane = lanes[change.worker];
        count.add(change.worker, lane, -1);
        lane.*change.what += change.by;
        count.add(change.worker, lane, 1);
    }
    nameLock(waits, run.now(), held);
    return held;
}

}  // namespace gantry::report
