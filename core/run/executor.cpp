// SPDX-License-Identifier: PostgreSQL
#include "core/run/executor.h"

#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <thread>
#include <vector>

#include "core/base/sync.h"

namespace gantry::run {
namespace {

constexpr std::string_view kTooManyConnections = "53300";

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

uint64_t bytesOf(const plan::Task& task, const plan::Assignment& assignment) {
    if (!task.division || task.division->units == 0) return task.bytes;
    const double share = static_cast<double>(assignment.end - assignment.begin) /
                         static_cast<double>(task.division->units);
    return static_cast<uint64_t>(static_cast<double>(task.bytes) * share);
}

}  // namespace

struct Executor::State {
    State(plan::Scheduler s, Settings st, MakeRunner make, events::EventSink& sink)
        : settings(st), makeRunner(std::move(make)), events(sink), scheduler(std::move(s)) {}

    /// An assignment with all that the worker needs outside of the lock.
    struct Job {
        plan::Assignment assignment;
        plan::TaskKind kind = plan::TaskKind::TableData;
        std::string object;
        uint64_t bytes = 0;
        uint32_t attempt = 0;
    };

    void work(WorkerId worker, const std::stop_token& stop);
    std::unique_ptr<TaskRunner> open(WorkerId worker, const std::stop_token& stop);
    std::optional<Job> nextJob(WorkerId worker, const std::stop_token& stop);
    /// False if the runner has to be replaced.
    bool runJob(const Job& job, WorkerId worker, TaskRunner& runner, const std::stop_token& stop);
    void handleFailure(const Job& job, const ErrorInfo& error, bool retryable);
    void fail(std::exception_ptr error);
    bool mayGoOnWithout(WorkerId worker, const Error& error);
    /// Begins a lane per worker that has none.
    void startLanes() REQUIRES(mutex);

    const Settings settings;
    const MakeRunner makeRunner;
    events::EventSink& events;
    std::function<OnFailure(const plan::Assignment&, const ErrorInfo&)> decide;

    Mutex mutex;
    std::condition_variable_any changed;
    plan::Scheduler scheduler GUARDED_BY(mutex);
    std::map<events::Span, uint32_t> attempts GUARDED_BY(mutex);
    std::exception_ptr failure GUARDED_BY(mutex);
    uint32_t wanted GUARDED_BY(mutex) = 0;     ///< lanes 1…wanted take work
    uint32_t openLanes GUARDED_BY(mutex) = 0;  ///< of them: threads that have not left
    bool stopAsked GUARDED_BY(mutex) = false;
    bool started GUARDED_BY(mutex) = false;
    std::stop_source stopSource;
    std::map<uint32_t, std::jthread> lanes;  ///< touched by start(), setWorkers() and wait()
};

Executor::Executor(plan::Scheduler scheduler, Settings settings, MakeRunner makeRunner,
                   events::EventSink& events)
    : state_(
          std::make_unique<State>(std::move(scheduler), settings, std::move(makeRunner), events)) {}

Executor::~Executor() {
    stop();
    for (auto& [worker, thread] : state_->lanes) {
        if (thread.joinable()) thread.join();
    }
}

void Executor::onFailure(
    std::function<OnFailure(const plan::Assignment&, const ErrorInfo&)> decide) {
    state_->decide = std::move(decide);
}

void Executor::start() {
    State& s = *state_;
    const MutexLock lock(s.mutex);
    s.started = true;
    s.wanted = s.settings.workers;
    s.startLanes();
}

void Executor::State::startLanes() {
    const uint32_t first = settings.coordinatorWorks ? 0 : 1;
    for (uint32_t worker = first; worker <= wanted; ++worker) {
        if (lanes.contains(worker)) continue;
        ++openLanes;
        lanes.emplace(worker, std::jthread([this, worker] {
                          work(WorkerId{worker}, stopSource.get_token());
                          const MutexLock lock(mutex);
                          --openLanes;
                          changed.notify_all();
                      }));
    }
}

void Executor::withScheduler(const std::function<void(plan::Scheduler&)>& action) {
    {
        const MutexLock lock(state_->mutex);
        action(state_->scheduler);
    }
    state_->changed.notify_all();
}

void Executor::stop() {
    {
        const MutexLock lock(state_->mutex);
        state_->stopAsked = true;
    }
    state_->stopSource.request_stop();
    state_->changed.notify_all();
}

void Executor::wait() {
    State& s = *state_;
    for (auto& [worker, thread] : s.lanes) {
        if (thread.joinable()) thread.join();
    }
    const MutexLock lock(s.mutex);
    if (s.failure) std::rethrow_exception(s.failure);
    if (s.stopAsked) throw Error(ErrorKind::Cancelled, "cancelled");
    if (!s.scheduler.isDone()) {
        throw Error(ErrorKind::Internal, "workers ended before the work did");
    }
}

void Executor::State::work(WorkerId worker, const std::stop_token& stop) {
    std::unique_ptr<TaskRunner> runner;
    try {
        if (worker.value != 0) {
            events.post(events::WorkerIdle{
                .worker = worker, .cause = events::IdleCause::Starting, .on = {}});
        }
        runner = open(worker, stop);
        while (runner) {
            const std::optional<Job> job = nextJob(worker, stop);
            if (!job) return;
            if (!runJob(*job, worker, *runner, stop)) {
                runner.reset();
                runner = open(worker, stop);
            }
        }
    } catch (...) {
        fail(std::current_exception());
    }
}

std::unique_ptr<TaskRunner> Executor::State::open(WorkerId worker, const std::stop_token& stop) {
    try {
        return makeRunner(worker, stop);
    } catch (const Error& error) {
        if (!mayGoOnWithout(worker, error)) throw;
        events.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = fmt::format("worker {} has no connection and the run goes on without it: {}",
                                   worker.value, error.info().describe())});
        return nullptr;
    }
}

