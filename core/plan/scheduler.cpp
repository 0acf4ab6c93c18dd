// SPDX-License-Identifier: PostgreSQL
//
// A task that may run stands in the queue of those who may take it. If somebody holds one of its
// locks when its turn comes, it is parked at that lock, away from the queues, so that a thousand
// tasks that share a lock cost nothing while one of them runs. A lock that comes free sends only
// the best of its waiters back to the queues. For that to lose nobody, whoever leaves a queue
// without taking its locks sends the next waiter of each.
#include "core/plan/scheduler.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"

namespace gantry::plan {
namespace {

/// Tasks, longest remaining path first, then in the order of the plan.
using Queue = std::set<std::pair<double, TaskId>>;
using QueueByPin = std::map<std::optional<WorkerId>, Queue>;

struct KeyUse {
    std::array<uint32_t, kLockModes> holders{};  ///< running tasks, by mode
    std::map<LockMode, QueueByPin> waiters;      ///< parked tasks

    bool excludes(LockMode mode) const {
        for (std::size_t other = 0; other < kLockModes; ++other) {
            if (holders[other] > 0 && conflict(mode, LockMode{static_cast<uint8_t>(other)})) {
                return true;
            }
        }
        return false;
    }
};

enum class Status { Waiting, Open, Over };

/// Longer than any path that makes sense, in seconds.
constexpr double kUrgent = 1e9;

/// What the scheduler knows of a task beyond the plan.
struct Progress {
    Status status = Status::Waiting;
    uint32_t rank = 0;   ///< greater than that of every task it waits for
    uint32_t unmet = 0;  ///< tasks that must be over before
    std::vector<TaskId> successors;
    double pathAfter = 0;    ///< longest path behind the task
    double seatedAt = 0;     ///< the priority under which it stands in `seat`
    Queue* seat = nullptr;   ///< a queue, a lock's waiters, or nowhere
    bool parked = false;     ///< `seat` is a lock's
    uint64_t nextUnit = 0;   ///< of a divided task: where the next chunk begins
    uint32_t chunks = 0;     ///< handed out so far
    uint32_t running = 0;    ///< assignments out now
    uint32_t repeats = 0;    ///< assignments to be handed out again
    bool drained = false;    ///< one chunk of a shared task has ended
    bool abandoned = false;  ///< over as soon as nothing of it runs
    bool finished = false;
};

struct Repeat {
    Assignment assignment;
    std::optional<WorkerId> pinnedTo;
};

}  // namespace

struct Scheduler::State {
    TaskGraph graph;
    uint32_t workers = 1;
    Weights weights;
    std::vector<Progress> progress;
    QueueByPin queues;
    std::deque<Repeat> repeats;
    std::unordered_map<uint64_t, KeyUse> keys;
    std::set<TaskId> running;
    uint64_t unfinished = 0;
    uint64_t waiting = 0;   ///< of them: not ready, since another task is not over
    uint64_t parked = 0;    ///< of them: ready, but for a lock
    double unassigned = 0;  ///< seconds of all that has not been handed out
    uint32_t nextRank = 0;
    bool moreExpected = false;

    const Task& task(TaskId id) const { return graph.tasks[id.value]; }
    Progress& at(TaskId id) { return progress[id.value]; }
    const Progress& at(TaskId id) const { return progress[id.value]; }

    /// The longest path from here on. All workers can share what can be divided, which is why it
    /// comes behind what takes one of them as long.
    double priority(TaskId id) const {
        const Task& t = task(id);
        const uint64_t unitsLeft = t.division ? t.division->units - at(id).nextUnit : 0;
        const double own = mayStayWhole(id) ? costOf(t) : shortestTime(t, unitsLeft, workers);
        const double path = (own + at(id).pathAfter) * weightOf(id);
        return t.urgent || at(id).drained ? kUrgent + path : path;
    }

    double weightOf(TaskId id) const { return id.value < weights.size() ? weights[id.value] : 1; }

    bool mayStayWhole(TaskId id) const {
        const std::optional<Division>& division = task(id).division;
        return division && division->preferWhole && at(id).chunks == 0;
    }

