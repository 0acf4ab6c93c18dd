// SPDX-License-Identifier: PostgreSQL
#include "core/plan/scheduler.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace gantry::plan {
namespace {

enum class Status { Waiting, Ready, Parked, Begun, Over };

/// What the scheduler knows of a task beyond the plan.
struct Progress {
    Status status = Status::Waiting;
    uint32_t unmet = 0;  ///< tasks that must be over before
    std::vector<TaskId> successors;
    double pathAfter = 0;  ///< longest path behind the task
    double queuedAt = 0;   ///< the priority under which it stands in its queue
    uint64_t nextUnit = 0;
    uint32_t chunks = 0;   ///< handed out so far
    uint32_t running = 0;  ///< assignments out now
    bool finished = false;
};

struct KeyUse {
    uint32_t exclusive = 0;
    uint32_t shared = 0;
    std::vector<TaskId> parked;  ///< tasks that wait for this key
};

/// Ready tasks, longest remaining path first, then in the order of the plan.
using Queue = std::set<std::pair<double, uint32_t>>;

struct Repeat {
    Assignment assignment;
    std::optional<WorkerId> pinnedTo;
};

}  // namespace

struct Scheduler::State {
    TaskGraph graph;
    uint32_t workers = 1;
    std::vector<Progress> progress;
    std::map<std::optional<WorkerId>, Queue> queues;  ///< by whom a task is pinned to
    std::deque<Repeat> repeats;
    std::unordered_map<uint64_t, KeyUse> keys;
    std::set<TaskId> running;
    uint64_t unfinished = 0;
    uint64_t waiting = 0;  ///< of them: not ready, since another task is not over
    uint64_t parked = 0;
    bool moreExpected = false;

    const Task& task(TaskId id) const { return graph.tasks[id.value]; }
    Progress& at(TaskId id) { return progress[id.value]; }

    double remainingCost(TaskId id) {
        const Task& t = task(id);
        if (!t.division) return t.cost;
        const auto left = static_cast<double>(t.division->units - at(id).nextUnit);
        return t.cost * left / static_cast<double>(t.division->units);
    }

    void enqueue(TaskId id) {
        Progress& p = at(id);
        p.status = p.chunks > 0 ? Status::Begun : Status::Ready;
        p.queuedAt = remainingCost(id) + p.pathAfter;
        queues[task(id).pinnedTo].emplace(-p.queuedAt, id.value);
    }

    void dequeue(TaskId id) { queues[task(id).pinnedTo].erase({-at(id).queuedAt, id.value}); }

    /// The key that keeps the task from running now, if any.
    std::optional<uint64_t> conflict(TaskId id) const {
        for (const uint64_t key : task(id).exclusiveLocks) {
            const auto use = keys.find(key);
            if (use != keys.end() && use->second.exclusive + use->second.shared > 0) return key;
        }
        for (const uint64_t key : task(id).sharedLocks) {
            const auto use = keys.find(key);
            if (use != keys.end() && use->second.exclusive > 0) return key;
        }
        return std::nullopt;
    }

    void take(TaskId id) {
        if (at(id).running++ > 0) return;
        running.insert(id);
        for (const uint64_t key : task(id).exclusiveLocks) ++keys[key].exclusive;
        for (const uint64_t key : task(id).sharedLocks) ++keys[key].shared;
    }

    void putBack(TaskId id) {
        if (--at(id).running > 0) return;
        running.erase(id);
        const auto release = [&](uint64_t key, uint32_t KeyUse::*count) {
            KeyUse& use = keys[key];
            --(use.*count);
            for (const TaskId waiter : std::exchange(use.parked, {})) {
                --parked;
                enqueue(waiter);
            }
        };
        for (const uint64_t key : task(id).exclusiveLocks) release(key, &KeyUse::exclusive);
        for (const uint64_t key : task(id).sharedLocks) release(key, &KeyUse::shared);
    }

    /// Ends a task, finished or not; what waited for it alone becomes ready.
    void end(TaskId id, bool finished) {
        Progress& p = at(id);
        p.status = Status::Over;
        p.finished = finished;
        --unfinished;
        for (const TaskId successor : p.successors) {
            if (--at(successor).unmet > 0) continue;
            --waiting;
            enqueue(successor);
        }
    }

    void lengthenPath(TaskId id, double path) {
        std::vector<std::pair<TaskId, double>> todo{{id, path}};
        while (!todo.empty()) {
            const auto [current, length] = todo.back();
            todo.pop_back();
            Progress& p = at(current);
            if (length <= p.pathAfter) continue;
            const bool queued =
                queues[task(current).pinnedTo].contains({-p.queuedAt, current.value});
            if (queued) dequeue(current);
            p.pathAfter = length;
            if (queued) enqueue(current);
            for (const TaskId before : task(current).after) {
                todo.emplace_back(before, length + task(current).cost);
            }
        }
    }

    void admit(TaskId id) {
        Progress p;
        progress.push_back(std::move(p));
        ++unfinished;
        for (const TaskId before : task(id).after) {
            if (at(before).status == Status::Over) continue;
            at(before).successors.push_back(id);
            ++at(id).unmet;
        }
        if (at(id).unmet == 0) {
            enqueue(id);
        } else {
            ++waiting;
        }
        for (const TaskId before : task(id).after) lengthenPath(before, task(id).cost);
    }

