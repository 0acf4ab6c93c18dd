// SPDX-License-Identifier: PostgreSQL
// The scheduler by hand: who gets what, when, and why not.
#include "core/plan/scheduler.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/plan/simulator.h"

using namespace gantry;
using namespace gantry::plan;
using Cause = IdleReason::Cause;

namespace {

constexpr WorkerId kCoordinator{0};
constexpr WorkerId kOne{1};
constexpr WorkerId kTwo{2};

Task task(double cost, std::vector<TaskId> after = {}) {
    Task t;
    t.object = std::string("t");
    t.cost = cost;
    t.after = std::move(after);
    return t;
}

Task divisible(double cost, Division division) {
    Task t = task(cost);
    t.division = division;
    return t;
}

/// The assignment of an undivided task.
Assignment whole(uint32_t id) {
    return {.task = TaskId{id}, .chunk = std::nullopt, .begin = 0, .end = 0, .last = true};
}

uint32_t take(Scheduler& scheduler, WorkerId worker) {
    return scheduler.next(worker).value().task.value;
}

}  // namespace

TEST_CASE("once one source is empty, nobody waits for those who would have drawn from it too") {
    TaskGraph graph;
    graph.add(divisible(40, {.units = 4, .maxUnits = 1, .shared = true}));
    graph.add(task(1, {TaskId{0}}));
    graph.add(task(100));
    graph.add(task(90));
    Scheduler scheduler(std::move(graph), 4);
    CHECK(take(scheduler, WorkerId{3}) == 2);
    CHECK(take(scheduler, WorkerId{4}) == 3);
    const auto one = scheduler.next(kOne);
    const auto two = scheduler.next(kTwo);
    REQUIRE(one);
    REQUIRE(two);
    CHECK(two->chunk == 1);
    CHECK(scheduler.add(task(80)) == TaskId{4});
    scheduler.finished(*one);
    const auto three = scheduler.next(kOne);  // before what takes longer
    REQUIRE(three);
    CHECK(three->task == TaskId{0});
    CHECK(three->chunk == 2);
    scheduler.finished(*three);
    const auto four = scheduler.next(kOne);
    REQUIRE(four);
    CHECK(four->chunk == 3);
    scheduler.finished(*four);
    CHECK_FALSE(scheduler.isFinished(TaskId{0}));
    scheduler.finished(*two);
    CHECK(scheduler.isFinished(TaskId{0}));
    CHECK(take(scheduler, kTwo) == 4);
    CHECK(take(scheduler, kOne) == 1);
}

TEST_CASE("weights are for comparing, and for those that have one") {
    TaskGraph graph;
    graph.add(task(4));
    graph.add(task(3));
    graph.add(task(2));
    Scheduler scheduler(std::move(graph), 1, {0.5, 1.5});
    CHECK(take(scheduler, kOne) == 1);
    CHECK(scheduler.add(task(2.5)) == TaskId{3});
    CHECK(take(scheduler, kOne) == 3);
    CHECK(take(scheduler, kOne) == 0);  // as long as the last one, and before it in the plan
    CHECK(take(scheduler, kOne) == 2);
}

TEST_CASE("the longest remaining path goes first, then the order of the plan") {
    TaskGraph graph;
    graph.add(task(3));
    graph.add(task(1));  // leads to the longest path: 1 + 5
    graph.add(task(5, {TaskId{1}}));
    graph.add(task(3));
    Scheduler scheduler(std::move(graph), 2);
    const auto first = scheduler.next(kOne);
    REQUIRE(first);
    CHECK(first->task == TaskId{1});
    CHECK_FALSE(first->chunk);
    CHECK(first->last);
    CHECK(take(scheduler, kTwo) == 0);
    scheduler.finished(*first);
    CHECK(take(scheduler, kOne) == 2);
    CHECK(take(scheduler, kOne) == 3);
    CHECK_FALSE(scheduler.next(kOne));
}