bool Executor::State::mayGoOnWithout(WorkerId worker, const Error& error) {
    const bool full = error.info().sqlState == kTooManyConnections ||
                      error.info().message.find("too many") != std::string::npos ||
                      error.info().message.find("connection slots") != std::string::npos;
    return worker.value > 1 && full;
}

std::optional<Executor::State::Job> Executor::State::nextJob(WorkerId worker,
                                                             const std::stop_token& stop) {
    std::optional<events::WorkerIdle> told;
    MutexLock lock(mutex);
    for (;;) {
        // stopAsked and failure change under the lock, so no wake-up is missed.
        if (stopAsked || failure || stop.stop_requested()) return std::nullopt;
        if (worker.value > wanted) return std::nullopt;
        if (const auto assignment = scheduler.next(worker)) {
            const plan::Task& task = scheduler.graph()[assignment->task];
            return Job{*assignment, task.kind, task.object, bytesOf(task, *assignment),
                       attempts[spanOf(*assignment)]};
        }
        if (scheduler.isDone()) {
            changed.notify_all();
            return std::nullopt;
        }
        if (worker.value != 0) {  // that the coordinator has nothing to copy is its normal state
            const plan::IdleReason reason = scheduler.whyIdle(worker);
            const std::string on = reason.on ? scheduler.graph()[*reason.on].object : "";
            const events::WorkerIdle idle{
                .worker = worker, .cause = causeOf(reason.cause), .on = on};
            if (!told || told->cause != idle.cause || told->on != idle.on) {
                told = idle;
                events.post(idle);
            }
        }
        changed.wait(lock.native());
    }
}

bool Executor::State::runJob(const Job& job, WorkerId worker, TaskRunner& runner,
                             const std::stop_token& stop) {
    const events::Span span = spanOf(job.assignment);
    events.post(events::TaskStarted{.span = span,
                                    .kind = job.kind,
                                    .object = job.object,
                                    .worker = worker,
                                    .backendPid = runner.backendPid(),
                                    .estimatedBytes = job.bytes});
    try {
        const TaskResult result = runner.run(job.assignment, job.attempt, stop);
        events.post(events::TaskFinished{.span = span,
                                         .bytes = result.bytes,
                                         .rows = result.rows,
                                         .compressedBytes = result.compressedBytes});
        const MutexLock lock(mutex);
        scheduler.finished(job.assignment);
    } catch (const NeedsCoordinator& reason) {
        ErrorInfo info;
        info.kind = ErrorKind::Server;
        info.object = job.object;
        info.message = reason.what();
        events.post(
            events::TaskFailed{.span = span, .error = info, .ignored = true, .retried = true});
        const MutexLock lock(mutex);
        scheduler.retry(job.assignment, WorkerId{0});
    } catch (const Error& error) {
        if (stop.stop_requested()) {
            fail(std::current_exception());
            return true;
        }
        handleFailure(job, error.info(), error.retryable());
        changed.notify_all();
        return error.info().connectionUsable;
    }
    changed.notify_all();
    return true;
}

void Executor::State::handleFailure(const Job& job, const ErrorInfo& error, bool retryable) {
    const events::Span span = spanOf(job.assignment);
    {
        const MutexLock lock(mutex);
        if (retryable && attempts[span] < settings.retries) {
            ++attempts[span];
            scheduler.retry(job.assignment);
            events.post(
                events::TaskFailed{.span = span, .error = error, .ignored = true, .retried = true});
            return;
        }
    }
    const bool goOn = decide && decide(job.assignment, error) == OnFailure::GoOn;
    events.post(
        events::TaskFailed{.span = span, .error = error, .ignored = goOn, .retried = false});
    if (!goOn) throw Error(error);
    const MutexLock lock(mutex);
    scheduler.givenUp(job.assignment);
}

void Executor::State::fail(std::exception_ptr error) {
    {
        const MutexLock lock(mutex);
        if (!failure && !stopAsked) failure = error;
    }
    stopSource.request_stop();
    changed.notify_all();
}

}  // namespace gantry::run