    bool staysWhole(TaskId id) const {
        if (!mayStayWhole(id)) return false;
        const double cost = costOf(task(id));
        return leavesEnough(unassigned - cost, cost, workers);
    }

    /// Seconds of the task that have not been handed out.
    double unassignedOf(TaskId id) const {
        const Task& t = task(id);
        const Progress& p = at(id);
        if (p.status == Status::Over || p.abandoned) return 0;
        if (!t.division || t.division->units == 0) return p.chunks == 0 ? costOf(t) : 0;
        return costOf(t) * static_cast<double>(t.division->units - p.nextUnit) /
               static_cast<double>(t.division->units);
    }

    bool allHandedOut(TaskId id) const {
        const Task& t = task(id);
        return t.division ? at(id).chunks > 0 && at(id).nextUnit == t.division->units
                          : at(id).chunks > 0;
    }

    // Seats

    void sit(TaskId id, Queue& queue, bool isParked) {
        Progress& p = at(id);
        p.seatedAt = priority(id);
        p.seat = &queue;
        p.parked = isParked;
        parked += isParked ? 1 : 0;
        queue.emplace(-p.seatedAt, id);
    }

    void rise(TaskId id) {
        Progress& p = at(id);
        if (p.seat == nullptr) return;
        p.seat->erase({-p.seatedAt, id});
        p.seat = nullptr;
        parked -= p.parked ? 1 : 0;
        p.parked = false;
    }

    void enqueue(TaskId id) {
        rise(id);
        at(id).status = Status::Open;
        sit(id, queues[task(id).pinnedTo], false);
    }

    // Locks

    /// The lock that keeps the task from running now, if any.
    std::optional<TaskLock> obstacle(TaskId id) const {
        if (at(id).running > 0) return std::nullopt;  // it holds its locks
        for (const TaskLock& lock : task(id).locks) {
            const auto use = keys.find(lock.key);
            if (use != keys.end() && use->second.excludes(lock.mode)) return lock;
        }
        return std::nullopt;
    }

    /// Back to the queues with the best of those who wait for the lock and could have it.
    void wake(uint64_t key) {
        KeyUse& use = keys[key];
        for (auto& [mode, byPin] : use.waiters) {
            if (use.excludes(mode)) continue;
            for (auto& [pin, waiters] : byPin) {
                if (!waiters.empty()) enqueue(waiters.begin()->second);
            }
        }
    }

    void park(TaskId id, const TaskLock& lock) {
        rise(id);
        sit(id, keys[lock.key].waiters[lock.mode][task(id).pinnedTo], true);
        for (const TaskLock& other : task(id).locks) {
            if (other.key != lock.key) wake(other.key);
        }
    }

    void take(TaskId id) {
        if (at(id).running++ > 0) return;
        running.insert(id);
        for (const TaskLock& lock : task(id).locks) {
            ++keys[lock.key].holders[static_cast<std::size_t>(lock.mode)];
        }
        for (const TaskLock& lock : task(id).locks) {
            if (!conflict(lock.mode, lock.mode)) wake(lock.key);
        }
    }

    void putBack(TaskId id) {
        if (--at(id).running > 0) return;
        running.erase(id);
        for (const TaskLock& lock : task(id).locks) {
            --keys[lock.key].holders[static_cast<std::size_t>(lock.mode)];
        }
        for (const TaskLock& lock : task(id).locks) wake(lock.key);
    }

    // Beginnings and ends

    void end(TaskId id, bool finished) {
        Progress& p = at(id);
        unassigned -= unassignedOf(id);
        p.status = Status::Over;
        p.finished = finished;
        --unfinished;
        for (const TaskId successor : p.successors) {
            if (at(successor).status == Status::Over) continue;  // withdrawn
            if (--at(successor).unmet > 0) continue;
            --waiting;
            enqueue(successor);
        }
    }

    void endIfComplete(TaskId id) {
        const Progress& p = at(id);
        if (p.status == Status::Over || p.running > 0) return;
        if (p.abandoned) {
            end(id, false);
        } else if (allHandedOut(id) && p.repeats == 0) {
            end(id, true);
        }
    }