TEST_CASE("a worker alone takes a table whole; what has not begun is divided when others come") {
    const Division division{.units = 100, .minUnits = 10, .maxUnits = 100, .preferWhole = true};
    TaskGraph graph;
    graph.add(divisible(50, division));
    graph.add(divisible(40, division));
    Scheduler scheduler(std::move(graph), 1);
    const Assignment first = scheduler.next(kOne).value();
    CHECK(first.task == TaskId{0});
    CHECK_FALSE(first.chunk);
    CHECK(first.end == 100);
    CHECK(first.last);

    scheduler.setWorkers(2);
    const Assignment part = scheduler.next(kTwo).value();
    CHECK(part.task == TaskId{1});
    CHECK(part.chunk == 0U);
    CHECK(part.end == 25);
    scheduler.finished(first);
    CHECK(scheduler.isFinished(TaskId{0}));
    // Once begun in parts it goes on so, also for one that is alone again.
    scheduler.setWorkers(1);
    const Assignment next = scheduler.next(kOne).value();
    CHECK(next.task == TaskId{1});
    CHECK(next.chunk == 1U);
    CHECK(next.begin == 25);
}

TEST_CASE("tables stay whole while there is twice as much for every other worker") {
    const Division division{.units = 100, .minUnits = 10, .preferWhole = true};
    TaskGraph graph;
    graph.add(divisible(10, division));
    graph.add(
        divisible(90, division));  // of 150: two thirds of it would keep one worker busy alone
    for (int i = 0; i < 5; ++i) graph.add(divisible(10, division));
    Scheduler scheduler(std::move(graph), 2);
    std::set<uint32_t> divided;
    std::set<uint32_t> undivided;
    while (const auto assignment = scheduler.next(kOne)) {
        (assignment->chunk ? divided : undivided).insert(assignment->task.value);
        scheduler.finished(*assignment);
    }
    CHECK(scheduler.isDone());
    CHECK(undivided == std::set<uint32_t>{0, 2, 3, 4, 5});
    CHECK(divided == std::set<uint32_t>{1, 6});
}

TEST_CASE("a worker alone divides nothing, however costs add up") {
    TaskGraph graph;
    for (int i = 1; i <= 40; ++i) {
        graph.add(divisible(0.1 * i, {.units = 1000, .minUnits = 10, .preferWhole = true}));
    }
    Scheduler scheduler(std::move(graph), 1);
    while (const auto assignment = scheduler.next(kOne)) {
        CHECK_FALSE(assignment->chunk);
        scheduler.finished(*assignment);
    }
    CHECK(scheduler.isDone());
}

TEST_CASE("equal tables of which some stay whole end together nevertheless") {
    const uint32_t workers = GENERATE(2U, 3U, 8U);
    TaskGraph graph;
    for (int i = 0; i < 13; ++i) {
        graph.add(divisible(10, {.units = 1000, .minUnits = 10, .preferWhole = true}));
    }
    const double makespan = simulate(graph, {.workers = workers, .duration = {}}).makespan;
    CHECK(makespan < 130.0 / workers * 1.02);
}

TEST_CASE("a whole table that has to be read again is so as a whole") {
    TaskGraph graph;
    graph.add(divisible(50, {.units = 100, .minUnits = 10, .maxUnits = 50, .preferWhole = true}));
    Scheduler scheduler(std::move(graph), 1);
    scheduler.retry(scheduler.next(kOne).value());
    scheduler.setWorkers(4);
    const Assignment again = scheduler.next(kTwo).value();
    CHECK_FALSE(again.chunk);
    CHECK(again.end == 100);
    CHECK_FALSE(scheduler.next(kOne));
    scheduler.finished(again);
    CHECK(scheduler.isDone());
}

TEST_CASE("what is urgent goes before what takes longer") {
    TaskGraph graph;
    graph.add(task(30));
    graph.add(task(1));
    graph.add(task(2));
    graph.tasks[1].urgent = graph.tasks[2].urgent = true;
    Scheduler scheduler(graph, 1);
    CHECK(take(scheduler, kOne) == 2);
    CHECK(take(scheduler, kOne) == 1);
    CHECK(take(scheduler, kOne) == 0);
}

