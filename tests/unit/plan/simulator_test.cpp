// SPDX-License-Identifier: PostgreSQL
// Virtual runs: by hand, against what theory promises, and how near typical plans come to the
// bound.
#include "core/plan/simulator.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <random>
#include <string_view>

#include "core/plan/lower_bound.h"
#include "tests/unit/plan/random_graph.h"

using namespace gantry;
using namespace gantry::plan;
using Catch::Approx;

namespace {

Task simulated(double cost, std::vector<TaskId> after = {}) {
    Task t;
    t.object = "t";
    t.cost = cost;
    t.after = std::move(after);
    return t;
}

double makespan(const TaskGraph& graph, uint32_t workers) {
    return simulate(graph, {.workers = workers, .duration = nullptr}).makespan;
}

/// Graham's promise for any list schedule of undivided tasks without pins and locks.
double grahamBound(const TaskGraph& graph, uint32_t workers) {
    double work = 0;
    for (const Task& t : graph.tasks) work += t.cost;
    const double path = lowerBound(graph, 1'000'000).seconds;
    return work / workers + path * (1 - 1.0 / workers);
}

}  // namespace

TEST_CASE("what would be done too late is given up, and what fits comes in its place") {
    TaskGraph graph;
    for (const double cost : {4, 3, 2, 1}) graph.add(simulated(cost));
    const Simulation run =
        simulate(graph, {.workers = 1, .weights = Weights{}, .duration = nullptr, .until = 5});
    CHECK(run.givenUp == std::vector<TaskId>{TaskId{1}, TaskId{2}});
    CHECK(run.makespan == Approx(5));
}

TEST_CASE("a simulated run by hand") {
    TaskGraph graph;
    graph.add(simulated(4));
    graph.add(simulated(3));
    graph.add(simulated(2));
    graph.add(simulated(2, {TaskId{1}, TaskId{2}}));
    const Simulation two =
        simulate(graph, {.workers = 2, .weights = Weights{}, .duration = nullptr});
    // 1: 3 then 2 then the last; 2: 4.
    CHECK(two.makespan == Approx(7));
    CHECK(two.busy == Approx(11));
    REQUIRE(two.spans.size() == 4);
    CHECK(two.spans[0].assignment.task == TaskId{1});
    CHECK(two.spans[0].worker == WorkerId{1});
    CHECK(two.spans[3].assignment.task == TaskId{3});
    CHECK(two.spans[3].begin == Approx(5));
    CHECK(makespan(graph, 1) == Approx(11));
    CHECK(makespan(graph, 3) == Approx(5));
    CHECK(makespan(TaskGraph{}, 3) == 0);
}

TEST_CASE("those who draw from one source end together") {
    TaskGraph graph;
    Task load = simulated(8);
    load.division = Division{.units = 4, .maxUnits = 1, .shared = true};
    graph.add(simulated(3));  // longer than what all of them together take for the load
    const TaskId loaded = graph.add(load);
    graph.add(simulated(1, {loaded}));
    const Simulation two = simulate(graph, {.workers = 2, .duration = nullptr});
    // 2: alone until 3, with 1 until 5.5.
    CHECK(two.makespan == Approx(6.5));
    CHECK(two.busy == Approx(12));
    REQUIRE(two.spans.size() == 6);  // with two that find nothing
    CHECK(two.spans[1].end == Approx(5.5));
    CHECK(two.spans[2].begin == Approx(3));
    CHECK(two.spans[2].end == Approx(5.5));
    CHECK(makespan(graph, 1) == Approx(12));
}

TEST_CASE("a plan runs with what its tasks really take") {
    TaskGraph graph;
    graph.add(simulated(4));
    graph.add(simulated(1));
    const Simulation real = simulate(
        graph,
        {.workers = 2, .duration = [](const Task& t, const Assignment&) { return 10 - t.cost; }});
    CHECK(real.makespan == Approx(9));
    CHECK(real.busy == Approx(15));
}

