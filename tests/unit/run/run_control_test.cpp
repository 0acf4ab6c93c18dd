// SPDX-License-Identifier: PostgreSQL
// What may be asked of a run under way: a pause, more workers, one item less.
#include "core/run/run_control.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/run/fake_run.h"

using namespace gantry;
using namespace gantry::test;
using plan::Scheduler;
using run::Executor;
using run::RunControl;

namespace {

bool isPaused(const events::Payload& payload) {
    const auto* idle = std::get_if<events::WorkerIdle>(&payload);
    return idle != nullptr && idle->cause == events::IdleCause::Paused;
}

run::TaskResult passOrStop(Gate& gate, const std::stop_token& stop) {
    if (!gate.pass(stop) || stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
    return {};
}

}  // namespace

TEST_CASE("a pause lets end what runs and begins nothing, until it is over") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    RunControl control;
    Executor executor(Scheduler(flat(3), 1), {.workers = 1},
                      allDo([&](const Call& call) { return passOrStop(gate, call.stop); }), events);
    executor.start();
    {
        const RunControl::Attachment attachment(&control, executor);
        REQUIRE(gate.waitForArrivals(1));
        control.setPaused(true);
        gate.open();
        REQUIRE(events.waitFor(isPaused));
        CHECK(events.of<events::TaskFinished>().size() == 1);
        control.setPaused(false);
        CHECK(outcomeOf(executor) == "");
    }
    CHECK(events.of<events::TaskFinished>().size() == 3);
    control.setPaused(true);  // nobody is there any more
}

TEST_CASE("what is asked before the workers begin holds from their beginning") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    RunControl control;
    control.setWorkers(3);
    Executor executor(Scheduler(flat(3), 1), {.workers = 1},
                      allDo([&](const Call& call) { return passOrStop(gate, call.stop); }), events);
    executor.start();
    const RunControl::Attachment attachment(&control, executor);
    CHECK(gate.waitForArrivals(3));
    gate.open();
    CHECK(outcomeOf(executor) == "");
}

TEST_CASE("a pause holds back work that was to be stopped, and a stop ends the pause") {
    const Watchdog watchdog;
    EventRecorder events;
    RunControl control;
    control.setPaused(true);
    Executor executor(Scheduler(flat(2), 2), {.workers = 2},
                      allDo([](const Call&) { return run::TaskResult{}; }), events);
    const RunControl::Attachment attachment(&control, executor);
    executor.start();
    REQUIRE(events.waitFor(isPaused));
    executor.stop();
    CHECK(outcomeOf(executor) == "cancelled");
    CHECK(events.of<events::TaskStarted>().empty());
}

TEST_CASE("one item is cancelled with all that work on it, and the run goes on") {
    const Watchdog watchdog;
    EventRecorder events;
    Gate gate;
    RunControl control;
    plan::TaskGraph graph;
    plan::Task divided = task("big");
    divided.division = plan::Division{.units = 100, .minUnits = 10, .maxUnits = 10};
    graph.add(divided);
    graph.add(task("other"));
    Executor executor(Scheduler(std::move(graph), 3), {.workers = 3},
                      allDo([&](const Call& call) { return passOrStop(gate, call.stop); }), events);
    std::atomic<int> asked = 0;
    executor.onFailure([&](const plan::Assignment& assignment, const ErrorInfo& error) {
        CHECK(assignment.task == TaskId{0});
        CHECK(error.kind == ErrorKind::Cancelled);
        CHECK(error.describe() == "big: cancelled on request");
        ++asked;
        return Executor::OnFailure::GoOn;
    });
    executor.start();
    const RunControl::Attachment attachment(&control, executor);
    REQUIRE(gate.waitForArrivals(3));
    control.cancel(TaskId{7});  // there is none
    control.cancel(TaskId{0});
    REQUIRE(events.waitFor([](const events::Payload& payload) {
        return std::holds_alternative<events::TaskFailed>(payload);
    }));
    gate.open();
    CHECK(outcomeOf(executor) == "");
    CHECK(asked >= 1);
    CHECK(asked <= 2);
    // Nothing of it was begun afterwards.
    for (const auto& done : events.of<events::TaskFinished>()) CHECK(done.span.task == TaskId{1});
}