TEST_CASE("a task waits for all it comes after, and finished ones do not count") {
    TaskGraph graph;
    graph.add(task(1));
    graph.add(task(1));
    graph.add(task(1, {TaskId{0}, TaskId{1}, TaskId{1}}));
    Scheduler scheduler(std::move(graph), 2);
    const Assignment a = scheduler.next(kOne).value();
    const Assignment b = scheduler.next(kTwo).value();
    scheduler.finished(a);
    CHECK_FALSE(scheduler.next(kOne));
    CHECK_FALSE(scheduler.isFinished(b.task));
    scheduler.finished(b);
    CHECK(scheduler.isFinished(b.task));
    const Assignment c = scheduler.next(kOne).value();
    CHECK(c.task == TaskId{2});
    scheduler.finished(c);
    CHECK(scheduler.isDone());
    const TaskId late = scheduler.add(task(1, {TaskId{0}, TaskId{2}}));
    CHECK_FALSE(scheduler.isDone());
    CHECK(take(scheduler, kOne) == late.value);
}

TEST_CASE("a plan that cannot be carried out is refused") {
    TaskGraph circle;
    circle.add(task(1, {TaskId{2}}));
    circle.add(task(1, {TaskId{0}}));
    circle.add(task(1, {TaskId{1}}));
    CHECK_THROWS_WITH(Scheduler(circle, 1), "t: tasks wait for each other in a circle");
    TaskGraph dangling;
    dangling.add(task(1, {TaskId{7}}));
    CHECK_THROWS_WITH(Scheduler(dangling, 1), "t: the task waits for one that does not exist");
    Scheduler scheduler(TaskGraph{}, 1);
    CHECK_THROWS_WITH(scheduler.add(task(1, {TaskId{0}})),
                      "t: the task waits for one that does not exist");
}

TEST_CASE("work that comes to light lengthens the path of what it waits for") {
    TaskGraph graph;
    graph.add(task(1));
    graph.add(task(1));
    graph.add(task(2));
    graph.add(task(1, {TaskId{1}}));
    Scheduler scheduler(std::move(graph), 1);
    scheduler.add(task(9, {TaskId{3}}));
    CHECK(take(scheduler, kOne) == 1);
    CHECK(take(scheduler, kOne) == 2);
}

TEST_CASE("chunks are large first and small at the tail") {
    TaskGraph graph;
    graph.add(divisible(100, {.units = 1000, .minUnits = 50, .maxUnits = 400}));
    Scheduler scheduler(std::move(graph), 2);
    std::vector<uint64_t> sizes;
    while (const auto chunk = scheduler.next(kOne)) {
        CHECK(chunk->chunk == sizes.size());
        sizes.push_back(chunk->end - chunk->begin);
        CHECK(chunk->last == (chunk->end == 1000));
    }
    CHECK(sizes == std::vector<uint64_t>{250, 187, 140, 105, 79, 59, 50, 50, 80});
}

TEST_CASE("a chunk keeps to the largest size even at the tail") {
    TaskGraph graph;
    graph.add(divisible(100, {.units = 25, .minUnits = 8, .maxUnits = 10}));
    Scheduler scheduler(std::move(graph), 1);
    std::vector<uint64_t> sizes;
    while (const auto chunk = scheduler.next(kOne)) sizes.push_back(chunk->end - chunk->begin);
    CHECK(sizes == std::vector<uint64_t>{10, 8, 7});
}

TEST_CASE("the number of workers decides about chunks to come") {
    TaskGraph graph;
    graph.add(divisible(100, {.units = 1000}));
    Scheduler scheduler(std::move(graph), 1);
    CHECK(scheduler.next(kOne)->end == 500);
    scheduler.setWorkers(5);
    CHECK(scheduler.next(kOne)->end == 550);
}