TEST_CASE("a plan that nobody can carry out does not end in silence") {
    TaskGraph graph;
    graph.add(simulated(1));
    graph.tasks[0].pinnedTo = WorkerId{9};
    CHECK_THROWS_WITH(makespan(graph, 2), "t: no worker is there that may take it");
}

TEST_CASE("what cannot be divided is not left to the end, when that leaves a worker idle") {
    // Loads of 2 that two connections share, then an index of 2 each.
    const auto tables = [](int count) {
        TaskGraph graph;
        std::vector<TaskId> rows;
        for (int i = 0; i < count; ++i) {
            Task load = simulated(2);
            load.division = Division{.units = 2, .maxUnits = 1};
            rows.push_back(graph.add(load));
        }
        for (const TaskId loaded : rows) graph.add(simulated(2, {loaded}));
        return graph;
    };
    // 1: load load index load index, 2: load load load index: the third index is not alone.
    CHECK_FALSE(bestWeights(tables(3), 2, kQuickSearch).empty());
    CHECK(makespan(tables(3), 2) == Approx(6));
    CHECK(simulate(tables(3), {.workers = 2, .weights = Weights{}, .duration = {}}).makespan ==
          Approx(7));
    SECTION("where it comes out even, nothing goes before the longer path") {
        CHECK(bestWeights(tables(4), 2, kQuickSearch).empty());
        CHECK(makespan(tables(4), 2) == Approx(8));
    }
    SECTION("the same plan is always carried out the same way") {
        CHECK(bestWeights(tables(3), 2, kQuickSearch) == bestWeights(tables(3), 2, kQuickSearch));
    }
    SECTION("one worker idles never") { CHECK(bestWeights(tables(3), 1, kQuickSearch).empty()); }
}

TEST_CASE("chains on fewer workers than there are chains come near the bound") {
    // Rows, index, foreign key of 20 tables: by the rule alone all foreign keys come at once.
    TaskGraph graph;
    for (int i = 0; i < 20; ++i) {
        const TaskId rows = graph.add(simulated(1.1 + 0.01 * (i % 3)));
        const TaskId index = graph.add(simulated(0.9, {rows}));
        graph.add(simulated(2.1, {index}));
    }
    const double bound = lowerBound(graph, 8).seconds;
    CHECK(simulate(graph, {.workers = 8, .weights = Weights{}, .duration = {}}).makespan >
          bound * 1.08);
    const Weights weights = bestWeights(graph, 8, kThoroughSearch);
    CHECK(simulate(graph, {.workers = 8, .weights = weights, .duration = {}}).makespan <
          bound * 1.05);
}

TEST_CASE("no simulated run beats the lower bound, and none is worse than theory allows") {
    for (uint32_t seed = 0; seed < 400; ++seed) {
        std::mt19937 random(seed);
        const uint32_t workers = 1 + seed % 9;
        TaskGraph graph = test::randomGraph(
            {.tasks = 80, .workers = workers, .pins = seed % 2 == 0, .locks = seed % 3 == 0},
            random);
        INFO("seed " << seed);
        Weights weights;  // no matter which
        for (uint32_t i = 0; seed % 5 > 0 && i < graph.tasks.size(); ++i) {
            weights.push_back(static_cast<double>(random() % 8));
        }
        const auto makespan = [&](const TaskGraph& plan) {
            return simulate(plan, {.workers = workers, .weights = weights, .duration = {}})
                .makespan;
        };
        REQUIRE(makespan(graph) >= lowerBound(graph, workers).seconds * (1 - 1e-9));
        for (Task& t : graph.tasks) {
            t.division.reset();
            t.pinnedTo.reset();
            t.locks.clear();
        }
        REQUIRE(makespan(graph) <= grahamBound(graph, workers) * (1 + 1e-9));
    }
}

