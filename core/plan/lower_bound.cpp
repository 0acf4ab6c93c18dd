// SPDX-License-Identifier: PostgreSQL
#include "core/plan/lower_bound.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace gantry::plan {
namespace {

double longestPath(const TaskGraph& graph, uint32_t workers) {
    std::vector<std::vector<uint32_t>> successors(graph.tasks.size());
    std::vector<std::size_t> unmet(graph.tasks.size());
    std::vector<double> begin(graph.tasks.size());
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < graph.tasks.size(); ++i) {
        unmet[i] = graph.tasks[i].after.size();
        for (const TaskId before : graph.tasks[i].after) successors[before.value].push_back(i);
        if (unmet[i] == 0) ready.push_back(i);
    }
    double longest = 0;
    while (!ready.empty()) {
        const uint32_t id = ready.back();
        ready.pop_back();
        const Task& task = graph.tasks[id];
        const double end = begin[id] + shortestTime(task, task.pinnedTo ? 1 : workers);
        longest = std::max(longest, end);
        for (const uint32_t successor : successors[id]) {
            begin[successor] = std::max(begin[successor], end);
            if (--unmet[successor] == 0) ready.push_back(successor);
        }
    }
    return longest;
}

/// From ShareUpdateExclusive on each mode conflicts with itself and the others, but for Share.
bool excludesItsLike(LockMode mode) {
    return mode >= LockMode::ShareUpdateExclusive && mode != LockMode::Share;
}

double longestAtOneLock(const TaskGraph& graph, uint32_t workers) {
    std::map<uint64_t, double> inTurn;
    for (const Task& task : graph.tasks) {
        std::set<uint64_t> keys;
        for (const TaskLock& lock : task.locks) {
            if (excludesItsLike(lock.mode)) keys.insert(lock.key);
        }
        const double least = shortestTime(task, task.pinnedTo ? 1 : workers);
        for (const uint64_t key : keys) inTurn[key] += least;
    }
    double longest = 0;
    for (const auto& [key, seconds] : inTurn) longest = std::max(longest, seconds);
    return longest;
}

}  // namespace

std::string_view toString(LowerBound::Cause cause) {
    switch (cause) {
        case LowerBound::Cause::Work:
            return "work";
        case LowerBound::Cause::Path:
            return "path";
        case LowerBound::Cause::Worker:
            return "worker";
        case LowerBound::Cause::Lock:
            return "lock";
    }
    return "";
}

LowerBound lowerBound(const TaskGraph& graph, uint32_t workers) {
    workers = std::max(workers, 1U);
    double shared = 0;
    std::map<WorkerId, double> pinned;
    for (const Task& task : graph.tasks) {
        if (task.pinnedTo) pinned[*task.pinnedTo] += costOf(task);
        if (!task.pinnedTo || task.pinnedTo->value != 0) shared += costOf(task);
    }
    LowerBound bound{.seconds = shared / workers, .cause = LowerBound::Cause::Work};
    const auto raise = [&](double seconds, LowerBound::Cause cause) {
        if (seconds > bound.seconds) bound = {.seconds = seconds, .cause = cause};
    };
    raise(longestPath(graph, workers), LowerBound::Cause::Path);
    for (const auto& [worker, seconds] : pinned) raise(seconds, LowerBound::Cause::Worker);
    raise(longestAtOneLock(graph, workers), LowerBound::Cause::Lock);
    return bound;
}

}  // namespace gantry::plan
