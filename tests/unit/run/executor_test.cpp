// SPDX-License-Identifier: PostgreSQL
// The executor while all goes well: who does what, the number of workers, stop.
#include "core/run/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <mutex>
#include <set>

#include "tests/unit/run/fake_run.h"

using namespace gantry;
using namespace gantry::test;
using events::IdleCause;
using events::TaskFinished;
using events::TaskStarted;
using events::WorkerIdle;
using plan::Scheduler;
using plan::TaskGraph;
using run::Executor;

namespace {

bool isIdle(const events::Payload& payload, uint32_t worker, IdleCause cause) {
    const auto* idle = std::get_if<WorkerIdle>(&payload);
    return idle != nullptr && idle->worker == WorkerId{worker} && idle->cause == cause;
}

std::set<uint32_t> workersOf(const std::vector<TaskStarted>& events) {
    std::set<uint32_t> workers;
    for (const TaskStarted& event : events) workers.insert(event.worker.value);
    return workers;
}

}  // namespace

TEST_CASE("an executor runs every task once, in order, and tells of each") {
    const Watchdog watchdog;
    EventRecorder events;
    TaskGraph graph = flat(20);
    graph.add(task("last", 1, {TaskId{0}, TaskId{7}}));
    plan::Task large = task("large", 100);
    large.bytes = 1'000'003;
    large.division = plan::Division{.units = 97, .minUnits = 7};
    const TaskId largeId = graph.add(large);
    Executor executor(Scheduler(std::move(graph), 3), {.workers = 3}, allDo([](const Call& call) {
                          return run::TaskResult{
                              .bytes = call.assignment.task.value, .rows = 2, .compressedBytes = 1};
                      }),
                      events);
    executor.start();
    CHECK(outcomeOf(executor) == "");

    std::map<events::Span, int> started;
    std::map<TaskId, int> wholes;
    std::set<TaskId> finished;
    uint64_t estimates = 0;
    bool orderKept = true;
    for (const events::Payload& payload : events.all()) {
        if (const auto* start = std::get_if<TaskStarted>(&payload)) {
            ++started[start->span];
            if (start->span.task == largeId) estimates += start->estimatedBytes;
            CHECK(start->backendPid == 1000 + static_cast<int32_t>(start->worker.value));
            if (start->object == "last") {
                orderKept = finished.contains(TaskId{0}) && finished.contains(TaskId{7});
            }
        } else if (const auto* end = std::get_if<TaskFinished>(&payload)) {
            if (end->whole) ++wholes[end->span.task];
            finished.insert(end->span.task);
            CHECK(end->bytes == end->span.task.value);
        }
    }
    CHECK(orderKept);
    CHECK(estimates == 1'000'003);
    CHECK(wholes.size() == 22);
    CHECK(std::all_of(wholes.begin(), wholes.end(), [](auto& one) { return one.second == 1; }));
    CHECK(std::all_of(started.begin(), started.end(), [](auto& one) { return one.second == 1; }));
    CHECK(started.size() == events.of<TaskFinished>().size());
}

TEST_CASE("an empty plan ends at once, and an executor that never began goes away") {
    const Watchdog watchdog;
    EventRecorder events;
    const auto nothing = allDo([](const Call&) { return run::TaskResult{}; });
    Executor executor(Scheduler(TaskGraph{}, 2), {.workers = 2}, nothing, events);
    executor.start();
    CHECK(outcomeOf(executor) == "");
    const Executor unused(Scheduler(flat(3), 2), {.workers = 2}, nothing, events);
    Executor unbegun(Scheduler(flat(3), 2), {.workers = 2}, nothing, events);
    CHECK(outcomeOf(unbegun) == "workers ended before the work did");
}

