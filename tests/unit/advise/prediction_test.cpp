// SPDX-License-Identifier: PostgreSQL
// Predictions for databases of every shape: never below what no order of the tasks can beat, never
// worse for one more job than what a further connection costs.
#include "core/advise/prediction.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/advise/shapes.h"

using namespace gantry;
using namespace gantry::advise;
using namespace gantry::test;

namespace {

void checkBounds(const CurvePoint& point, const CurvePoint& alone) {
    CAPTURE(point.jobs);
    CHECK(point.seconds >= point.lowerBound);
    CHECK(point.lowerBound > 0);
    // The bound itself: more workers are no faster than they are many.
    CHECK(point.seconds * point.jobs >= alone.lowerBound * 0.999);
}

}  // namespace

TEST_CASE("no prediction for 1 to 64 workers lies below the lower bound, whatever the shape") {
    for (const Shape shape : kShapes) {
        CAPTURE(nameOf(shape));
        DumpQuestion dump = dumpOf(shape);
        RestoreQuestion restore = restoreOf(shape);
        VacuumQuestion vacuum = vacuumOf(shape);
        for (Surroundings* where :
             {&dump.surroundings, &restore.surroundings, &vacuum.surroundings}) {
            where->localCores = 64;
            where->serverCores = 64;
        }
        const CurvePoint dumpAlone = predictDump(dump, 1);
        const CurvePoint restoreAlone = predictRestore(restore, 1);
        const CurvePoint vacuumAlone = predictVacuum(vacuum, 1);
        for (const uint32_t jobs : {1U, 2U, 4U, 7U, 16U, 64U}) {
            checkBounds(predictDump(dump, jobs), dumpAlone);
            checkBounds(predictRestore(restore, jobs), restoreAlone);
            checkBounds(predictVacuum(vacuum, jobs), vacuumAlone);
        }
    }
}

TEST_CASE("the longest chain is the one whose tasks take longest together") {
    plan::TaskGraph graph;
    const auto add = [&](double cost, std::vector<TaskId> after) {
        plan::Task task;
        task.cost = cost;
        task.after = std::move(after);
        return graph.add(std::move(task));
    };
    const TaskId a = add(1, {});
    const TaskId b = add(5, {});
    const TaskId c = add(3, {a});
    const TaskId d = add(2, {c, b});
    CHECK(longestChain(graph, 4) == std::vector<TaskId>{b, d});
    graph.tasks[a.value].cost = 3;
    CHECK(longestChain(graph, 4) == std::vector<TaskId>{a, c, d});
    CHECK(longestChain({}, 4).empty());
}

TEST_CASE("a resource that is full limits the prediction, and is named") {
    plan::TaskGraph graph;
    for (int i = 0; i < 8; ++i) {
        plan::Task task;
        task.cost = 10;
        graph.add(task);
    }
    Prediction prediction;
    prediction.plan = [&](uint32_t) { return graph; };
    prediction.demands = {{30, Limit::Disk}, {20, Limit::Network}};
    prediction.beginning = 1;
    CHECK(predict(prediction, 1).seconds == Catch::Approx(81));
    CHECK(predict(prediction, 1).limit == Limit::Connections);
    CHECK(predict(prediction, 4).seconds == Catch::Approx(31));
    CHECK(predict(prediction, 4).limit == Limit::Disk);
    const Curve curve = predictCurve(prediction, 8, 6, 5);
    CHECK(curve.points.size() == 8);
    CHECK(curve.mostJobs == 6);
    CHECK(curve.knee == 3);
    CHECK(beyondKnee(curve).jobs == 4);
}

TEST_CASE("a coarse curve knows powers of two and what lies between") {
    plan::TaskGraph graph;
    graph.add(plan::Task{});
    Prediction prediction;
    prediction.plan = [&](uint32_t) { return graph; };
    prediction.coarse = true;
    std::vector<uint32_t> jobs;
    for (const CurvePoint& point : predictCurve(prediction, 20, 20, 20).points) {
        jobs.push_back(point.jobs);
    }
    CHECK(jobs == std::vector<uint32_t>{1, 2, 3, 4, 6, 8, 12, 16, 20});
}

TEST_CASE("a curve for very many workers has fewer points, its first ones all") {
    plan::TaskGraph graph;
    graph.add(plan::Task{});
    Prediction prediction;
    prediction.plan = [&](uint32_t) { return graph; };
    const Curve curve = predictCurve(prediction, 128, 128, 128);
    CHECK(curve.points[31].jobs == 32);
    CHECK(curve.points[32].jobs == 40);
    CHECK(curve.points.back().jobs == 128);
}
