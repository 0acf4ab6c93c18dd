// SPDX-License-Identifier: PostgreSQL
// The fold: who does what, what became of each task, and logs that are not what they should be.
#include "core/events/run_state.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Approx;

TEST_CASE("a run folded: spans, tasks, workers") {
    RunBuilder run(2);
    run.plan(0, 1000);
    run.plan(1, 500);
    CHECK(run.task(0).status == TaskStatus::Planned);
    run.now = 10ms;
    run.start(0, 1, 1000);
    run.idle(2, IdleCause::Dependency, "t0");
    run.post(TaskPhase{.span = {TaskId{0}, {}}, .phase = "copying"});
    run.now = 20ms;
    run.progress(0, 400);
    REQUIRE(run.state.spans().size() == 1);
    const SpanState& span = run.state.spans()[0];
    CHECK(span.running());
    CHECK(span.phase == "copying");
    CHECK(span.begin == 10ms);
    CHECK(run.state.workers().at(WorkerId{1}).span == 0);
    CHECK(run.state.workers().at(WorkerId{2}).idle->on == "t0");
    CHECK(run.state.bytesDone() == 400);
    CHECK(run.state.rowsDone() == 4);
    run.now = 30ms;
    run.finish(0, 1100);
    run.start(1, 2, 500);
    CHECK(run.state.spans()[0].end == Duration(30ms));
    CHECK(run.task(0).status == TaskStatus::Done);
    CHECK(run.task(0).bytes == 1100);
    CHECK(run.task(0).rows == 11);
    CHECK(run.task(0).runningSpans == 0);
    CHECK(run.task(1).status == TaskStatus::Running);
    CHECK_FALSE(run.state.workers().at(WorkerId{1}).span);
    CHECK_FALSE(run.state.workers().at(WorkerId{2}).idle);
    run.finish(1, 400);
    run.end(Outcome::Clean);
    CHECK(run.state.fraction() == 1);
    CHECK(run.state.bytesDone() == 1500);
    CHECK(run.state.expectedBytes() == 1500);
}

TEST_CASE("a divided task is done with the chunk that says so, in whatever order they end") {
    RunBuilder run(2);
    run.plan(0, 1000, true);
    run.start(0, 1, 700, 0);
    run.start(0, 2, 300, 1);
    run.finish(0, 300, 1, false);
    CHECK(run.task(0).status == TaskStatus::Running);
    CHECK(run.task(0).runningSpans == 1);
    run.finish(0, 700, 0, true);
    CHECK(run.task(0).status == TaskStatus::Done);
    CHECK(run.task(0).spans == std::vector<std::size_t>{0, 1});
}

TEST_CASE("what failed is listed, whether it was tried again or given up") {
    RunBuilder run;
    run.plan(0, 1000);
    run.start(0, 1, 1000);
    run.progress(0, 600);
    run.fail(0, true);
    CHECK(run.task(0).status == TaskStatus::Running);
    CHECK(run.state.spans()[0].retried);
    run.start(0, 1, 1000);
    run.fail(0, false);
    CHECK(run.task(0).status == TaskStatus::Failed);
    CHECK(run.state.failures() == std::vector<std::size_t>{0, 1});
    CHECK(run.state.spans()[1].error->message == "it broke");
    CHECK(run.state.spans()[1].bytes == 0);
    CHECK(run.state.rowsDone() == 0);
}

TEST_CASE("an error that was passed over is kept, and its span goes on") {
    RunBuilder run;
    run.start(0, 1);
    ErrorIgnored ignored;
    ignored.error.message = "no such role";
    run.post(ignored);
    CHECK(run.state.spans()[0].running());
    REQUIRE(run.state.ignoredErrors().size() == 1);
    CHECK(run.state.ignoredErrors()[0].message == "no such role");
    run.finish(0, 0);
    CHECK(run.task(0).status == TaskStatus::Done);
}

TEST_CASE("a failed task stays failed when another chunk of it ends, or the plan comes again") {
    RunBuilder run(2);
    run.plan(0, 1000, true);
    run.start(0, 1, 500, 0);
    run.start(0, 2, 500, 1);
    run.fail(0, false, 0);
    run.finish(0, 500, 1, false);
    run.plan(0, 1000, true);
    CHECK(run.task(0).status == TaskStatus::Failed);
    run.end(Outcome::CompletedWithErrors);
    CHECK(run.task(0).status == TaskStatus::Failed);
    CHECK(run.state.fraction() == 1);
}

