// SPDX-License-Identifier: PostgreSQL
// Who does what next: list scheduling by longest remaining path, with divisible tasks.
//
// A plain state machine without threads or time: the executor drives it with real workers, the
// simulator with virtual ones, and both see the same decisions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/plan/task_graph.h"

namespace gantry::plan {

/// A task, or one chunk of it: units [begin, end). `last` marks the chunk that reaches the end of
/// the task's units; it is to be read open-ended, since the relation may have grown.
struct Assignment {
    TaskId task;
    std::optional<uint32_t> chunk;  ///< ordinal from 0; empty for an undivided task
    uint64_t begin = 0;
    uint64_t end = 0;
    bool last = true;
};

/// Why a worker gets nothing now.
struct IdleReason {
    enum class Cause { Dependency, Lock, Tail } cause = Cause::Tail;
    std::optional<TaskId> on;  ///< a running task that is waited for
};

/// Longest path first is a rule of thumb: what cannot be divided does not even out at the end. By
/// TaskId what each task's path is multiplied with before paths are compared; those that are not
/// there count as 1. bestWeights() finds them for a plan.
using Weights = std::vector<double>;

class Scheduler {
public:
    /// `workers` share out divisible tasks: chunks are remaining / (2 * workers), within the
    /// division's bounds, so that they are large first and small at the tail. One that had
    /// better stay whole is handed out undivided where nobody will idle for it.
    Scheduler(TaskGraph graph, uint32_t workers, Weights weights = {});
    ~Scheduler();
    Scheduler(Scheduler&&) noexcept;
    Scheduler& operator=(Scheduler&&) noexcept;

    const TaskGraph& graph() const;

    /// The best work for this worker now, or nothing: then whyIdle() or isDone() say why.
    /// Among what is ready the longest remaining path goes first, where a divisible task counts as
    /// long as what remains of it takes all workers together; it is handed out in ascending order.
    /// What is urgent goes before.
    std::optional<Assignment> next(WorkerId worker);

    void finished(const Assignment& assignment);
    /// The same assignment goes to the front again, for `pinTo` alone if given.
    void retry(const Assignment& assignment, std::optional<WorkerId> pinTo = std::nullopt);
    /// The task will not be finished; what waits for it may go on.
    void givenUp(const Assignment& assignment);

    /// Work that came to light; `after` may name any task that exists.
    TaskId add(Task task);
    /// Of a divisible task more came to light: `units` in all, cost and bytes in proportion. If its
    /// last chunk runs, that chunk is no longer the last and ends where it was told to: it is for
    /// its runner to call this. Returns false if the task is over, given up or not divisible.
    bool extend(TaskId task, uint64_t units);
    /// Withdraws a task that nobody has begun; returns false if somebody has.
    bool withdraw(TaskId task);
    /// Holds isDone() back while more work may still be added.
    void expectMore(bool more);
    void setWorkers(uint32_t workers);

    /// True if every chunk of the task is finished.
    bool isFinished(TaskId task) const;
    /// Nothing is left, running or expected.
    bool isDone() const;
    IdleReason whyIdle(WorkerId worker) const;
    /// A task that is left while nothing runs and no more work is expected. Once next() has given
    /// nothing to any worker, it never will: they are pinned to workers that are not there.
    std::optional<TaskId> stuckOn() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gantry::plan
