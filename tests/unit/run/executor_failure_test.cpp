// SPDX-License-Identifier: PostgreSQL
// The executor when something fails: runners, sessions, workers that are not there.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <mutex>

#include "core/run/executor.h"
#include "tests/unit/run/fake_run.h"

using namespace gantry;
using namespace gantry::test;
using events::IdleCause;
using events::TaskFailed;
using events::TaskFinished;
using events::TaskStarted;
using plan::Scheduler;
using plan::TaskGraph;
using run::Executor;

namespace {

Error connectionLost() { return Error(ErrorKind::Connection, "the server closed the connection"); }

Error noSlot() { return Error(ErrorKind::Connection, "FATAL: sorry, too many clients already"); }

}  // namespace

TEST_CASE("the first error stops everything and is what wait() throws") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    Executor executor(Scheduler(flat(50), 3), {.workers = 3}, allDo([&](const Call& call) {
                          if (call.assignment.task.value == 2) {
                              gate.waitForArrivals(2);
                              throw Error(ErrorKind::Io, "no space left on device", "t2.dat");
                          }
                          gate.pass(call.stop);
                          throw Error(ErrorKind::Cancelled, "cancelled");
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    CHECK(outcomeOf(executor) == "t2.dat: no space left on device");
    const auto failures = events.of<TaskFailed>();
    REQUIRE(failures.size() == 1);  // those who were stopped for it have not failed
    CHECK(failures[0].span.task == TaskId{2});
    CHECK_FALSE(failures[0].ignored);
    CHECK_FALSE(failures[0].retried);
    CHECK(events.of<TaskStarted>().size() == 3);
    CHECK(events.of<TaskFinished>().empty());
}

TEST_CASE("whatever else a runner throws is an error of ours, with the object's name") {
    const Watchdog watchdog;
    EventRecorder events;
    Executor executor(
        Scheduler(flat(1), 1), {.workers = 1},
        allDo([](const Call&) -> run::TaskResult { throw std::out_of_range("vector::at"); }),
        events);
    executor.start();
    CHECK(outcomeOf(executor) == "t0: vector::at");
    REQUIRE(events.of<TaskFailed>().size() == 1);
    CHECK(events.of<TaskFailed>()[0].error.kind == ErrorKind::Internal);
}

TEST_CASE("a run may go on without what failed, and what waited for it runs") {
    const Watchdog watchdog;
    EventRecorder events;
    TaskGraph graph = flat(3);
    graph.add(task("after", 1, {TaskId{1}}));
    Executor executor(Scheduler(std::move(graph), 2), {.workers = 2}, allDo([](const Call& call) {
                          if (call.assignment.task == TaskId{1}) {
                              throw Error(ErrorKind::Server, "division by zero");
                          }
                          return run::TaskResult{};
                      }),
                      events);
    std::mutex mutex;
    std::vector<std::string> asked;
    executor.onFailure([&](const plan::Assignment&, const ErrorInfo& error) {
        const std::lock_guard lock(mutex);
        asked.push_back(error.message);
        return Executor::OnFailure::GoOn;
    });
    executor.start();
    CHECK(outcomeOf(executor) == "");
    CHECK(asked == std::vector<std::string>{"division by zero"});
    REQUIRE(events.of<TaskFailed>().size() == 1);
    CHECK(events.of<TaskFailed>()[0].ignored);
    CHECK(events.of<TaskFinished>().size() == 3);
}

TEST_CASE("a lost connection is replaced, and the same assignment comes again") {
    const Watchdog watchdog;
    EventRecorder events;
    std::atomic<int> made = 0;
    std::mutex mutex;
    std::vector<uint32_t> attempts;
    Executor executor(
        Scheduler(flat(1), 1), {.workers = 1, .retries = 3},
        [&](WorkerId worker, const std::stop_token&) {
            ++made;
            return std::make_unique<FakeRunner>(worker, [&](const Call& call) {
                const std::lock_guard lock(mutex);
                attempts.push_back(call.attempt);
                if (attempts.size() < 4) throw connectionLost();
                return run::TaskResult{.bytes = 5, .rows = 1, .compressedBytes = 0};
            });
        },
        events);
    executor.start();
    CHECK(outcomeOf(executor) == "");
    CHECK(made == 4);
    CHECK(attempts == std::vector<uint32_t>{0, 1, 2, 3});
    for (const TaskFailed& failed : events.of<TaskFailed>()) {
        CHECK(failed.ignored);
        CHECK(failed.retried);
    }
    CHECK(events.of<TaskFinished>().size() == 1);
}

TEST_CASE("what is to begin again is stopped and comes once more, however often it failed") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    std::mutex mutex;
    std::vector<uint32_t> attempts;
    TaskGraph graph = flat(2);
    graph.tasks[0].kind = plan::TaskKind::Vacuum;
    graph.tasks[1].kind = plan::TaskKind::Index;
    Executor executor(Scheduler(std::move(graph), 2), {.workers = 2, .retries = 0},
                      allDo([&](const Call& call) {
                          const bool vacuum = call.assignment.task == TaskId{0};
                          if (vacuum) {
                              const std::lock_guard lock(mutex);
                              attempts.push_back(call.attempt);
                          }
                          if (!gate.pass(call.stop)) {
                              throw Error(ErrorKind::Cancelled, "cancelled");
                          }
                          return run::TaskResult{};
                      }),
                      events);
    const auto vacuums = [](plan::TaskKind kind) { return kind == plan::TaskKind::Vacuum; };
    executor.beginAgain(vacuums);  // nothing is under way
    executor.start();
    for (std::size_t round = 1; round <= 3; ++round) {
        REQUIRE(gate.waitForArrivals(round + 1));
        if (round < 3) executor.beginAgain(vacuums);
    }
    gate.open();
    CHECK(outcomeOf(executor) == "");
    CHECK(attempts == std::vector<uint32_t>{0, 1, 2});
    const auto failures = events.of<TaskFailed>();
    REQUIRE(failures.size() == 2);
    for (const TaskFailed& failed : failures) {
        CHECK(failed.span.task == TaskId{0});
        CHECK(failed.retried);
        CHECK(failed.error.kind == ErrorKind::Cancelled);
        CHECK(failed.error.message == "stopped on request");
    }
    CHECK(events.of<TaskFinished>().size() == 2);
}

TEST_CASE("a connection that is lost while its session is set up is replaced too") {
    const Watchdog watchdog;
    EventRecorder events;
    std::atomic<int> made = 0;
    Executor executor(
        Scheduler(flat(1), 1), {.workers = 1, .retries = 3},
        [&](WorkerId worker, const std::stop_token&) -> std::unique_ptr<run::TaskRunner> {
            if (++made == 1) throw connectionLost();
            return std::make_unique<FakeRunner>(worker,
                                                [](const Call&) { return run::TaskResult{}; });
        },
        events);
    executor.start();
    CHECK(outcomeOf(executor) == "");
    CHECK(made == 2);
    CHECK(events.of<TaskFailed>().empty());
}

TEST_CASE("a connection that is lost again and again ends the run") {
    const Watchdog watchdog;
    EventRecorder events;
    Executor executor(Scheduler(flat(1), 2), {.workers = 2, .retries = 2},
                      allDo([](const Call&) -> run::TaskResult { throw connectionLost(); }),
                      events);
    executor.start();
    CHECK(outcomeOf(executor) == "the server closed the connection");
    const auto failures = events.of<TaskFailed>();
    REQUIRE(failures.size() == 3);
    CHECK(failures[1].retried);
    CHECK_FALSE(failures[2].retried);
    CHECK_FALSE(failures[2].ignored);
}

TEST_CASE("a failure that broke the connection costs it even if the run goes on") {
    const Watchdog watchdog;
    EventRecorder events;
    std::atomic<int> made = 0;
    Executor executor(
        Scheduler(flat(2), 1), {.workers = 1, .retries = 0},
        [&](WorkerId worker, const std::stop_token&) {
            ++made;
            return std::make_unique<FakeRunner>(worker, [](const Call& call) -> run::TaskResult {
                if (call.assignment.task.value == 0) throw connectionLost();
                return {};
            });
        },
        events);
    executor.onFailure([](auto&, auto&) { return Executor::OnFailure::GoOn; });
    executor.start();
    CHECK(outcomeOf(executor) == "");
    CHECK(made == 2);
}

TEST_CASE("what a worker's session cannot get at goes to the coordinator") {
    const Watchdog watchdog;
    EventRecorder events;
    Executor executor(Scheduler(flat(5), 2), {.workers = 2, .coordinatorWorks = true},
                      allDo([](const Call& call) {
                          if (call.assignment.task.value == 3 && call.worker.value != 0) {
                              throw run::NeedsCoordinator("somebody waits for a lock on it");
                          }
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    CHECK(outcomeOf(executor) == "");
    REQUIRE(events.of<TaskFailed>().size() == 1);
    CHECK(events.of<TaskFailed>()[0].retried);
    CHECK(events.of<TaskFailed>()[0].error.describe() == "t3: somebody waits for a lock on it");
    for (const TaskStarted& started : events.of<TaskStarted>()) {
        if (started.worker.value == 0) CHECK(started.span.task == TaskId{3});
    }
    CHECK(events.of<TaskFinished>().size() == 5);
}

TEST_CASE("without a coordinator, or if even it fails, that is a failure like any other") {
    const Watchdog watchdog;
    for (const bool coordinator : {false, true}) {
        EventRecorder events;
        Executor executor(Scheduler(flat(1), 2), {.workers = 2, .coordinatorWorks = coordinator},
                          allDo([](const Call&) -> run::TaskResult {
                              throw run::NeedsCoordinator("it is locked");
                          }),
                          events);
        executor.start();
        CHECK(outcomeOf(executor) == "t0: it is locked");
    }
}

TEST_CASE("a session that cannot be made ends the run") {
    const Watchdog watchdog;
    EventRecorder events;
    Executor executor(
        Scheduler(flat(4), 2), {.workers = 2},
        [](WorkerId worker, const std::stop_token&) -> std::unique_ptr<run::TaskRunner> {
            if (worker.value == 2) {
                throw Error(ErrorKind::Connection, "password authentication failed", "db");
            }
            return std::make_unique<FakeRunner>(worker, [](const Call& call) {
                Gate().pass(call.stop);
                return run::TaskResult{};
            });
        },
        events);
    executor.start();
    CHECK(outcomeOf(executor) == "db: password authentication failed");
}

TEST_CASE("the run goes on without a worker that the server has no connection for") {
    const Watchdog watchdog;
    EventRecorder events;
    std::atomic<bool> full = true;
    Gate gate;
    Executor executor(
        Scheduler(flat(9), 4), {.workers = 4},
        [&](WorkerId worker, const std::stop_token&) -> std::unique_ptr<run::TaskRunner> {
            if (full && worker.value != 3) throw noSlot();
            return std::make_unique<FakeRunner>(worker, [&](const Call& call) {
                gate.pass(call.stop);
                return run::TaskResult{};
            });
        },
        events);
    executor.start();
    for (const uint32_t worker : {1U, 2U, 4U}) {
        CHECK(events.waitFor([&](const events::Payload& event) {
            const auto* notice = std::get_if<events::Notice>(&event);
            return notice != nullptr &&
                   notice->message == fmt::format(
                                          "worker {} has no connection and the run goes on "
                                          "without it: FATAL: sorry, too many clients "
                                          "already",
                                          worker);
        }));
    }
    full = false;
    executor.setWorkers(4);  // asks again for those who are missing
    CHECK(gate.waitForArrivals(4));
    gate.open();
    CHECK(outcomeOf(executor) == "");
    CHECK(events.of<TaskFinished>().size() == 9);
}

TEST_CASE("without a single connection there is no run") {
    const Watchdog watchdog;
    EventRecorder events;
    Executor executor(
        Scheduler(flat(4), 3), {.workers = 3, .coordinatorWorks = true},
        [](WorkerId worker, const std::stop_token&) -> std::unique_ptr<run::TaskRunner> {
            if (worker.value > 0) throw noSlot();
            return std::make_unique<FakeRunner>(worker, nullptr);
        },
        events);
    executor.start();
    CHECK(outcomeOf(executor) == "FATAL: sorry, too many clients already");
}

TEST_CASE("work that nobody may take is an error and not a wait without end") {
    const Watchdog watchdog;
    EventRecorder events;
    TaskGraph graph = flat(3);
    graph.tasks[1].pinnedTo = WorkerId{7};
    Executor executor(Scheduler(std::move(graph), 2), {.workers = 2, .coordinatorWorks = true},
                      allDo([](const Call&) { return run::TaskResult{}; }), events);
    executor.start();
    CHECK(outcomeOf(executor) == "t1: no worker is there that may take it");
}