TEST_CASE("a cancelled run closes what was open and finishes nothing") {
    for (const Outcome outcome : {Outcome::Cancelled, Outcome::Failed}) {
        RunBuilder run(2);
        run.plan(0, 1000);
        run.plan(1, 1000);
        run.start(0, 1, 1000);
        run.idle(2, IdleCause::Tail, "t0");
        run.now = 1s;
        run.progress(0, 500);
        run.now = 2s;
        run.end(outcome);
        CHECK(run.task(0).status == TaskStatus::CutOff);
        CHECK(run.task(0).runningSpans == 0);
        CHECK(run.task(1).status == TaskStatus::Planned);
        CHECK(run.state.spans()[0].end == Duration(2s));
        CHECK(run.state.spans()[0].cutOff);
        CHECK(run.state.spanFraction(run.state.spans()[0]) == Approx(0.5));
        CHECK(run.state.idles()[0].end == Duration(2s));
        CHECK_FALSE(run.state.workers().at(WorkerId{1}).span);
        CHECK(run.state.fraction() == Approx(0.25));
        CHECK_FALSE(run.state.timeLeft());
    }
}

TEST_CASE("times in which workers did nothing are kept, with their reason") {
    RunBuilder run(1);
    run.idle(1, IdleCause::Starting);
    run.now = 1s;
    run.idle(1, IdleCause::Lock, "t7");
    run.now = 3s;
    run.start(0, 1);
    run.now = 4s;
    run.finish(0, 0);
    run.idle(1, IdleCause::Left, "the number of workers was lowered");
    REQUIRE(run.state.idles().size() == 3);
    CHECK(run.state.idles()[0].end == Duration(1s));
    CHECK(run.state.idles()[1].idle.cause == IdleCause::Lock);
    CHECK(run.state.idles()[1].begin == Duration(1s));
    CHECK(run.state.idles()[1].end == Duration(3s));
    CHECK(run.state.idles()[2].begin == Duration(4s));
    CHECK_FALSE(run.state.idles()[2].end);
}

TEST_CASE("a withdrawn task counts no more, and does not come back with the plan") {
    RunBuilder run;
    run.plan(0, 1000);
    run.plan(1, 3000);
    run.withdraw(1);
    run.plan(1, 3000);
    CHECK(run.task(1).status == TaskStatus::Withdrawn);
    CHECK(run.state.expectedBytes() == 1000);
    run.start(0, 1, 1000);
    run.progress(0, 500);
    CHECK(run.state.fraction() == Approx(0.5));
}

TEST_CASE("a run that begins anew forgets what was done, and keeps its spans") {
    RunBuilder run;
    run.plan(0, 1000);
    run.plan(1, 3000);
    run.plan(2, 500);
    run.start(0, 1, 1000);
    run.finish(0, 1000);
    run.start(1, 1, 3000);
    run.progress(1, 1500);
    PlannedTask planned;
    planned.object = "t0";
    planned.estimatedBytes = 1000;
    run.post(Plan{.tasks = {planned}, .lowerBoundMs = 0, .anew = true});
    CHECK(run.task(0).status == TaskStatus::Planned);
    CHECK(run.task(0).bytes == 0);
    CHECK(run.task(1).status == TaskStatus::Withdrawn);
    CHECK(run.task(2).status == TaskStatus::Withdrawn);
    CHECK(run.state.rowsDone() == 0);
    CHECK(run.state.spans().size() == 2);
    CHECK(run.state.spans()[1].retried);
    CHECK(run.state.spans()[1].end);
    CHECK(run.state.workers().at(WorkerId{1}).span == std::nullopt);
    run.start(0, 1, 1000);
    run.finish(0, 1000);
    CHECK(run.task(0).status == TaskStatus::Done);
    CHECK(run.task(0).bytes == 1000);
    CHECK(run.task(0).spans.size() == 1);
    CHECK(run.state.estimatedBytes() == 1000);
}

TEST_CASE("what does not fit is left out") {
    RunBuilder run;
    run.progress(3, 100);
    run.finish(3, 100);
    run.fail(3, false);
    run.post(TaskPhase{.span = {TaskId{3}, {}}, .phase = "x"});
    CHECK(run.state.spans().empty());
    CHECK(run.state.tasks().empty());
    CHECK(run.state.bytesDone() == 0);

    run.plan(0, 1000);
    run.start(0, 1, 1000);
    run.finish(0, 900);
    run.progress(0, 5);  // late
    run.finish(0, 900);  // twice
    run.fail(0, false);  // of something that has ended
    CHECK(run.state.bytesDone() == 900);
    CHECK(run.task(0).bytes == 900);
    CHECK(run.task(0).status == TaskStatus::Done);
    CHECK(run.state.failures().empty());
}