    Assignment cut(TaskId id) {
        const Task& t = task(id);
        Progress& p = at(id);
        Assignment assignment{
            .task = id, .chunk = std::nullopt, .begin = 0, .end = 0, .last = true};
        if (t.division) {
            const Division& division = *t.division;
            const uint64_t left = division.units - p.nextUnit;
            uint64_t size = std::clamp<uint64_t>(left / (uint64_t{2} * workers), division.minUnits,
                                                 std::max(division.maxUnits, division.minUnits));
            if (size >= left || left - size < division.minUnits) size = left;
            assignment.chunk = p.chunks;
            assignment.begin = p.nextUnit;
            assignment.end = p.nextUnit + size;
            assignment.last = assignment.end == division.units;
            p.nextUnit = assignment.end;
        }
        ++p.chunks;
        p.status = Status::Begun;
        return assignment;
    }

    std::optional<Assignment> nextFrom(Queue& queue) {
        while (!queue.empty()) {
            const TaskId id{queue.begin()->second};
            if (const auto key = conflict(id); key && at(id).running == 0) {
                dequeue(id);
                at(id).status = Status::Parked;
                keys[*key].parked.push_back(id);
                ++parked;
                continue;
            }
            dequeue(id);
            const Assignment assignment = cut(id);
            take(id);
            if (!assignment.last) enqueue(id);
            return assignment;
        }
        return std::nullopt;
    }
};

Scheduler::Scheduler(TaskGraph graph, uint32_t workers) : state_(std::make_unique<State>()) {
    state_->workers = std::max(workers, 1U);
    for (Task& task : graph.tasks) add(std::move(task));
}

Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

const TaskGraph& Scheduler::graph() const { return state_->graph; }

std::optional<Assignment> Scheduler::next(WorkerId worker) {
    State& s = *state_;
    for (auto repeat = s.repeats.begin(); repeat != s.repeats.end(); ++repeat) {
        const bool mine = repeat->pinnedTo ? *repeat->pinnedTo == worker : worker.value != 0;
        if (!mine) continue;
        const Assignment assignment = repeat->assignment;
        s.repeats.erase(repeat);
        s.take(assignment.task);
        return assignment;
    }
    if (const auto pinned = s.queues.find(worker); pinned != s.queues.end()) {
        if (auto assignment = s.nextFrom(pinned->second)) return assignment;
    }
    if (worker.value == 0) return std::nullopt;  // the coordinator does what only it can do
    return s.nextFrom(s.queues[std::nullopt]);
}

void Scheduler::finished(const Assignment& assignment) {
    State& s = *state_;
    s.putBack(assignment.task);
    const Progress& p = s.at(assignment.task);
    const Task& task = s.task(assignment.task);
    const bool handedOut = !task.division || p.nextUnit == task.division->units;
    const bool repeated = std::any_of(s.repeats.begin(), s.repeats.end(), [&](const Repeat& r) {
        return r.assignment.task == assignment.task;
    });
    if (handedOut && p.running == 0 && !repeated && p.status != Status::Over) {
        s.end(assignment.task, true);
    }
}

void Scheduler::retry(const Assignment& assignment, std::optional<WorkerId> pinTo) {
    state_->putBack(assignment.task);
    state_->repeats.push_front({assignment, pinTo});
}

void Scheduler::givenUp(const Assignment& assignment) {
    State& s = *state_;
    s.putBack(assignment.task);
    Progress& p = s.at(assignment.task);
    if (p.status == Status::Over) return;
    s.dequeue(assignment.task);
    std::erase_if(s.repeats, [&](const Repeat& r) { return r.assignment.task == assignment.task; });
    s.end(assignment.task, false);
}

TaskId Scheduler::add(Task task) {
    const TaskId id = state_->graph.add(std::move(task));
    state_->admit(id);
    return id;
}

bool Scheduler::withdraw(TaskId task) {
    State& s = *state_;
    Progress& p = s.at(task);
    if (p.status == Status::Over || p.chunks > 0) return false;
    if (p.status == Status::Waiting) {
        --s.waiting;
        for (const TaskId before : s.task(task).after) std::erase(s.at(before).successors, task);
    }
    if (p.status == Status::Parked) {
        for (auto& [key, use] : s.keys) s.parked -= std::erase(use.parked, task);
    }
    s.dequeue(task);
    s.end(task, false);
    return true;
}

void Scheduler::expectMore(bool more) { state_->moreExpected = more; }

void Scheduler::setWorkers(uint32_t workers) { state_->workers = std::max(workers, 1U); }

bool Scheduler::isFinished(TaskId task) const { return state_->at(task).finished; }

bool Scheduler::isDone() const {
    return state_->unfinished == 0 && state_->running.empty() && !state_->moreExpected;
}

IdleReason Scheduler::whyIdle(WorkerId) const {
    const State& s = *state_;
    IdleReason reason;
    if (!s.running.empty()) reason.on = *s.running.begin();
    if (s.parked > 0) {
        reason.cause = IdleReason::Cause::Lock;
    } else if (s.waiting > 0 || s.moreExpected) {
        reason.cause = IdleReason::Cause::Dependency;
    }
    return reason;
}

std::string_view toString(TaskKind kind) {
    switch (kind) {
        case TaskKind::Schema:
            return "schema";
        case TaskKind::TableData:
            return "table data";
        case TaskKind::LargeObjects:
            return "large objects";
        case TaskKind::Index:
            return "index";
        case TaskKind::Constraint:
            return "constraint";
        case TaskKind::ForeignKey:
            return "foreign key";
        case TaskKind::MaterializedView:
            return "materialized view";
        case TaskKind::PostData:
            return "post-data";
        case TaskKind::Acl:
            return "acl";
        case TaskKind::Statistics:
            return "statistics";
        case TaskKind::Vacuum:
            return "vacuum";
        case TaskKind::Analyze:
            return "analyze";
        case TaskKind::Finish:
            return "finish";
    }
    return "";
}

}  // namespace gantry::plan