TEST_CASE("more workers begin while it runs") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    Executor executor(Scheduler(flat(4), 1), {.workers = 1}, allDo([&](const Call& call) {
                          gate.pass(call.stop);
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    REQUIRE(gate.waitForArrivals(1));
    executor.setWorkers(4);
    CHECK(gate.waitForArrivals(4));  // all at the same time
    gate.open();
    CHECK(outcomeOf(executor) == "");
    CHECK(workersOf(events.of<TaskStarted>()) == std::set<uint32_t>{1, 2, 3, 4});
}

TEST_CASE("that the number of workers was changed is told, once for each change") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    Executor executor(Scheduler(flat(4), 2), {.workers = 2}, allDo([&](const Call& call) {
                          gate.pass(call.stop);
                          return run::TaskResult{};
                      }),
                      events);
    executor.setWorkers(1);  // it has not begun
    executor.start();
    REQUIRE(gate.waitForArrivals(1));
    for (const uint32_t workers : {3U, 3U, 2U}) executor.setWorkers(workers);
    gate.open();
    CHECK(outcomeOf(executor) == "");
    std::vector<std::string> told;
    for (const events::Notice& notice : events.of<events::Notice>()) told.push_back(notice.message);
    CHECK(told == std::vector<std::string>{"The number of workers was changed from 1 to 3",
                                           "The number of workers was changed from 3 to 2"});
}

TEST_CASE("workers that are too many finish what they do and leave") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    std::mutex mutex;
    std::vector<uint32_t> later;  // who runs what comes after the first four
    Executor executor(Scheduler(flat(40), 4), {.workers = 4}, allDo([&](const Call& call) {
                          if (call.assignment.task.value < 4) {
                              gate.pass(call.stop);
                          } else {
                              const std::lock_guard lock(mutex);
                              later.push_back(call.worker.value);
                          }
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    REQUIRE(gate.waitForArrivals(4));
    executor.setWorkers(2);
    gate.open();
    CHECK(outcomeOf(executor) == "");
    CHECK(later.size() == 36);
    CHECK(std::all_of(later.begin(), later.end(), [](uint32_t worker) { return worker <= 2; }));
    CHECK(events.of<TaskFinished>().size() == 40);
    for (const WorkerIdle& idle : events.of<WorkerIdle>()) {
        if (idle.cause != IdleCause::Left) continue;
        CHECK(idle.worker.value > 2);
        CHECK(idle.on == "the number of workers was lowered");
    }
}

TEST_CASE("idle workers leave when their number is lowered, and one stays whatever is asked") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    Executor executor(Scheduler(flat(2), 3), {.workers = 3}, allDo([&](const Call& call) {
                          gate.pass(call.stop);
                          return run::TaskResult{};
                      }),
                      events);
    executor.withScheduler([](Scheduler& scheduler) { scheduler.expectMore(true); });
    executor.start();
    REQUIRE(gate.waitForArrivals(2));
    executor.setWorkers(0);
    gate.open();
    for (const uint32_t worker : {2U, 3U}) {
        CHECK(events.waitFor([&](auto& event) { return isIdle(event, worker, IdleCause::Left); }));
    }
    executor.withScheduler([](Scheduler& scheduler) {
        scheduler.add(task("late"));
        scheduler.expectMore(false);
    });
    CHECK(outcomeOf(executor) == "");
    CHECK(events.of<TaskStarted>().back().worker == WorkerId{1});
}

TEST_CASE("a worker that is wanted again before it has left goes on as it was") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    std::atomic<int> made = 0;
    Executor executor(
        Scheduler(flat(30), 2), {.workers = 2},
        [&](WorkerId worker, const std::stop_token&) {
            ++made;
            return std::make_unique<FakeRunner>(worker, [&](const Call& call) {
                gate.pass(call.stop);
                return run::TaskResult{};
            });
        },
        events);
    executor.start();
    REQUIRE(gate.waitForArrivals(2));
    executor.setWorkers(1);
    executor.setWorkers(2);
    gate.open();
    CHECK(outcomeOf(executor) == "");
    CHECK(made == 2);
}

TEST_CASE("a worker that has left comes back with a new session") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    std::atomic<int> made = 0;
    TaskGraph graph = flat(1);
    Executor executor(
        Scheduler(std::move(graph), 2), {.workers = 2},
        [&](WorkerId worker, const std::stop_token&) {
            ++made;
            return std::make_unique<FakeRunner>(worker, [&](const Call& call) {
                gate.pass(call.stop);
                return run::TaskResult{};
            });
        },
        events);
    executor.withScheduler([](Scheduler& scheduler) { scheduler.expectMore(true); });
    executor.start();
    REQUIRE(gate.waitForArrivals(1));
    gate.open();
    REQUIRE(events.waitFor([](auto& event) { return isIdle(event, 2, IdleCause::Dependency); }));
    executor.setWorkers(1);
    REQUIRE(events.waitFor([](auto& event) { return isIdle(event, 2, IdleCause::Left); }));
    executor.setWorkers(2);
    executor.withScheduler([](Scheduler& scheduler) {
        plan::Task mine = task("mine");
        mine.pinnedTo = WorkerId{2};
        scheduler.add(mine);
        scheduler.expectMore(false);
    });
    CHECK(outcomeOf(executor) == "");
    CHECK(made == 3);
}

TEST_CASE("work that comes to light wakes those who wait for it") {
    const Watchdog watchdog;
    EventRecorder events;
    Executor* self = nullptr;
    TaskGraph graph;
    plan::Task contents = task("contents");
    contents.pinnedTo = WorkerId{0};
    graph.add(contents);
    Executor executor(Scheduler(std::move(graph), 2), {.workers = 2, .coordinatorWorks = true},
                      allDo([&](const Call& call) {
                          if (call.worker.value == 0) {
                              self->withScheduler([](Scheduler& scheduler) {
                                  for (int i = 0; i < 10; ++i) scheduler.add(task("found"));
                                  scheduler.expectMore(false);
                              });
                          }
                          return run::TaskResult{};
                      }),
                      events);
    self = &executor;
    executor.withScheduler([](Scheduler& scheduler) { scheduler.expectMore(true); });
    executor.start();
    CHECK(outcomeOf(executor) == "");
    CHECK(events.of<TaskFinished>().size() == 11);
}

