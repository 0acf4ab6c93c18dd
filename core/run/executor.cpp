// SPDX-License-Identifier: PostgreSQL
//
// A lane is a thread that plays one worker. All that the lanes share is under one mutex; whoever
// changes it wakes all who wait, and who waits looks at all of it again before it waits on. That
// somebody asked for a stop is part of it, so that no wake-up can come between look and wait.
#include "core/run/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/sync.h"
#include "core/pg/sql_state.h"

namespace gantry::run {
namespace {

events::Span spanOf(const plan::Assignment& assignment) {
    return {assignment.task, assignment.chunk};
}

events::IdleCause causeOf(plan::IdleReason::Cause cause) {
    switch (cause) {
        case plan::IdleReason::Cause::Dependency:
            return events::IdleCause::Dependency;
        case plan::IdleReason::Cause::Lock:
            return events::IdleCause::Lock;
        case plan::IdleReason::Cause::Tail:
            return events::IdleCause::Tail;
    }
    return events::IdleCause::Tail;
}

/// Rounded so that the chunks of a task add up to the whole.
uint64_t bytesOf(const plan::Task& task, const plan::Assignment& assignment) {
    if (!task.division || task.division->units == 0) return task.bytes;
    const auto upTo = [&](uint64_t unit) {
        const double share = static_cast<double>(unit) / static_cast<double>(task.division->units);
        return static_cast<uint64_t>(static_cast<double>(task.bytes) * share);
    };
    return upTo(assignment.end) - upTo(assignment.begin);
}

double shareOf(const plan::Task& task, const plan::Assignment& assignment) {
    if (!task.division || task.division->units == 0) return 1;
    return static_cast<double>(assignment.end - assignment.begin) /
           static_cast<double>(task.division->units);
}

/// Hardly any span is in it.
uint32_t timesIn(const std::map<events::Span, uint32_t>& counts, const events::Span& span) {
    const auto found = counts.find(span);
    return found == counts.end() ? 0 : found->second;
}

bool isLackOfConnections(const ErrorInfo& error) {
    return error.sqlState == pg::sql_state::kTooManyConnections ||
           error.message.find("too many") != std::string::npos ||
           error.message.find("connection slots") != std::string::npos;
}

}  // namespace

struct Executor::State {
    State(plan::Scheduler s, Settings st, MakeRunner make, events::EventSink& sink)
        : settings(st),
          makeRunner(std::move(make)),
          events(sink),
          scheduler(std::move(s)),
          wanted(std::max(st.workers, 1U)) {}

    /// One thread's turn as a worker. Another thread may play the same worker after it has left.
    struct Lane {
        WorkerId worker;
        bool left = false;
    };

    /// An assignment with all that the worker needs outside of the lock.
    struct Job {
        plan::Assignment assignment;
        plan::TaskKind kind = plan::TaskKind::TableData;
        std::string object;
        uint64_t bytes = 0;
        double share = 1;
        uint32_t attempt = 0;
    };

    void startLanes() REQUIRES(mutex);
    void tellWorkers(uint32_t before) REQUIRES(mutex);
    void play(Lane& lane);
    /// Takes the lane out of the run. What is decided under the same lock cannot be overtaken by
    /// somebody who raises the number of workers.
    void leave(Lane& lane) REQUIRES(mutex);
    void leaveEarly(Lane& lane, std::string why) REQUIRES(mutex);

    std::unique_ptr<TaskRunner> open(Lane& lane);
    std::optional<Job> nextJob(Lane& lane);
    void tellIdle(WorkerId worker, std::optional<events::WorkerIdle>& told) REQUIRES(mutex);
    void refuseToHang(WorkerId worker) REQUIRES(mutex);

    /// False if the runner has to be replaced.
    bool runJob(const Job& job, WorkerId worker, TaskRunner& runner);
    TaskResult runStoppable(const Job& job, WorkerId worker, TaskRunner& runner);
    bool handToCoordinator(const Job& job, WorkerId worker, const NeedsCoordinator& reason);
    bool handleFailure(const Job& job, const Error& error);

    /// Of the tasks under way those that are meant, told apart by a set that they are put into.
    void stopJobs(const std::function<bool(TaskId)>& which, std::set<TaskId> State::*marked);

    /// Under the lock: changes what the lanes share, and wakes them.
    template <class Action>
    void change(Action action) {
        {
            const MutexLock lock(mutex);
            action();
            fruitless.clear();
        }
        changed.notify_all();
    }
    void setWorkers(uint32_t workers);
    void setPaused(bool shall);
    void withScheduler(const std::function<void(plan::Scheduler&)>& action);
    void fail(std::exception_ptr error);
    void stop();
    void join();

