// SPDX-License-Identifier: PostgreSQL
// How tables become tasks of a dump, and for which of them the others make way.
#include "core/plan/dump_plan.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::plan;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
/// Half of the work on a row is in one line, and there are two processors.
constexpr RowWork kHalf{.processors = 2, .inOneLine = 0.5};

TableSize table(const std::string& name, uint64_t mebibytes) {
    return {.object = name,
            .heapBlocks = mebibytes * 128,
            .bytes = mebibytes * kMiB,
            .divisible = true};
}

/// The table, and others of 10 MiB each; definitions stand before them.
TaskGraph beside(const Task& large, int others) {
    TaskGraph graph;
    Task schema;
    schema.kind = TaskKind::Schema;
    schema.cost = 100;  // no table, and nobody's business here
    graph.add(schema);
    for (int i = 0; i < others; ++i) graph.add(planTable(table("small", 10), {}));
    graph.add(large);
    return graph;
}

bool dividesAfter(TaskGraph graph, uint32_t workers, const RowWork& work, bool expected) {
    const TaskId large = largestTable(graph).value();
    CHECK(graph[large].object == "large");
    CHECK(letGoFirst(graph, large, workers, work) == expected);
    return graph[large].division.has_value();
}

}  // namespace

TEST_CASE("without a table none is the largest") {
    TaskGraph graph;
    CHECK_FALSE(largestTable(graph));
    graph.add(planLargeObjects("large objects", 1000, 1000 * kMiB));
    CHECK_FALSE(largestTable(graph));
}

TEST_CASE("a large table stays whole where one processor is enough for what it takes of one") {
    const TaskGraph graph = beside(planTable(table("large", 800), {}), 20);
    REQUIRE(graph.tasks.back().division);
    // Four fifths of all rows, half of whose work is in one line: two processors have as much.
    CHECK_FALSE(dividesAfter(graph, 2, kHalf, true));
    CHECK_FALSE(dividesAfter(graph, 4, kHalf, true));
    CHECK(dividesAfter(graph, 2, {.processors = 2, .inOneLine = 0.7}, false));
    CHECK(dividesAfter(graph, 2, {.processors = 3, .inOneLine = 0.5}, false));
}

TEST_CASE("nobody makes way for a table while nobody would idle") {
    const TaskGraph graph = beside(planTable(table("large", 100), {}), 20);
    CHECK(dividesAfter(graph, 2, kHalf, false));       // it will stay whole by itself
    CHECK_FALSE(dividesAfter(graph, 3, kHalf, true));  // 200 are not ample for two others
    CHECK(dividesAfter(graph, 1, kHalf, false));
}

TEST_CASE("a large table that cannot be divided goes first, whatever it takes") {
    TableSize odd = table("large", 800);
    odd.divisible = false;
    const TaskGraph graph = beside(planTable(odd, {}), 20);
    CHECK_FALSE(dividesAfter(graph, 2, {.processors = 16, .inOneLine = 1}, true));
    CHECK_FALSE(dividesAfter(beside(planTable(odd, {}), 200), 2, kHalf, false));
}

TEST_CASE("a table that is to be divided always is") {
    const TaskGraph graph = beside(planTable(table("large", 800), {.divideAlways = true}), 20);
    CHECK(dividesAfter(graph, 2, kHalf, false));
}
