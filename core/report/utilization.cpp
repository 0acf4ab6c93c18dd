// SPDX-License-Identifier: PostgreSQL
#include "core/report/utilization.h"

#include <algorithm>
#include <utility>

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

/// Of the time in which a worker waited for a lock: when it had a task, which is not work then.
Duration waitedAtWork(const RunState& run, const IdleState& idle, Duration from, Duration to) {
    const Duration begin = std::max(idle.begin, from);
    const Duration end = std::min(idle.end.value_or(run.now()), to);
    Duration waited{};
    for (const SpanState& span : run.spans()) {
        if (span.worker != idle.idle.worker) continue;
        waited += overlap(span.begin, span.end.value_or(run.now()), begin, end);
    }
    return waited;
}

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
    result.begin = std::max(from, firstWork(run));
    result.end = std::max(result.begin, std::min(to, run.now()));
    std::map<WorkerId, WorkerUse> uses;
    for (const auto& [worker, state] : run.workers()) {
        if (worker.value == 0) continue;
        uses[worker] = {.worker = worker, .present = result.end - result.begin};
    }
    for (const SpanState& span : run.spans()) {
        const auto use = uses.find(span.worker);
        if (use == uses.end()) continue;
        use->second.busy +=
            overlap(span.begin, span.end.value_or(run.now()), result.begin, result.end);
    }
    std::map<IdleCause, std::map<std::string, Duration>> waits;
    for (const IdleState& idle : run.idles()) {
        const auto use = uses.find(idle.idle.worker);
        if (use == uses.end()) continue;
        const Duration time =
            overlap(idle.begin, idle.end.value_or(run.now()), result.begin, result.end);
        use->second.idle[static_cast<std::size_t>(idle.idle.cause)] += time;
        if (idle.idle.cause == IdleCause::Lock) {
            use->second.busy -= waitedAtWork(run, idle, result.begin, result.end);
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