    const Settings settings;
    const MakeRunner makeRunner;
    events::EventSink& events;
    std::function<OnFailure(const plan::Assignment&, const ErrorInfo&)> decide;
    std::stop_source stopSource;

    Mutex mutex;
    std::condition_variable_any changed;
    plan::Scheduler scheduler GUARDED_BY(mutex);
    std::map<events::Span, uint32_t> attempts GUARDED_BY(mutex);
    std::exception_ptr failure GUARDED_BY(mutex);
    std::map<uint32_t, std::pair<TaskId, std::stop_source>> jobs GUARDED_BY(mutex);  ///< by worker
    std::set<TaskId> cancelled GUARDED_BY(mutex);
    std::set<TaskId> anew GUARDED_BY(mutex);  ///< stopped so that they begin again
    std::map<events::Span, uint32_t> begunAnew GUARDED_BY(mutex);
    bool paused GUARDED_BY(mutex) = false;
    bool stopAsked GUARDED_BY(mutex) = false;
    bool started GUARDED_BY(mutex) = false;
    bool ended GUARDED_BY(mutex) = false;            ///< no lane will be started any more
    uint32_t wanted GUARDED_BY(mutex);               ///< lanes 1…wanted take work
    std::set<uint32_t> live GUARDED_BY(mutex);       ///< workers whose lane has not left
    std::set<uint32_t> fruitless GUARDED_BY(mutex);  ///< those who got nothing as things stand
    std::vector<std::jthread> threads GUARDED_BY(mutex);
};

Executor::Executor(plan::Scheduler scheduler, Settings settings, MakeRunner makeRunner,
                   events::EventSink& events)
    : state_(
          std::make_unique<State>(std::move(scheduler), settings, std::move(makeRunner), events)) {}

Executor::~Executor() {
    state_->stop();
    state_->join();
}

void Executor::onFailure(
    std::function<OnFailure(const plan::Assignment&, const ErrorInfo&)> decide) {
    state_->decide = std::move(decide);
}

void Executor::start() {
    const MutexLock lock(state_->mutex);
    state_->started = true;
    state_->startLanes();
}

void Executor::State::setWorkers(uint32_t workers) {
    change([&]() REQUIRES(mutex) {
        const uint32_t before = std::exchange(wanted, std::max(workers, 1U));
        if (!started || ended) return;
        startLanes();
        if (before != wanted) tellWorkers(before);
    });
}

void Executor::setWorkers(uint32_t workers) { state_->setWorkers(workers); }

void Executor::State::setPaused(bool shall) {
    change([&]() REQUIRES(mutex) { paused = shall; });
}

void Executor::setPaused(bool paused) { state_->setPaused(paused); }

void Executor::State::stopJobs(const std::function<bool(TaskId)>& which,
                               std::set<TaskId> State::*marked) {
    std::vector<std::stop_source> stops;
    change([&]() REQUIRES(mutex) {
        for (const auto& [worker, job] : jobs) {
            if (!which(job.first)) continue;
            stops.push_back(job.second);
            (this->*marked).insert(job.first);
        }
    });
    // Outside of the lock: what is stopped may ask us something.
    for (std::stop_source& stop : stops) stop.request_stop();
}

void Executor::cancel(TaskId task) {
    state_->stopJobs([task](TaskId other) { return other == task; }, &State::cancelled);
}

void Executor::beginAgain(const std::function<bool(plan::TaskKind)>& which) {
    state_->stopJobs([&](TaskId task) REQUIRES(
                         state_->mutex) { return which(state_->scheduler.graph()[task].kind); },
                     &State::anew);
}

void Executor::State::withScheduler(const std::function<void(plan::Scheduler&)>& action) {
    change([&]() REQUIRES(mutex) { action(scheduler); });
}

void Executor::withScheduler(const std::function<void(plan::Scheduler&)>& action) {
    state_->withScheduler(action);
}

void Executor::stop() { state_->stop(); }

void Executor::wait() {
    State& s = *state_;
    s.join();
    const MutexLock lock(s.mutex);
    if (s.failure) std::rethrow_exception(s.failure);
    if (s.stopAsked) throw Error(ErrorKind::Cancelled, "cancelled");
    if (!s.scheduler.isDone()) {
        throw Error(ErrorKind::Internal, "workers ended before the work did");
    }
}

void Executor::State::startLanes() {
    for (uint32_t worker = settings.coordinatorWorks ? 0 : 1; worker <= wanted; ++worker) {
        if (live.contains(worker)) continue;
        try {
            threads.emplace_back([this, worker] {
                Lane lane{.worker = WorkerId{worker}};
                play(lane);
                change([&]() REQUIRES(mutex) { leave(lane); });
            });
        } catch (const std::system_error& error) {
            throw systemError("start a thread", fmt::format("worker {}", worker),
                              error.code().value());
        }
        live.insert(worker);
    }
    scheduler.setWorkers(wanted);
}

void Executor::State::tellWorkers(uint32_t before) {
    events.post(events::Notice{
        .severity = events::Severity::Info,
        .message = fmt::format("The number of workers was changed from {} to {}", before, wanted)});
}

void Executor::State::leave(Lane& lane) {
    if (std::exchange(lane.left, true)) return;
    live.erase(lane.worker.value);
    fruitless.erase(lane.worker.value);
}

void Executor::State::leaveEarly(Lane& lane, std::string why) {
    leave(lane);
    scheduler.setWorkers(std::min(wanted, static_cast<uint32_t>(live.size() - live.count(0))));
    events.post(events::WorkerIdle{
        .worker = lane.worker, .cause = events::IdleCause::Left, .on = std::move(why)});
}

void Executor::State::play(Lane& lane) {
    try {
        if (lane.worker.value != 0) {
            events.post(events::WorkerIdle{
                .worker = lane.worker, .cause = events::IdleCause::Starting, .on = {}});
        }
        std::unique_ptr<TaskRunner> runner = open(lane);
        while (runner) {
            const std::optional<Job> job = nextJob(lane);
            if (!job) return;
            if (!runJob(*job, lane.worker, *runner)) {
                runner.reset();
                runner = open(lane);
            }
        }
    } catch (...) {
        fail(std::current_exception());
    }
}

std::unique_ptr<TaskRunner> Executor::State::open(Lane& lane) {
    for (uint32_t attempt = 0;; ++attempt) {
        try {
            return makeRunner(lane.worker, stopSource.get_token());
        } catch (const Error& error) {
            if (!isLackOfConnections(error.info())) {
                // Its backend may go away while the session is set up, as well as later.
                if (error.retryable() && attempt == 0 && settings.retries > 0) continue;
                throw;
            }
            bool dispensable = false;
            change([&]() REQUIRES(mutex) {
                const std::size_t others = live.size() - live.count(0) - 1;
                // The others may have done all of it meanwhile, and left.
                dispensable = lane.worker.value != 0 && (others > 0 || scheduler.isDone());
                if (dispensable) leaveEarly(lane, "the server has no connection for it");
            });
            if (!dispensable) throw;
            events.post(events::Notice{
                .severity = events::Severity::Warning,
                .message =
                    fmt::format("worker {} has no connection and the run goes on without it: {}",
                                lane.worker.value, error.info().describe())});
            return nullptr;
        }
    }
}

std::optional<Executor::State::Job> Executor::State::nextJob(Lane& lane) {
    const WorkerId worker = lane.worker;
    std::optional<events::WorkerIdle> told;
    MutexLock lock(mutex);
    for (;;) {
        if (stopAsked || failure) return std::nullopt;
        if (worker.value > wanted) {
            leaveEarly(lane, "the number of workers was lowered");
            return std::nullopt;
        }
        if (const auto assignment = paused ? std::nullopt : scheduler.next(worker)) {
            if (cancelled.contains(assignment->task)) {
                scheduler.givenUp(*assignment);
                fruitless.clear();
                changed.notify_all();
                continue;
            }
            const plan::Task& task = scheduler.graph()[assignment->task];
            return Job{
                *assignment,
                task.kind,
                task.object,
                bytesOf(task, *assignment),
                shareOf(task, *assignment),
                timesIn(attempts, spanOf(*assignment)) + timesIn(begunAnew, spanOf(*assignment))};
        }
        if (scheduler.isDone()) {
            tellIdle(worker, told);  // the run may take a while to its end without it
            return std::nullopt;
        }
        if (!paused) refuseToHang(worker);
        tellIdle(worker, told);
        changed.wait(lock.native());
    }
}

void Executor::State::tellIdle(WorkerId worker, std::optional<events::WorkerIdle>& told) {
    if (worker.value == 0) return;  // that the coordinator has nothing to copy is its normal state
    events::WorkerIdle idle{.worker = worker, .cause = events::IdleCause::Paused, .on = {}};
    if (!paused || scheduler.isDone()) {
        const plan::IdleReason reason = scheduler.whyIdle(worker);
        idle.cause = causeOf(reason.cause);
        if (reason.on) idle.on = scheduler.graph()[*reason.on].object;
    }
    if (told && told->cause == idle.cause && told->on == idle.on) return;
    events.post(idle);
    told = std::move(idle);
}

/// Nothing runs, and every lane has seen that there is nothing for it: nobody would wake anybody.
void Executor::State::refuseToHang(WorkerId worker) {
    fruitless.insert(worker.value);
    if (fruitless.size() < live.size()) return;
    if (const auto task = scheduler.stuckOn()) {
        throw Error(ErrorKind::Internal, "no worker is there that may take it",
                    scheduler.graph()[*task].object);
    }
}

bool Executor::State::runJob(const Job& job, WorkerId worker, TaskRunner& runner) {
    const events::Span span = spanOf(job.assignment);
    events.post(events::TaskStarted{.span = span,
                                    .kind = job.kind,
                                    .object = job.object,
                                    .worker = worker,
                                    .backendPid = runner.backendPid(),
                                    .estimatedBytes = job.bytes,
                                    .share = job.share});
    try {
        const TaskResult result = runStoppable(job, worker, runner);
        change([&]() REQUIRES(mutex) {
            scheduler.finished(job.assignment);
            events.post(events::TaskFinished{.span = span,
                                             .bytes = result.bytes,
                                             .rows = result.rows,
                                             .compressedBytes = result.compressedBytes,
                                             .whole = scheduler.isFinished(job.assignment.task)});
        });
        return true;
    } catch (const NeedsCoordinator& reason) {
        return handToCoordinator(job, worker, reason);
    } catch (const Error& error) {
        return handleFailure(job, error);
    } catch (const std::exception& error) {
        return handleFailure(job, Error(ErrorKind::Internal, error.what(), job.object));
    }
}

/// Until it returns, cancel() reaches the job.
TaskResult Executor::State::runStoppable(const Job& job, WorkerId worker, TaskRunner& runner) {
    std::stop_source jobStop;
    const std::stop_callback withRun(stopSource.get_token(), [&] { jobStop.request_stop(); });
    struct Entry {
        State& state;
        const WorkerId worker;
        ~Entry() {
            const MutexLock lock(state.mutex);
            state.jobs.erase(worker.value);
        }
    };
    {
        const MutexLock lock(mutex);
        jobs[worker.value] = {job.assignment.task, jobStop};
        if (cancelled.contains(job.assignment.task)) jobStop.request_stop();
    }
    const Entry entry{*this, worker};
    return runner.run(job.assignment, job.attempt, jobStop.get_token());
}

bool Executor::State::handToCoordinator(const Job& job, WorkerId worker,
                                        const NeedsCoordinator& reason) {
    const Error error(ErrorKind::Server, reason.what(), job.object);
    if (!settings.coordinatorWorks || worker.value == 0) return handleFailure(job, error);
    change([&]() REQUIRES(mutex) {
        scheduler.retry(job.assignment, WorkerId{0});
        events.post(events::TaskFailed{.span = spanOf(job.assignment),
                                       .error = error.info(),
                                       .ignored = true,
                                       .retried = true});
    });
    return true;
}

bool Executor::State::handleFailure(const Job& job, const Error& raised) {
    if (stopSource.stop_requested()) throw Error(raised);  // its cause was told already
    const events::Span span = spanOf(job.assignment);
    const bool usable = raised.info().connectionUsable;
    Error error = raised;
    bool again = false;
    change([&]() REQUIRES(mutex) {
        const bool asked = cancelled.contains(job.assignment.task);
        if (asked) error = Error(ErrorKind::Cancelled, "cancelled on request", job.object);
        const bool askedAnew = anew.erase(job.assignment.task) > 0 && !asked;
        if (askedAnew) error = Error(ErrorKind::Cancelled, "stopped on request", job.object);
        again = askedAnew || (!asked && error.retryable() && attempts[span] < settings.retries);
        if (!again) return;
        ++(askedAnew ? begunAnew : attempts)[span];
        scheduler.retry(job.assignment);
        events.post(events::TaskFailed{
            .span = span, .error = error.info(), .ignored = true, .retried = true});
    });
    if (again) return usable;
    const bool goOn = decide && decide(job.assignment, error.info()) == OnFailure::GoOn;
    events.post(
        events::TaskFailed{.span = span, .error = error.info(), .ignored = goOn, .retried = false});
    if (!goOn) throw Error(error);
    change([&]() REQUIRES(mutex) { scheduler.givenUp(job.assignment); });
    return usable;
}

void Executor::State::fail(std::exception_ptr error) {
    change([&]() REQUIRES(mutex) {
        if (!failure && !stopAsked) failure = std::move(error);
    });
    stopSource.request_stop();
}

void Executor::State::stop() {
    change([&]() REQUIRES(mutex) { stopAsked = true; });
    stopSource.request_stop();
}

void Executor::State::join() {
    std::vector<std::jthread> over;
    {
        MutexLock lock(mutex);
        while (!live.empty()) changed.wait(lock.native());
        ended = true;
        over.swap(threads);
    }
    for (std::jthread& thread : over) thread.join();
}

}  // namespace gantry::run