TEST_CASE("of a divisible task counts what remains of it") {
    TaskGraph graph;
    graph.add(divisible(10, {.units = 100, .minUnits = 50}));
    graph.add(task(7));
    Scheduler scheduler(std::move(graph), 1);
    CHECK(take(scheduler, kOne) == 0);
    CHECK(take(scheduler, kOne) == 1);
    CHECK(take(scheduler, kOne) == 0);
}

TEST_CASE("what one worker alone must do goes before what all can share") {
    TaskGraph graph;
    graph.add(divisible(10, {.units = 100}));
    graph.add(task(6));
    graph.add(divisible(9, {.units = 100, .minUnits = 60}));  // two chunks at most
    Scheduler scheduler(std::move(graph), 4);
    CHECK(take(scheduler, kOne) == 1);
    CHECK(take(scheduler, kOne) == 2);  // 4.5 beside 2.5
    CHECK(take(scheduler, kOne) == 0);
}

TEST_CASE("with another number of workers another path may be the longest") {
    TaskGraph graph;
    graph.add(divisible(10, {.units = 100}));
    graph.add(task(6));
    graph.add(task(1));
    Task behind = divisible(10, {.units = 100});
    behind.after = {TaskId{2}};
    graph.add(behind);
    Scheduler scheduler(std::move(graph), 4);
    scheduler.setWorkers(1);
    CHECK(take(scheduler, kOne) == 2);
    CHECK(take(scheduler, kOne) == 0);
    scheduler.setWorkers(4);
    CHECK(take(scheduler, kOne) == 1);
}

TEST_CASE("a task that turns out longer is extended, and its last chunk is not the last") {
    TaskGraph graph;
    graph.add(divisible(10, {.units = 2, .minUnits = 2}));
    graph.add(task(1, {TaskId{0}}));
    Scheduler scheduler(std::move(graph), 2);
    const Assignment first = scheduler.next(kOne).value();
    CHECK(first.last);
    CHECK_FALSE(scheduler.next(kTwo));
    CHECK(scheduler.extend(TaskId{0}, 4));
    CHECK(scheduler.graph()[TaskId{0}].cost == 20);
    scheduler.retry(first);
    CHECK_FALSE(scheduler.next(kTwo)->last);
    const Assignment second = scheduler.next(kOne).value();
    CHECK(second.begin == 2);
    CHECK(second.end == 4);
    CHECK(second.last);
    scheduler.finished(first);
    CHECK_FALSE(scheduler.next(kTwo));
    scheduler.finished(second);
    CHECK(take(scheduler, kTwo) == 1);
    CHECK_FALSE(scheduler.extend(TaskId{0}, 9));  // too late
    CHECK_FALSE(scheduler.extend(TaskId{1}, 9));  // not divisible
}

TEST_CASE("a task that nobody has begun can be extended too, and comes earlier") {
    TaskGraph graph;
    graph.add(task(1));
    graph.add(divisible(1, {.units = 10, .minUnits = 10}));
    graph.add(task(2));
    Task waiting = divisible(1, {.units = 1});
    waiting.after = {TaskId{0}};
    graph.add(waiting);
    Scheduler scheduler(std::move(graph), 1);
    CHECK(scheduler.extend(TaskId{1}, 100));
    CHECK(scheduler.extend(TaskId{3}, 5));
    const Assignment half = scheduler.next(kOne).value();
    CHECK(half.task == TaskId{1});
    CHECK(half.end == 50);
    CHECK(take(scheduler, kOne) == 0);  // it leads to the five
    scheduler.givenUp(half);
    CHECK_FALSE(scheduler.extend(TaskId{1}, 200));
    CHECK(take(scheduler, kOne) == 2);
}