    void connect(TaskId id) {
        for (const TaskId before : task(id).after) {
            if (before.value >= progress.size() || before == id) {
                throw Error(ErrorKind::Internal, "the task waits for one that does not exist",
                            task(id).object);
            }
            if (at(before).status == Status::Over) continue;
            at(before).successors.push_back(id);
            ++at(id).unmet;
        }
    }

    void open(TaskId id) {
        ++unfinished;
        unassigned += unassignedOf(id);
        if (at(id).unmet == 0) {
            enqueue(id);
        } else {
            ++waiting;
        }
    }

    /// Every task behind all that it waits for.
    std::vector<TaskId> inOrder() const {
        std::vector<uint32_t> unmet;
        std::vector<TaskId> order;
        for (uint32_t i = 0; i < progress.size(); ++i) {
            unmet.push_back(progress[i].unmet);
            if (progress[i].unmet == 0) order.push_back(TaskId{i});
        }
        for (std::size_t done = 0; done < order.size(); ++done) {
            for (const TaskId successor : at(order[done]).successors) {
                if (--unmet[successor.value] == 0) order.push_back(successor);
            }
        }
        if (order.size() < progress.size()) {
            const auto stuck =
                std::find_if(unmet.begin(), unmet.end(), [](uint32_t count) { return count > 0; });
            throw Error(ErrorKind::Internal, "tasks wait for each other in a circle",
                        graph.tasks[static_cast<std::size_t>(stuck - unmet.begin())].object);
        }
        return order;
    }

    void adopt(TaskGraph plan) {
        graph = std::move(plan);
        const auto count = static_cast<uint32_t>(graph.tasks.size());
        progress.resize(count);
        for (uint32_t i = 0; i < count; ++i) connect(TaskId{i});
        for (const TaskId id : inOrder()) at(id).rank = nextRank++;
        measurePaths();
        for (uint32_t i = 0; i < count; ++i) open(TaskId{i});
    }

    /// All paths from scratch, and the seats by them.
    void measurePaths() {
        std::vector<TaskId> order(progress.size());
        for (uint32_t i = 0; i < order.size(); ++i) order[progress[i].rank] = TaskId{i};
        for (auto id = order.rbegin(); id != order.rend(); ++id) {
            at(*id).pathAfter = 0;
            for (const TaskId successor : at(*id).successors) {
                if (at(successor).status == Status::Over) continue;
                const double path =
                    shortestTime(task(successor), workers) + at(successor).pathAfter;
                at(*id).pathAfter = std::max(at(*id).pathAfter, path);
            }
            reseat(*id);
        }
    }

    void reseat(TaskId id) {
        Queue* seat = at(id).seat;
        if (seat == nullptr) return;
        const bool isParked = at(id).parked;
        rise(id);
        sit(id, *seat, isParked);
    }

    /// Lengthens the paths of all that leads to the task, each once: behind it come the others.
    void lengthenPaths(TaskId from) {
        std::set<std::pair<uint32_t, TaskId>> todo{{at(from).rank, from}};
        while (!todo.empty()) {
            const TaskId id = todo.extract(std::prev(todo.end())).value().second;
            const double path = shortestTime(task(id), workers) + at(id).pathAfter;
            for (const TaskId before : task(id).after) {
                Progress& p = at(before);
                if (p.status == Status::Over || path <= p.pathAfter) continue;
                p.pathAfter = path;
                reseat(before);
                todo.emplace(p.rank, before);
            }
        }
    }

    Assignment cut(TaskId id) {
        const Task& t = task(id);
        Progress& p = at(id);
        Assignment assignment{
            .task = id, .chunk = std::nullopt, .begin = 0, .end = 0, .last = true};
        const double before = unassignedOf(id);
        if (staysWhole(id)) {
            assignment.end = p.nextUnit = t.division->units;
        } else if (t.division) {
            const uint64_t least = std::max<uint64_t>(t.division->minUnits, 1);
            const uint64_t most = std::max(t.division->maxUnits, least);
            const uint64_t left = t.division->units - p.nextUnit;
            uint64_t size = std::clamp<uint64_t>(left / (uint64_t{2} * workers), least, most);
            const bool nothingWorthwhileBehind = size >= left || left - size < least;
            if (nothingWorthwhileBehind && left <= most) size = left;
            assignment.chunk = p.chunks;
            assignment.begin = p.nextUnit;
            assignment.end = p.nextUnit + size;
            assignment.last = assignment.end == t.division->units;
            p.nextUnit = assignment.end;
        }
        ++p.chunks;
        unassigned += unassignedOf(id) - before;
        return assignment;
    }

