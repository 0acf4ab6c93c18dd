// SPDX-License-Identifier: PostgreSQL
#include "core/plan/lower_bound.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::plan;
using Catch::Approx;
using BoundCause = LowerBound::Cause;

namespace {

Task costing(double cost, std::vector<TaskId> after = {}) {
    Task t;
    t.cost = cost;
    t.after = std::move(after);
    return t;
}

void expect(const TaskGraph& graph, uint32_t workers, double seconds, BoundCause cause) {
    const LowerBound bound = lowerBound(graph, workers);
    CHECK(bound.seconds == Approx(seconds));
    CHECK(toString(bound.cause) == toString(cause));
}

}  // namespace

TEST_CASE("work is shared out, until the longest task or chain is what counts") {
    TaskGraph graph;
    for (int i = 0; i < 10; ++i) graph.add(costing(3));
    expect(graph, 1, 30, BoundCause::Work);
    expect(graph, 4, 7.5, BoundCause::Work);
    expect(graph, 0, 30, BoundCause::Work);
    expect(graph, 64, 3, BoundCause::Path);
    graph.add(costing(2, {TaskId{3}}));
    graph.add(costing(4, {TaskId{10}, TaskId{0}}));
    expect(graph, 64, 9, BoundCause::Path);
    expect(TaskGraph{}, 4, 0, BoundCause::Work);
}

TEST_CASE("a divided task is as short on a path as its smallest chunks allow") {
    TaskGraph graph;
    Task large = costing(60);
    large.division = Division{.units = 100, .minUnits = 30};  // four chunks at most
    graph.add(large);
    graph.add(costing(5, {TaskId{0}}));
    expect(graph, 1, 65, BoundCause::Work);
    expect(graph, 2, 35, BoundCause::Path);
    expect(graph, 64, 20, BoundCause::Path);
    graph.tasks[0].pinnedTo = WorkerId{3};
    expect(graph, 64, 65, BoundCause::Path);
}

TEST_CASE("what is pinned waits for its worker, and the coordinator is not one of the others") {
    TaskGraph graph;
    for (int i = 0; i < 8; ++i) graph.add(costing(2));
    expect(graph, 4, 4, BoundCause::Work);
    for (uint32_t i = 0; i < 3; ++i) graph.tasks[i].pinnedTo = WorkerId{2};
    expect(graph, 4, 6, BoundCause::Worker);
    for (uint32_t i = 0; i < 3; ++i) graph.tasks[i].pinnedTo = WorkerId{0};
    expect(graph, 1, 10, BoundCause::Work);
    expect(graph, 4, 6, BoundCause::Worker);
}

TEST_CASE("tasks that exclude each other at a lock come one after the other") {
    TaskGraph graph;
    for (int i = 0; i < 4; ++i) graph.add(costing(3));
    for (Task& t : graph.tasks) t.locks = {{.key = 5, .mode = LockMode::Share}};
    expect(graph, 4, 3, BoundCause::Work);  // indexes are built side by side
    for (Task& t : graph.tasks) t.locks = {{.key = 5, .mode = LockMode::ShareRowExclusive}};
    expect(graph, 4, 12, BoundCause::Lock);
    graph.tasks[0].locks = {{.key = 6}, {.key = 6, .mode = LockMode::Exclusive}};
    expect(graph, 4, 9, BoundCause::Lock);
}

TEST_CASE("costs that are nonsense do not count") {
    TaskGraph graph;
    graph.add(costing(-7));
    graph.add(costing(2));
    expect(graph, 1, 2, BoundCause::Work);
}