TEST_CASE("who has nothing to do is told what for, once for each reason") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    TaskGraph graph;
    graph.add(task("first"));
    graph.add(task("second", 1, {TaskId{0}}));
    Executor executor(Scheduler(std::move(graph), 2), {.workers = 2}, allDo([&](const Call& call) {
                          gate.pass(call.stop);
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    REQUIRE(gate.waitForArrivals(1));
    REQUIRE(events.waitFor([](auto& event) {
        const auto* idle = std::get_if<WorkerIdle>(&event);
        return idle != nullptr && idle->cause == IdleCause::Dependency && idle->on == "first";
    }));
    for (int i = 0; i < 5; ++i) executor.withScheduler([](Scheduler&) {});
    gate.open();
    CHECK(outcomeOf(executor) == "");
    int dependencies = 0;
    for (const WorkerIdle& idle : events.of<WorkerIdle>()) {
        if (idle.cause == IdleCause::Dependency) ++dependencies;
    }
    CHECK(dependencies == 1);
}

TEST_CASE("once the last task is done, nobody is said to wait for it any longer") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    Executor executor(Scheduler(flat(1), 2), {.workers = 2}, allDo([&](const Call& call) {
                          gate.pass(call.stop);
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    REQUIRE(gate.waitForArrivals(1));
    REQUIRE(events.waitFor([](auto& event) {
        const auto* idle = std::get_if<WorkerIdle>(&event);
        return idle != nullptr && idle->cause == IdleCause::Tail && idle->on == "t0";
    }));
    gate.open();
    CHECK(outcomeOf(executor) == "");
    std::map<WorkerId, WorkerIdle> last;
    for (const WorkerIdle& idle : events.of<WorkerIdle>()) last[idle.worker] = idle;
    for (const uint32_t worker : {1U, 2U}) {
        CHECK(last[WorkerId{worker}].cause == IdleCause::Tail);
        CHECK(last[WorkerId{worker}].on.empty());
    }
}

TEST_CASE("stop reaches those who work and those who wait") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    std::atomic<int> stopped = 0;
    TaskGraph graph = flat(2);
    graph.add(task("after", 1, {TaskId{0}, TaskId{1}}));
    Executor executor(Scheduler(std::move(graph), 4), {.workers = 4}, allDo([&](const Call& call) {
                          if (!gate.pass(call.stop)) {
                              ++stopped;
                              throw Error(ErrorKind::Cancelled, "cancelled on request");
                          }
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    REQUIRE(gate.waitForArrivals(2));
    executor.stop();
    CHECK(outcomeOf(executor) == "cancelled");
    CHECK(stopped == 2);
    CHECK(events.of<events::TaskFailed>().empty());
    executor.setWorkers(8);  // too late, and harmless
    CHECK(outcomeOf(executor) == "cancelled");
}

TEST_CASE("no stop and no change is lost on those who are about to wait") {
    const Watchdog watchdog;
    for (int round = 0; round < 300; ++round) {
        EventRecorder events;
        Executor executor(Scheduler(flat(3), 4), {.workers = 4},
                          allDo([](const Call&) { return run::TaskResult{}; }), events);
        executor.withScheduler([](Scheduler& scheduler) { scheduler.expectMore(true); });
        executor.start();
        std::jthread other([&] {
            if (round % 2 == 0) {
                executor.stop();
            } else {
                executor.withScheduler([](Scheduler& s) { s.expectMore(false); });
            }
        });
        REQUIRE(outcomeOf(executor) == (round % 2 == 0 ? "cancelled" : ""));
    }
}

TEST_CASE("a run with workers that come and go does everything once") {
    const Watchdog watchdog;
    constexpr std::size_t kTasks = 3000;
    EventRecorder events;
    std::vector<std::atomic<int>> runs(kTasks);
    TaskGraph graph = flat(kTasks);
    for (std::size_t i = 1; i < kTasks; ++i) {
        if (i % 3 == 0) graph.tasks[i].after = {TaskId{static_cast<uint32_t>(i / 2)}};
        if (i % 5 == 0) graph.tasks[i].locks = {{.key = i % 7}};
    }
    Executor executor(Scheduler(std::move(graph), 2), {.workers = 2}, allDo([&](const Call& call) {
                          const uint32_t id = call.assignment.task.value;
                          if (id % 11 == 0 && call.attempt == 0) {
                              throw Error(ErrorKind::Connection,
                                          "the server closed the connection");
                          }
                          ++runs[id];
                          std::this_thread::yield();
                          return run::TaskResult{};
                      }),
                      events);
    executor.start();
    std::jthread changer([&](const std::stop_token& stop) {
        for (uint32_t i = 0; !stop.stop_requested(); ++i) {
            executor.setWorkers(1 + (i * 7) % 9);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    });
    CHECK(outcomeOf(executor) == "");
    changer.request_stop();
    changer.join();
    CHECK(std::all_of(runs.begin(), runs.end(), [](auto& count) { return count == 1; }));
}