    std::optional<Assignment> nextFrom(Queue& queue) {
        while (!queue.empty()) {
            const TaskId id = queue.begin()->second;
            if (const auto lock = obstacle(id)) {
                park(id, *lock);
                continue;
            }
            const Assignment assignment = cut(id);
            rise(id);
            take(id);
            if (!assignment.last) enqueue(id);
            return assignment;
        }
        return std::nullopt;
    }

    std::optional<Assignment> nextRepeat(WorkerId worker) {
        const auto mine = std::find_if(repeats.begin(), repeats.end(), [&](const Repeat& r) {
            const bool may = r.pinnedTo ? *r.pinnedTo == worker : worker.value != 0;
            return may && !obstacle(r.assignment.task);
        });
        if (mine == repeats.end()) return std::nullopt;
        Assignment assignment = mine->assignment;
        repeats.erase(mine);
        const Task& t = task(assignment.task);
        assignment.last = !t.division || assignment.end == t.division->units;
        --at(assignment.task).repeats;
        take(assignment.task);
        return assignment;
    }

    bool isWaitedForAtALock(TaskId id) const {
        for (const TaskLock& lock : task(id).locks) {
            for (const auto& [mode, byPin] : keys.at(lock.key).waiters) {
                for (const auto& [pin, waiters] : byPin) {
                    if (!waiters.empty()) return true;
                }
            }
        }
        return false;
    }

    bool isWaitedFor(TaskId id) const {
        const std::vector<TaskId>& successors = at(id).successors;
        return std::any_of(successors.begin(), successors.end(),
                           [&](TaskId next) { return at(next).status == Status::Waiting; });
    }