TEST_CASE("what is pinned goes to its worker alone, and the coordinator takes nothing else") {
    TaskGraph graph;
    Task mine = task(9);
    mine.pinnedTo = kTwo;
    graph.add(mine);
    mine.pinnedTo = kCoordinator;
    graph.add(mine);
    graph.add(task(1));
    Scheduler scheduler(std::move(graph), 2);
    CHECK(take(scheduler, kOne) == 2);
    CHECK_FALSE(scheduler.next(kOne));
    CHECK(take(scheduler, kCoordinator) == 1);
    CHECK_FALSE(scheduler.next(kCoordinator));
    CHECK(take(scheduler, kTwo) == 0);
}

TEST_CASE("a retried chunk comes again as it was, ahead of everything else") {
    TaskGraph graph;
    graph.add(divisible(10, {.units = 100}));
    graph.add(task(100));
    Scheduler scheduler(std::move(graph), 1);
    CHECK(take(scheduler, kOne) == 1);
    const Assignment chunk = scheduler.next(kOne).value();
    scheduler.retry(chunk);
    CHECK_FALSE(scheduler.next(kCoordinator));
    const Assignment again = scheduler.next(kOne).value();
    CHECK(again.chunk == chunk.chunk);
    CHECK(again.begin == chunk.begin);
    CHECK(again.end == chunk.end);
    scheduler.retry(again, kCoordinator);
    CHECK(scheduler.next(kOne).value().chunk == 1);
    CHECK(scheduler.next(kCoordinator).value().chunk == 0);
}

TEST_CASE("what is pinned stays pinned when it is retried") {
    TaskGraph graph;
    Task schema = task(1);
    schema.pinnedTo = kCoordinator;
    graph.add(schema);
    Scheduler scheduler(std::move(graph), 2);
    scheduler.retry(scheduler.next(kCoordinator).value());
    CHECK_FALSE(scheduler.next(kOne));
    CHECK(take(scheduler, kCoordinator) == 0);
}

TEST_CASE("a divided task is finished when its last running chunk is") {
    TaskGraph graph;
    graph.add(divisible(10, {.units = 2, .minUnits = 1, .maxUnits = 1}));
    graph.add(task(1, {TaskId{0}}));
    Scheduler scheduler(std::move(graph), 2);
    const Assignment a = scheduler.next(kOne).value();
    const Assignment b = scheduler.next(kTwo).value();
    scheduler.finished(b);
    CHECK_FALSE(scheduler.isFinished(TaskId{0}));
    CHECK_FALSE(scheduler.next(kTwo));
    scheduler.retry(a);
    CHECK_FALSE(scheduler.isFinished(TaskId{0}));
    scheduler.finished(scheduler.next(kTwo).value());
    CHECK(scheduler.isFinished(TaskId{0}));
    CHECK(take(scheduler, kTwo) == 1);
}

TEST_CASE("a task given up lets go on what waits for it, once nothing of it runs") {
    TaskGraph graph;
    graph.add(divisible(10, {.units = 3, .minUnits = 1, .maxUnits = 1}));
    graph.add(task(1, {TaskId{0}}));
    Scheduler scheduler(std::move(graph), 2);
    const Assignment a = scheduler.next(kOne).value();
    const Assignment b = scheduler.next(kTwo).value();
    scheduler.givenUp(a);
    CHECK_FALSE(scheduler.next(kOne));  // neither its third chunk nor what comes after it
    scheduler.retry(b);                 // too late
    CHECK(take(scheduler, kOne) == 1);
    CHECK_FALSE(scheduler.isFinished(TaskId{0}));
    CHECK_FALSE(scheduler.isDone());
    scheduler.finished(whole(1));
    CHECK(scheduler.isDone());
}

TEST_CASE("only what nobody has begun can be withdrawn") {
    TaskGraph graph;
    graph.add(task(5));
    graph.add(task(4));
    graph.add(task(3, {TaskId{0}}));
    graph.add(task(2, {TaskId{2}}));
    Scheduler scheduler(std::move(graph), 1);
    const Assignment first = scheduler.next(kOne).value();
    CHECK_FALSE(scheduler.withdraw(TaskId{0}));
    CHECK(scheduler.withdraw(TaskId{1}));
    CHECK_FALSE(scheduler.withdraw(TaskId{1}));
    CHECK(scheduler.withdraw(TaskId{2}));  // waiting still
    CHECK_FALSE(scheduler.isFinished(TaskId{2}));
    CHECK(take(scheduler, kTwo) == 3);  // what came after it goes on
    scheduler.finished(first);
    CHECK_FALSE(scheduler.next(kOne));
    scheduler.finished(whole(3));
    CHECK(scheduler.isDone());
}