namespace {

Task divisible(double cost, uint64_t units, uint64_t least) {
    Task t = simulated(cost);
    t.division = Division{.units = units, .minUnits = least};
    return t;
}

/// One table with most of the data, fifty small ones.
TaskGraph skewedDump() {
    TaskGraph graph;
    Task schema = simulated(2);
    schema.pinnedTo = WorkerId{0};
    graph.add(schema);
    graph.add(divisible(60, 90'000, 2'000));
    for (int i = 0; i < 50; ++i) graph.add(simulated(0.2 + 0.02 * i));
    return graph;
}

/// The same with tables that cannot be divided among those that can.
TaskGraph mixedDump() {
    TaskGraph graph;
    graph.add(divisible(400, 500'000, 2'000));
    for (int i = 0; i < 12; ++i) graph.add(simulated(30 - i));
    graph.add(divisible(50, 60'000, 2'000));
    for (int i = 0; i < 300; ++i) graph.add(simulated(0.5));
    return graph;
}

/// A large table over several connections, its four indexes, a primary key from one of them.
void addTable(TaskGraph& graph, uint64_t key, Task data, double indexCost, int indexes) {
    const double cost = data.cost;
    data.locks = {{.key = key, .mode = LockMode::RowExclusive}};
    const TaskId loaded = graph.add(data);
    for (int i = 0; i < indexes; ++i) {
        Task index = simulated(cost * indexCost, {loaded});
        index.locks = {{.key = key, .mode = LockMode::Share}};
        const TaskId built = graph.add(index);
        if (i > 0) continue;
        Task primary = simulated(0.001, {built});
        primary.locks = {{.key = key, .mode = LockMode::AccessExclusive}};
        graph.add(primary);
    }
}

TaskGraph skewedRestore() {
    TaskGraph graph;
    addTable(graph, 0, divisible(80, 100, 1), 0.2, 4);
    for (uint64_t i = 1; i <= 50; ++i)
        addTable(graph, i, simulated(1.0 + 0.02 * static_cast<double>(i)), 0.3, 2);
    return graph;
}

/// Twenty children with a foreign key to one parent: added NOT VALID, then validated.
TaskGraph foreignKeys() {
    TaskGraph graph;
    addTable(graph, 0, simulated(3), 0.3, 1);
    const TaskId parentKey{2};
    for (uint64_t i = 1; i <= 20; ++i) {
        Task data = simulated(3 + 0.1 * static_cast<double>(i));
        data.locks = {{.key = i, .mode = LockMode::RowExclusive}};
        const TaskId loaded = graph.add(data);
        Task add = simulated(0.002, {loaded, parentKey});
        add.locks = {{.key = i, .mode = LockMode::ShareRowExclusive},
                     {.key = 0, .mode = LockMode::ShareRowExclusive}};
        const TaskId added = graph.add(add);
        Task validate = simulated(1, {added});
        validate.locks = {{.key = i, .mode = LockMode::ShareUpdateExclusive},
                          {.key = 0, .mode = LockMode::RowShare}};
        graph.add(validate);
    }
    return graph;
}

}  // namespace

TEST_CASE("typical plans come within a twentieth of the lower bound") {
    const auto [name, graph] = GENERATE(
        table<const char*, TaskGraph>({{"a dump with one large table", skewedDump()},
                                       {"a dump with tables that cannot be divided", mixedDump()},
                                       {"a restore with one large table", skewedRestore()},
                                       {"many foreign keys to one table", foreignKeys()}}));
    for (const uint32_t workers : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
        // Twenty loads of equal length are two rounds for sixteen workers.
        if (name == std::string_view("many foreign keys to one table") && workers == 16) continue;
        INFO(name << ", workers: " << workers);
        CHECK(makespan(graph, workers) <= 1.05 * lowerBound(graph, workers).seconds);
    }
}

TEST_CASE("what cannot be divided is not kept waiting by what can") {
    TaskGraph graph;
    graph.add(divisible(100, 10'000, 10));
    graph.add(simulated(30));
    CHECK(makespan(graph, 4) == Approx(32.5).epsilon(0.01));
}
