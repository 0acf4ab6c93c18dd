// SPDX-License-Identifier: PostgreSQL
// Drives a scheduler with real threads: one jthread a worker, each owning what it works with.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/error.h"
#include "core/events/event.h"
#include "core/plan/scheduler.h"

namespace gantry::run {

/// What a finished assignment amounts to.
struct TaskResult {
    uint64_t bytes = 0;
    uint64_t rows = 0;
    uint64_t compressedBytes = 0;
};

/// Thrown by a TaskRunner: the worker's own session cannot get at the object, the coordinator's
/// (worker 0) can; the assignment is pinned to it. An ordinary failure where no coordinator works.
class NeedsCoordinator : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Does assignments, one at a time, on the thread of one worker.
class TaskRunner {
public:
    virtual ~TaskRunner() = default;
    /// The server process behind it; 0 if there is none.
    virtual int32_t backendPid() const = 0;
    /// Returns when done; throws Error otherwise. `attempt` counts from 0: an assignment that was
    /// cut short by a lost connection comes again, to a new runner perhaps, with attempt + 1.
    virtual TaskResult run(const plan::Assignment& assignment, uint32_t attempt,
                           std::stop_token stop) = 0;
};

/// Runs a scheduler to its end.
///
/// Errors: one catch per assignment. A retryable one replaces the worker's runner and repeats the
/// assignment, at most `retries` times; any other is put to `onFailure`, which says whether the run
/// goes on without the task. Otherwise everything stops and wait() throws the first error.
/// A worker that the server has no connection for is done without, as long as there is another.
class Executor {
public:
    struct Settings {
        uint32_t workers = 1;           ///< at least one
        bool coordinatorWorks = false;  ///< lane 0 takes assignments that are pinned to it
        uint32_t retries = 3;
    };
    enum class OnFailure { Stop, GoOn };

    /// Called on the worker's own thread: connects, sets up the session. `worker` 0 is the
    /// coordinator's lane.
    using MakeRunner = std::function<std::unique_ptr<TaskRunner>(WorkerId worker, std::stop_token)>;

    Executor(plan::Scheduler scheduler, Settings settings, MakeRunner makeRunner,
             events::EventSink& events);
    ~Executor();

    /// Before start(). `decide` is called on the worker's thread, outside of any lock.
    void onFailure(std::function<OnFailure(const plan::Assignment&, const ErrorInfo&)> decide);

    /// Begins at once, in the background.
    void start();
    /// Raises or lowers the number of workers; one at least stays. New ones begin at once; of too
    /// many, those with the highest numbers leave once they are through with what they do.
    /// Thread-safe; without effect on a run that is over. Throws Error{Io} if the system has no
    /// thread left; the run goes on then with those that it has.
    void setWorkers(uint32_t workers);
    /// While paused nothing new begins; what runs goes on to its end. Thread-safe.
    void setPaused(bool paused);
    /// Gives one task up: who works on it is stopped, and Error{Cancelled} is put to `onFailure`.
    /// Without effect on a task that nobody has begun or that is over. Thread-safe.
    void cancel(TaskId task);
    /// Stops who works on tasks of these kinds, and has them done from their beginning, which
    /// counts as another attempt but as no failure. Thread-safe.
    void beginAgain(const std::function<bool(plan::TaskKind)>& which);
    /// Under the scheduler's lock: for adding, withdrawing, asking. Thread-safe; wakes workers.
    /// Work that is added after the last is done comes too late: see Scheduler::expectMore().
    void withScheduler(const std::function<void(plan::Scheduler&)>& action);
    /// Stops every worker: requests stop, so that runners cancel what they do. Thread-safe.
    void stop();
    /// Waits for the end; throws the first error that stopped the run, Error{Cancelled} after
    /// stop(). Joins every thread before it returns or throws.
    void wait();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gantry::run