TEST_CASE("tasks that share a lock take turns, readers go together") {
    TaskGraph graph;
    for (const double cost : {9.0, 8.0, 7.0, 6.0}) graph.add(task(cost));
    graph.tasks[0].locks = {{.key = 1}};
    graph.tasks[1].locks = {{.key = 1, .mode = LockMode::RowShare}};
    graph.tasks[2].locks = {{.key = 1}};
    graph.tasks[3].locks = {{.key = 1, .mode = LockMode::RowShare}};
    Scheduler scheduler(std::move(graph), 4);
    const Assignment first = scheduler.next(kOne).value();
    CHECK_FALSE(scheduler.next(kTwo));
    CHECK(scheduler.whyIdle(kTwo).cause == Cause::Lock);
    CHECK(scheduler.whyIdle(kTwo).on == TaskId{0});
    scheduler.finished(first);
    CHECK(take(scheduler, kOne) == 1);
    CHECK(take(scheduler, kTwo) == 3);  // beside its like, past the one that must wait
    CHECK_FALSE(scheduler.next(kOne));
    scheduler.finished(whole(1));
    CHECK_FALSE(scheduler.next(kOne));
    scheduler.finished(whole(3));
    CHECK(take(scheduler, kOne) == 2);
}

TEST_CASE("locks conflict as the server's do") {
    // The documentation's table, from AccessShare to AccessExclusive.
    const std::vector<std::string> rows{
        ".......X",  // AccessShare
        "......XX",  // RowShare
        "....XXXX",  // RowExclusive
        "...XXXXX",  // ShareUpdateExclusive
        "..XX.XXX",  // Share
        "..XXXXXX",  // ShareRowExclusive
        ".XXXXXXX",  // Exclusive
        "XXXXXXXX",  // AccessExclusive
    };
    for (uint8_t one = 0; one < kLockModes; ++one) {
        for (uint8_t other = 0; other < kLockModes; ++other) {
            INFO(static_cast<int>(one) << " and " << static_cast<int>(other));
            CHECK(conflict(LockMode{one}, LockMode{other}) == (rows[one][other] == 'X'));
        }
    }
}

TEST_CASE("indexes of a table are built together, but not beside what changes the table") {
    TaskGraph graph;
    for (const double cost : {9.0, 8.0, 7.0, 6.0, 5.0}) graph.add(task(cost));
    graph.tasks[0].locks = {{.key = 1, .mode = LockMode::Share}};
    graph.tasks[1].locks = {{.key = 1, .mode = LockMode::ShareUpdateExclusive}};
    graph.tasks[2].locks = {{.key = 1, .mode = LockMode::RowExclusive}};
    graph.tasks[3].locks = {{.key = 1, .mode = LockMode::Share}};
    graph.tasks[4].locks = {{.key = 1, .mode = LockMode::RowShare}};
    Scheduler scheduler(std::move(graph), 4);
    CHECK(take(scheduler, kOne) == 0);
    CHECK(take(scheduler, kTwo) == 3);
    CHECK(take(scheduler, kOne) == 4);
    CHECK_FALSE(scheduler.next(kOne));
    scheduler.finished(whole(0));
    CHECK_FALSE(scheduler.next(kOne));
    scheduler.finished(whole(3));
    CHECK(take(scheduler, kOne) == 1);
    CHECK(take(scheduler, kTwo) == 2);
}

