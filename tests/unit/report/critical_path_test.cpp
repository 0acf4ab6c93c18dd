// SPDX-License-Identifier: PostgreSQL
// The chain that a run's length came from, through dependencies and from one task of a worker to
// the next.
#include "core/report/critical_path.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::report;
using namespace gantry::test;
using namespace std::chrono_literals;

namespace {

std::vector<std::size_t> spansOf(const std::vector<CriticalStep>& path) {
    std::vector<std::size_t> spans;
    for (const CriticalStep& step : path) spans.push_back(step.span);
    return spans;
}

void planAfter(RunBuilder& run, uint32_t task, std::vector<TaskId> after) {
    PlannedTask planned;
    planned.task = TaskId{task};
    planned.kind = plan::TaskKind::Index;
    planned.object = "t" + std::to_string(task);
    planned.after = std::move(after);
    run.post(Plan{.tasks = {planned}, .lowerBoundMs = 0});
}

}  // namespace

TEST_CASE("before anything has begun there is no critical path") {
    CHECK(criticalPath(RunBuilder().state).empty());
}

TEST_CASE("the critical path goes through a dependency and through a worker's own queue") {
    RunBuilder run(2);
    planAfter(run, 0, {});
    planAfter(run, 1, {});
    planAfter(run, 2, {TaskId{1}});
    run.start(0, 1);  // span 0, 0…10 on worker 1
    run.start(1, 2);  // span 1, 0…20 on worker 2
    run.now = 10ms;
    run.finish(0, 0);
    run.now = 21ms;
    run.finish(1, 0);
    run.now = 23ms;
    run.start(2, 1);  // span 2, 23…30: waited for task 1, which worker 2 had
    run.now = 30ms;
    run.finish(2, 0);
    run.start(3, 1);  // span 3, 30…50: unplanned, behind span 2
    run.now = 50ms;
    run.finish(3, 0);
    const auto path = criticalPath(run.state);
    CHECK(spansOf(path) == std::vector<std::size_t>{1, 2, 3});
    CHECK(path[0].link == Link::Start);
    CHECK(path[1].link == Link::Dependency);
    CHECK(path[1].waited == 2ms);
    CHECK(path[2].link == Link::Worker);
    CHECK(path[2].waited == 0ms);
}

TEST_CASE("while it runs the critical path ends with what began first of what is left") {
    RunBuilder run(2);
    run.start(0, 1);
    run.now = 5ms;
    run.start(1, 2);
    run.now = 9ms;
    run.idle(3, IdleCause::Tail);
    CHECK(spansOf(criticalPath(run.state)) == std::vector<std::size_t>{0});
}

TEST_CASE("all chunks of a critical task are critical") {
    RunBuilder run(2);
    run.plan(0, 1000, true);
    run.plan(1, 10);
    run.start(0, 1, 500, 0);
    run.start(1, 2, 10);
    run.now = 2ms;
    run.finish(1, 10);
    run.start(0, 2, 500, 1);
    run.now = 10ms;
    run.finish(0, 500, 0, false);
    run.now = 12ms;
    run.finish(0, 500, 1);
    const auto path = criticalPath(run.state);
    CHECK(spansOf(path) == std::vector<std::size_t>{1, 2});
    CHECK(criticalSpans(run.state, path) == std::vector<bool>{true, true, true});
}

TEST_CASE("the critical path of a log whose plan goes in circles ends") {
    RunBuilder run;
    planAfter(run, 0, {TaskId{1}, TaskId{7}});
    planAfter(run, 1, {TaskId{0}});
    run.start(0);
    run.finish(0, 0);
    run.start(1);
    run.finish(1, 0);
    CHECK(spansOf(criticalPath(run.state)).back() <= 1);
}