TEST_CASE("time does not go back, and an end that is missing is made good for") {
    RunBuilder run(2);
    run.plan(0, 1000);
    run.now = 5s;
    run.start(0, 1, 1000);
    run.progress(0, 700);
    run.now = 3s;
    run.start(0, 2, 1000);  // the same again, without an end
    CHECK(run.state.now() == Duration(5s));
    REQUIRE(run.state.spans().size() == 2);
    CHECK(run.state.spans()[0].end == Duration(5s));
    CHECK(run.state.spans()[1].begin == Duration(5s));
    CHECK(run.task(0).runningSpans == 1);
    CHECK_FALSE(run.state.workers().at(WorkerId{1}).span);
    run.finish(0, 1000);
    CHECK(run.task(0).bytes == 1000);
    CHECK(run.state.bytesDone() == 1000);
}

TEST_CASE("a log that says any number costs no memory") {
    RunState state;
    RunStarted started;
    started.workers = 4'000'000'000;
    state.apply(Event{0s, started});
    CHECK(state.workers().size() == 1024);
    PlannedTask huge;
    huge.estimatedBytes = UINT64_MAX;
    state.apply(Event{1s, Plan{.tasks = {huge, huge}, .lowerBoundMs = 0}});
    TaskStarted begun;
    begun.estimatedBytes = UINT64_MAX;
    state.apply(Event{1s, begun});
    state.apply(Event{9s, TaskProgress{.span = {}, .bytes = UINT64_MAX, .rows = UINT64_MAX}});
    CHECK(state.fraction() < 1);
    CHECK(state.expectedBytes() == UINT64_MAX);
    CHECK(state.timeLeft());
}

TEST_CASE("the phases of a span and what has a place of its own beneath it") {
    RunBuilder run(1);
    const Span span{TaskId{0}, {}};
    const auto part = [&](uint32_t number, std::string index, uint32_t helper) {
        run.post(PartStarted{.span = span,
                             .part = number,
                             .kind = PartKind::Index,
                             .object = std::move(index),
                             .phase = "vacuuming",
                             .helper = helper});
    };
    run.plan(0, 1000);
    run.now = 10ms;
    run.start(0, 1, 1000);
    run.post(TaskPhase{.span = span, .phase = "scanning heap"});
    run.now = 20ms;
    run.post(TaskPhase{.span = span, .phase = "scanning heap"});
    run.now = 30ms;
    run.post(TaskPhase{.span = span, .phase = "vacuuming indexes"});
    run.post(HelpersLaunched{.span = span, .launched = 1, .planned = 2, .phase = "vacuuming"});
    part(0, "a", 0);
    part(1, "b", 1);
    run.now = 50ms;
    run.post(PartFinished{.span = span, .part = 1, .rows = 7, .took = 5ms, .helper = 0});
    part(0, "a", 1);  // so the helper is at that one
    part(2, "c", 0);
    run.post(VacuumProgress{.span = span, .relation = "public.t", .blocks = 9, .blocksScanned = 4});
    run.now = 60ms;
    run.finish(0, 1000);
    run.post(PartFinished{.span = span, .part = 2});  // too late to matter
    run.post(VacuumOutcome{.span = span, .relation = "public.t", .rowsRemoved = 7});

    const SpanState& state = run.state.spans().at(0);
    REQUIRE(state.phases.size() == 2);
    CHECK(state.phases[0].phase == "scanning heap");
    CHECK(state.phases[0].begin == 10ms);
    CHECK(state.phases[0].end == 30ms);
    CHECK(state.phases[1].end == 60ms);
    REQUIRE(state.parts.size() == 3);
    CHECK(state.parts[0].object == "a");
    CHECK(state.parts[0].helper == 1);
    CHECK(state.parts[0].begin == 30ms);
    CHECK(state.parts[0].end == 60ms);
    CHECK(state.parts[1].begin == 45ms);  // as the server measured it
    CHECK(state.parts[1].end == 50ms);
    CHECK(state.parts[1].rows == 7);
    CHECK(state.parts[1].helper == 0);  // it was not the helper after all
    CHECK(state.parts[2].end == 60ms);
    CHECK(state.helpers.at(0).planned == 2);
    CHECK(state.vacuum->blocksScanned == 4);
    CHECK(run.state.vacuumed().at(0).rowsRemoved == 7);
}