TEST_CASE("a retried task waits for its lock like any other") {
    TaskGraph graph;
    for (const double cost : {2.0, 1.0}) graph.add(task(cost));
    for (Task& t : graph.tasks) t.locks = {{.key = 7}};
    Scheduler scheduler(std::move(graph), 2);
    const Assignment first = scheduler.next(kOne).value();
    CHECK_FALSE(scheduler.next(kTwo));
    scheduler.retry(first, kCoordinator);
    CHECK(take(scheduler, kTwo) == 1);
    CHECK_FALSE(scheduler.next(kCoordinator));
    CHECK(scheduler.whyIdle(kCoordinator).cause == Cause::Lock);
    scheduler.finished(whole(1));
    CHECK(take(scheduler, kCoordinator) == 0);
}

TEST_CASE("whoever has to wait at another lock lets the others have the first") {
    TaskGraph graph;
    for (const double cost : {9.0, 8.0, 7.0, 6.0}) graph.add(task(cost));
    graph.tasks[0].locks = {{.key = 1}};
    graph.tasks[1].locks = {{.key = 2}};
    graph.tasks[2].locks = {{.key = 1}, {.key = 2}};
    graph.tasks[3].locks = {{.key = 1}};
    Scheduler scheduler(std::move(graph), 3);
    const Assignment first = scheduler.next(kOne).value();
    CHECK(take(scheduler, kTwo) == 1);
    CHECK_FALSE(scheduler.next(kOne));
    scheduler.finished(first);
    CHECK(take(scheduler, kOne) == 3);
}

TEST_CASE("withdrawing whoever was next at a lock lets the others have it") {
    TaskGraph graph;
    for (const double cost : {3.0, 2.0, 1.0}) graph.add(task(cost));
    for (Task& t : graph.tasks) t.locks = {{.key = 7}};
    Scheduler scheduler(std::move(graph), 3);
    const Assignment first = scheduler.next(kOne).value();
    CHECK_FALSE(scheduler.next(kTwo));  // both others are parked now
    scheduler.finished(first);
    CHECK(scheduler.withdraw(TaskId{1}));
    CHECK(take(scheduler, kTwo) == 2);
}

TEST_CASE("whoever idles is told what for") {
    TaskGraph graph;
    graph.add(task(1));
    graph.add(task(9));
    graph.add(task(5, {TaskId{0}}));
    Scheduler scheduler(std::move(graph), 3);
    const Assignment b = scheduler.next(kOne).value();
    REQUIRE(b.task == TaskId{1});
    const Assignment a = scheduler.next(kTwo).value();
    CHECK(scheduler.whyIdle(kTwo).cause == Cause::Dependency);
    CHECK(scheduler.whyIdle(kTwo).on == TaskId{0});
    scheduler.finished(a);
    CHECK(take(scheduler, kTwo) == 2);
    CHECK(scheduler.whyIdle(kTwo).cause == Cause::Tail);
    CHECK(scheduler.whyIdle(kTwo).on == TaskId{1});
    scheduler.expectMore(true);
    CHECK(scheduler.whyIdle(kTwo).cause == Cause::Dependency);
    scheduler.finished(b);
    scheduler.finished(whole(2));
    CHECK_FALSE(scheduler.isDone());
    CHECK_FALSE(scheduler.whyIdle(kTwo).on);
    scheduler.expectMore(false);
    CHECK(scheduler.isDone());
}

TEST_CASE("estimates that are nonsense do not break the order") {
    TaskGraph graph;
    graph.add(task(std::numeric_limits<double>::quiet_NaN()));
    graph.add(divisible(std::numeric_limits<double>::infinity(), {.units = 0}));
    graph.add(task(-5));
    graph.add(task(1));
    Scheduler scheduler(std::move(graph), 1);
    const Assignment empty = scheduler.next(kOne).value();
    CHECK(empty.task == TaskId{1});
    CHECK(empty.last);
    CHECK(take(scheduler, kOne) == 3);
    CHECK(take(scheduler, kOne) == 0);
    CHECK(take(scheduler, kOne) == 2);
}
