// SPDX-License-Identifier: PostgreSQL
// Busy shares and what idle workers waited for.
#include "core/report/utilization.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::report;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Approx;

namespace {

/// Worker 1 works from 10 to 30; worker 2 from 10 to 15, then waits until 25 and is through.
RunBuilder someRun() {
    RunBuilder run(2);
    run.start(9, 0);  // the coordinator prepares
    run.now = 10ms;
    run.finish(9, 0);
    run.start(0, 1);
    run.start(1, 2);
    run.now = 15ms;
    run.finish(1, 0);
    run.idle(2, IdleCause::Dependency, "public.orders");
    run.now = 25ms;
    run.idle(2, IdleCause::Tail);
    run.now = 30ms;
    run.finish(0, 0);
    run.end(Outcome::Clean);
    return run;
}

}  // namespace

TEST_CASE("busy shares count from the first work of a worker") {
    const Utilization use = utilizationOf(someRun().state);
    CHECK(use.begin == 10ms);
    CHECK(use.end == 30ms);
    REQUIRE(use.workers.size() == 2);
    CHECK(use.workers[0].busyShare() == Approx(1));
    CHECK(use.workers[1].busyShare() == Approx(0.25));
    CHECK(use.busyShare() == Approx(0.625));
    CHECK(use.workers[1].idle[static_cast<std::size_t>(IdleCause::Tail)] == 5ms);
}

TEST_CASE("idle time is told by cause, longest first, with what was waited for") {
    const Utilization use = utilizationOf(someRun().state);
    REQUIRE(use.idle.size() == 2);
    CHECK(use.idle[0].cause == IdleCause::Dependency);
    CHECK(use.idle[0].total == 10ms);
    CHECK(use.idle[0].longestOn == "public.orders");
    CHECK(use.idle[1].cause == IdleCause::Tail);
}

TEST_CASE("of a range only what lies in it counts") {
    const Utilization use = utilizationOf(someRun().state, 14ms, 20ms);
    CHECK(use.workers[0].busy == 6ms);
    CHECK(use.workers[1].busy == 1ms);
    REQUIRE(use.idle.size() == 1);
    CHECK(use.idle[0].total == 5ms);
}

TEST_CASE("who has left the run was not idle") {
    RunBuilder run(2);
    run.start(0, 1);
    run.start(1, 2);
    run.now = 10ms;
    run.finish(1, 0);
    run.idle(2, IdleCause::Left, "fewer workers were asked for");
    run.now = 40ms;
    run.finish(0, 0);
    const Utilization use = utilizationOf(run.state);
    CHECK(use.workers[1].present == 10ms);
    CHECK(use.busyShare() == Approx(1));
    CHECK(use.idle.empty());
}

TEST_CASE("as long as the coordinator waits for a lock before anything begins, all workers do") {
    RunBuilder run(2);
    run.now = 1ms;
    run.idle(0, IdleCause::Lock, "public.a, session 7");
    run.now = 21ms;
    run.start(9, 0);
    run.start(0, 1);
    run.start(1, 2);
    run.now = 31ms;
    run.finish(0, 0);
    run.finish(1, 0);
    run.finish(9, 0);
    run.end(Outcome::Clean);
    const Utilization use = utilizationOf(run.state);
    CHECK(use.begin == 1ms);
    CHECK(use.busyShare() == Approx(10.0 / 30));
    REQUIRE(use.idle.size() == 1);
    CHECK(use.idle[0].cause == IdleCause::Lock);
    CHECK(use.idle[0].total == 40ms);
    CHECK(use.idle[0].longestOn == "public.a, session 7");
    CHECK(utilizationOf(run.state, 25ms, 31ms).busyShare() == Approx(1));
}

TEST_CASE("who was added later was not idle before") {
    RunBuilder run(1);
    run.start(0, 1);
    run.now = 30ms;
    run.idle(2, IdleCause::Starting);
    run.now = 32ms;
    run.start(1, 2);
    run.now = 40ms;
    run.progress(1, 100);
    const Utilization use = utilizationOf(run.state);
    REQUIRE(use.workers.size() == 2);
    CHECK(use.workers[1].present == 10ms);
    CHECK(use.workers[1].busyShare() == Approx(0.8));
    CHECK(use.busyShare() == Approx(48.0 / 50));
    CHECK(utilizationOf(run.state, 0ms, 20ms).busyShare() == Approx(1));
    CHECK(utilizationOf(run.state, 35ms, 40ms).workers[1].present == 5ms);
}

TEST_CASE("before the first work nobody is busy") {
    CHECK(utilizationOf(RunBuilder(2).state).busyShare() == 0);
}

TEST_CASE("many waits for locks in many tasks add up, whatever part of the time is asked for") {
    RunBuilder run(1);
    for (uint32_t task = 0; task < 20; ++task) {  // 10 ms each: at work, waiting for 5, at work
        run.start(task, 1);
        run.now += 2ms;
        run.idle(1, IdleCause::Lock, "public.a, session 7");
        run.now += 5ms;
        run.post(TaskPhase{.span = {TaskId{task}, std::nullopt}, .phase = {}});
        run.now += 3ms;
        run.finish(task, 0);
    }
    run.now = 250ms;
    run.end(Outcome::Clean);
    const Utilization all = utilizationOf(run.state);
    CHECK(all.workers[0].busy == 100ms);
    CHECK(all.idle[0].total == 100ms);
    // Half of one wait and three whole ones.
    const Utilization part = utilizationOf(run.state, 44500us, 79ms);
    CHECK(part.workers[0].busy == 34500us - 2500us - 15ms);
    CHECK(part.idle[0].total == 17500us);
}

TEST_CASE("who waits for a lock in the middle of a task does not work meanwhile") {
    RunBuilder run(1);
    run.now = 10ms;
    run.start(0, 1);
    run.now = 12ms;
    run.idle(1, IdleCause::Lock, "public.a, session 7");
    run.now = 14ms;
    run.idle(1, IdleCause::Lock, "public.a, session 7");  // still
    CHECK(run.state.workers().at(WorkerId{1}).idle);
    run.now = 20ms;
    run.post(TaskPhase{.span = {TaskId{0}, std::nullopt}, .phase = {}});
    CHECK_FALSE(run.state.workers().at(WorkerId{1}).idle);
    CHECK(run.state.workers().at(WorkerId{1}).span);
    run.now = 30ms;
    run.finish(0, 0);
    run.end(Outcome::Clean);
    REQUIRE(run.state.idles().size() == 1);
    CHECK(run.state.idles()[0].begin == 12ms);
    CHECK(run.state.idles()[0].end == 20ms);
    CHECK(run.state.spans()[0].waited == 8ms);
    const Utilization use = utilizationOf(run.state);
    CHECK(use.workers[0].busyShare() == Approx(0.6));
    REQUIRE(use.idle.size() == 1);
    CHECK(use.idle[0].longestOn == "public.a, session 7");
}