    /// Of the running tasks that fit the one with the longest path from its beginning.
    template <class Predicate>
    std::optional<TaskId> longestRunning(Predicate fits) const {
        std::optional<TaskId> longest;
        double path = -1;
        for (const TaskId id : running) {
            const double length = costOf(task(id)) + at(id).pathAfter;
            if (length <= path || !fits(id)) continue;
            path = length;
            longest = id;
        }
        return longest;
    }
};

Scheduler::Scheduler(TaskGraph graph, uint32_t workers, Weights weights)
    : state_(std::make_unique<State>()) {
    state_->workers = std::max(workers, 1U);
    state_->weights = std::move(weights);
    state_->adopt(std::move(graph));
}

Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

const TaskGraph& Scheduler::graph() const { return state_->graph; }

std::optional<Assignment> Scheduler::next(WorkerId worker) {
    State& s = *state_;
    if (auto repeat = s.nextRepeat(worker)) return repeat;
    if (const auto pinned = s.queues.find(worker); pinned != s.queues.end()) {
        if (auto assignment = s.nextFrom(pinned->second)) return assignment;
    }
    if (worker.value == 0) return std::nullopt;  // the coordinator does what only it can do
    return s.nextFrom(s.queues[std::nullopt]);
}

void Scheduler::finished(const Assignment& assignment) {
    const Task& task = state_->task(assignment.task);
    if (task.division && task.division->shared) {
        state_->at(assignment.task).drained = true;
        state_->reseat(assignment.task);
    }
    state_->putBack(assignment.task);
    state_->endIfComplete(assignment.task);
}

void Scheduler::retry(const Assignment& assignment, std::optional<WorkerId> pinTo) {
    State& s = *state_;
    Progress& p = s.at(assignment.task);
    if (!p.abandoned) {
        ++p.repeats;
        s.repeats.push_front({assignment, pinTo ? pinTo : s.task(assignment.task).pinnedTo});
    }
    s.putBack(assignment.task);
    s.endIfComplete(assignment.task);
}

void Scheduler::givenUp(const Assignment& assignment) {
    State& s = *state_;
    const TaskId id = assignment.task;
    Progress& p = s.at(id);
    s.unassigned -= s.unassignedOf(id);
    p.abandoned = true;
    p.repeats = 0;
    s.rise(id);
    std::erase_if(s.repeats, [&](const Repeat& r) { return r.assignment.task == id; });
    s.putBack(id);
    s.endIfComplete(id);
}

TaskId Scheduler::add(Task task) {
    State& s = *state_;
    const TaskId id = s.graph.add(std::move(task));
    s.progress.emplace_back().rank = s.nextRank++;
    s.connect(id);
    s.open(id);
    s.lengthenPaths(id);
    return id;
}

bool Scheduler::withdraw(TaskId task) {
    State& s = *state_;
    const Progress& p = s.at(task);
    if (p.status == Status::Over || p.chunks > 0) return false;
    if (p.status == Status::Waiting) --s.waiting;
    s.rise(task);
    for (const TaskLock& lock : s.task(task).locks) s.wake(lock.key);
    s.end(task, false);
    return true;
}

void Scheduler::expectMore(bool more) { state_->moreExpected = more; }

bool Scheduler::extend(TaskId task, uint64_t units) {
    State& s = *state_;
    Task& t = s.graph.tasks[task.value];
    const Progress& p = s.at(task);
    if (p.status == Status::Over || p.abandoned || !t.division) return false;
    if (units <= t.division->units) return true;
    s.unassigned -= s.unassignedOf(task);
    const double growth =
        static_cast<double>(units) / static_cast<double>(std::max<uint64_t>(t.division->units, 1));
    t.cost = costOf(t) * growth;
    t.bytes = static_cast<uint64_t>(static_cast<double>(t.bytes) * growth);
    t.division->units = units;
    s.unassigned += s.unassignedOf(task);
    if (p.seat != nullptr) {
        s.reseat(task);
    } else if (p.status == Status::Open) {
        s.enqueue(task);  // it had been handed out to its end
    }
    s.lengthenPaths(task);
    return true;
}

void Scheduler::setWorkers(uint32_t workers) {
    const uint32_t before = std::exchange(state_->workers, std::max(workers, 1U));
    if (before != state_->workers) state_->measurePaths();
}

bool Scheduler::isFinished(TaskId task) const { return state_->at(task).finished; }

bool Scheduler::isDone() const { return state_->unfinished == 0 && !state_->moreExpected; }

IdleReason Scheduler::whyIdle(WorkerId worker) const {
    const State& s = *state_;
    const bool repeatBlocked =
        std::any_of(s.repeats.begin(), s.repeats.end(), [&](const Repeat& r) {
            return (!r.pinnedTo || *r.pinnedTo == worker) && s.obstacle(r.assignment.task);
        });
    IdleReason reason;
    if (s.parked > 0 || repeatBlocked) {
        reason.cause = IdleReason::Cause::Lock;
        reason.on = s.longestRunning([&](TaskId id) { return s.isWaitedForAtALock(id); });
    } else if (s.waiting > 0 || s.moreExpected) {
        reason.cause = IdleReason::Cause::Dependency;
        reason.on = s.longestRunning([&](TaskId id) { return s.isWaitedFor(id); });
        // Whoever finds more work was there first.
        if (!reason.on && !s.running.empty()) reason.on = *s.running.begin();
    } else {
        reason.on = s.longestRunning([](TaskId) { return true; });
    }
    return reason;
}

std::optional<TaskId> Scheduler::stuckOn() const {
    const State& s = *state_;
    if (!s.running.empty() || s.moreExpected) return std::nullopt;
    const auto left = std::find_if(s.progress.begin(), s.progress.end(),
                                   [](const Progress& p) { return p.status == Status::Open; });
    if (left == s.progress.end()) return std::nullopt;
    return TaskId{static_cast<uint32_t>(left - s.progress.begin())};
}

}  // namespace gantry::plan
