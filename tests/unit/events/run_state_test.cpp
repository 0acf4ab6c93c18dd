// SPDX-License-Identifier: PostgreSQL
#include "core/events/run_state.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::events;
using namespace std::chrono_literals;

namespace {

struct Run {
    RunState state;
    void plan(uint32_t id, uint64_t bytes) {
        PlannedTask task;
        task.task = TaskId{id};
        task.estimatedBytes = bytes;
        task.divisible = true;
        Plan event;
        event.tasks = {task};
        state.apply(Event{1s, event});
    }
    void start(uint32_t id, uint32_t chunk, uint64_t estimate) {
        TaskStarted event;
        event.span = {TaskId{id}, chunk};
        event.worker = WorkerId{chunk + 1};
        event.estimatedBytes = estimate;
        state.apply(Event{1s, event});
    }
    void progress(uint32_t id, uint32_t chunk, uint64_t bytes) {
        TaskProgress event;
        event.span = {TaskId{id}, chunk};
        event.bytes = bytes;
        state.apply(Event{1s, event});
    }
    void finish(uint32_t id, uint32_t chunk, uint64_t bytes) {
        TaskFinished event;
        event.span = {TaskId{id}, chunk};
        event.bytes = bytes;
        state.apply(Event{1s, event});
    }
    double fractionOf(std::size_t span) const { return state.spanFraction(state.spans()[span]); }
};

}  // namespace

TEST_CASE("estimates are corrected by what has finished: of the same table, else of all") {
    Run run;
    run.plan(1, 1000);
    run.plan(2, 1000);
    run.start(1, 0, 500);
    run.progress(1, 0, 125);
    CHECK(run.fractionOf(0) == Catch::Approx(0.25));
    CHECK(run.state.fraction() == Catch::Approx(0.0625));
    CHECK(run.state.expectedBytes() == 2000);

    // Half of what was thought, so the rest will be half as well.
    run.finish(1, 0, 250);
    CHECK(run.state.fraction() == Catch::Approx(0.25));
    CHECK(run.state.expectedBytes() == 1000);
    run.start(1, 1, 500);
    run.progress(1, 1, 125);
    CHECK(run.fractionOf(1) == Catch::Approx(0.5));
    CHECK(run.state.fraction() == Catch::Approx(0.375));
    CHECK(run.state.expectedBytes() == 1000);
    run.start(2, 2, 1000);
    run.progress(2, 2, 100);
    CHECK(run.fractionOf(2) == Catch::Approx(0.2));

    // Twice of what was thought in this table only.
    run.finish(2, 2, 2000);
    CHECK(run.fractionOf(1) == Catch::Approx(0.5));
    CHECK(run.state.fraction() == Catch::Approx(0.875));
}

TEST_CASE("too small a sample corrects nothing, and nothing is ever more than whole") {
    Run run;
    run.plan(1, 100'000);
    run.plan(2, 100);
    run.start(2, 0, 100);
    run.finish(2, 0, 1);
    run.start(1, 1, 100'000);
    run.progress(1, 1, 50'000);
    CHECK(run.fractionOf(1) == Catch::Approx(0.5));
    CHECK(run.state.expectedBytes() == 100'001);
    run.progress(1, 1, 400'000);
    CHECK(run.fractionOf(1) == 1.0);
    CHECK(run.state.fraction() == Catch::Approx(0.999));
    CHECK(run.state.expectedBytes() == 400'001);

    Run unknown;
    unknown.start(1, 0, 0);
    unknown.progress(1, 0, 10);
    CHECK(unknown.fractionOf(0) == 0);
    CHECK(unknown.state.fraction() == 0);
    CHECK(unknown.state.expectedBytes() == 10);
}
