// SPDX-License-Identifier: PostgreSQL
// What another number of workers would have made of a run, and what is said at its end.
#include "core/report/verdict.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <stop_token>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::report;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Approx;

namespace {

/// Two workers read one large table in chunks for 30 s, worker 1 a small one before.
RunBuilder dumpOfOneLargeTable() {
    RunBuilder run(2);
    run.plan(0, 6000, true);
    run.plan(1, 1000);
    run.start(0, 2, 1500, 0);
    run.start(1, 1, 1000);
    run.now = 10s;
    run.finish(1, 1000);
    run.start(0, 1, 1500, 1);
    run.now = 15s;
    run.finish(0, 1500, 0, false);
    run.start(0, 2, 3000, 2);
    run.now = 30s;
    run.finish(0, 1500, 1, false);
    run.finish(0, 3000, 2);
    return run;
}

void endWith(RunBuilder& run, Outcome outcome, std::optional<Duration> compressionWait = {}) {
    RunFinished finished;
    finished.outcome = outcome;
    finished.compressionWait = compressionWait;
    run.post(finished);
}

std::string verdictOf(const RunBuilder& run, uint32_t most = 8) {
    const MeasuredRun measured = measure(run.state);
    return verdict(run.state, measured, whatIf(measured, most));
}

}  // namespace

TEST_CASE("who no longer wants to know what would have been waits for no simulation") {
    const MeasuredRun measured = measure(dumpOfOneLargeTable().state);
    CHECK(whatIf(measured, 8).size() == 8);
    std::stop_source gone;
    gone.request_stop();
    CHECK(whatIf(measured, 8, gone.get_token()).empty());
}

TEST_CASE("what excludes each other is not done sooner by more workers") {
    RunBuilder run(2);
    Plan plan;
    for (const uint32_t task : {0U, 1U, 2U}) {
        PlannedTask planned;
        planned.task = TaskId{task};
        planned.estimatedMs = 10000;
        if (task < 2) planned.locks = {{.key = 7, .mode = plan::LockMode::ShareUpdateExclusive}};
        plan.tasks.push_back(planned);
    }
    run.post(plan);
    run.start(0, 1);
    run.start(2, 2);
    run.now = 10s;
    run.finish(0, 1);
    run.finish(2, 1);
    run.start(1, 1);
    run.now = 20s;
    run.finish(1, 1);
    const std::vector<Outlook> outlooks = whatIf(measure(run.state), 8);
    CHECK(outlooks.at(0).seconds == Approx(30));
    CHECK(outlooks.at(7).seconds == Approx(20));
    CHECK(outlooks.at(7).lowerBound == Approx(20));
    CHECK(lowerBoundOf(run.state, 8) == 20s);
}

TEST_CASE("the longest task is told with its share and its workers") {
    const auto longest = longestTask(dumpOfOneLargeTable().state);
    REQUIRE(longest);
    CHECK(longest->object == "t0");
    CHECK(longest->duration == 30s);
    CHECK(longest->share == Approx(1));
    CHECK(longest->workers == 2);
    CHECK_FALSE(longestTask(RunBuilder().state));
}

TEST_CASE("what a run measured is a plan: divided tasks divide again") {
    const MeasuredRun measured = measure(dumpOfOneLargeTable().state);
    CHECK(measured.workers == 2);
    CHECK(measured.seconds == Approx(30));
    REQUIRE(measured.graph.tasks.size() == 2);
    CHECK(measured.graph.tasks[0].cost == Approx(50));
    CHECK(measured.graph.tasks[0].division);
    CHECK_FALSE(measured.graph.tasks[1].division);
    const auto outlooks = whatIf(measured, 4);
    REQUIRE(outlooks.size() == 4);
    CHECK(outlooks[0].seconds == Approx(60).margin(2));
    CHECK(outlooks[1].seconds == Approx(30));
    CHECK(outlooks[2].seconds < 23);
    CHECK(outlooks[2].lowerBound == Approx(20));
}

TEST_CASE("the processors' work is done in no less time with more workers") {
    MeasuredRun measured = measure(dumpOfOneLargeTable().state);
    measured.processors = 0.9;
    auto outlooks = whatIf(measured, 4);
    REQUIRE(outlooks.size() == 4);
    CHECK(outlooks[3].seconds == Approx(27));
    CHECK(outlooks[3].lowerBound == Approx(27));
    measured.processors = 1;
    outlooks = whatIf(measured, 4);
    REQUIRE(outlooks.size() == 3);  // what one worker alone had done is not known
    CHECK(outlooks[0].workers == 2);
    for (const Outlook& outlook : outlooks) CHECK(outlook.seconds == Approx(30));
}

TEST_CASE("the lower bound follows what has been measured") {
    RunBuilder run(2);
    run.planMs(0, 1000);
    run.planMs(1, 3000);
    CHECK_FALSE(lowerBoundOf(run.state, 2));
    run.start(0, 1);
    run.now = 4s;
    run.finish(0, 0);  // four times what was estimated: so will the other take 12 s
    CHECK(lowerBoundOf(run.state, 2) == Duration(12s));
    CHECK(lowerBoundOf(run.state, 1) == Duration(16s));
}

TEST_CASE("the lower bound counts what is under way as far as it has come") {
    RunBuilder run(2);
    run.plan(0, 1000);
    run.plan(1, 1000);
    run.start(0, 1, 1000);
    run.start(1, 2, 1000);
    run.now = 1s;
    run.finish(0, 1000);
    CHECK(lowerBoundOf(run.state, 2) == Duration(1s));
    run.now = 10s;
    run.progress(1, 100);  // so that all of it takes far longer than the first
    CHECK(lowerBoundOf(run.state, 2) > Duration(5s));
}

TEST_CASE("tasks that wait for each other gain nothing from more workers") {
    RunBuilder run(2);
    run.planMs(0, 1000);
    PlannedTask second;
    second.task = TaskId{1};
    second.object = "orders_pkey";
    second.after = {TaskId{0}};
    run.post(Plan{.tasks = {second}, .lowerBoundMs = 0});
    run.start(0, 1);
    run.idle(2, IdleCause::Dependency, "t0");
    run.now = 8s;
    run.finish(0, 0);
    run.start(1, 1);
    run.now = 10s;
    run.finish(1, 0);
    endWith(run, Outcome::Clean);
    CHECK(verdictOf(run) ==
          "t0 took 80% of the time over one worker. More jobs would have saved next to nothing. "
          "Workers were busy 50% of the time; of the rest most went to: waits for t0 (10.0 s).");
}

TEST_CASE("where this machine's cores were busy all the time, no further job is recommended") {
    RunBuilder run = dumpOfOneLargeTable();
    SECTION("busy") {
        run.post(Load{.processors = 1.0});
        run.post(Load{.sessions = 3});  // tells nothing of them
        run.post(Load{.processors = 0.96});
        endWith(run, Outcome::Clean);
        CHECK(verdictOf(run).find("This machine's cores were busy 98% of the time, so that more "
                                  "jobs would have saved next to nothing.") != std::string::npos);
        CHECK(verdictOf(run).find("third job") == std::string::npos);
    }
    SECTION("not so busy") {
        run.post(Load{.processors = 1.0});
        run.post(Load{.processors = 0.8});
        endWith(run, Outcome::Clean);
        CHECK(verdictOf(run).find("A third job would have saved") != std::string::npos);
        CHECK(verdictOf(run).find("cores") == std::string::npos);
    }
}

TEST_CASE("a blink saved is nothing that a job would be added for") {
    RunBuilder run(1);
    for (const uint32_t id : {0U, 1U}) {
        run.planMs(id, 80);
        run.start(id, 1);
        run.now += 80ms;
        run.finish(id, 0);
    }
    endWith(run, Outcome::Clean);
    CHECK(verdictOf(run).find("More jobs would have saved next to nothing.") != std::string::npos);
}

TEST_CASE("the verdict names the longest task, the next job and whether compression mattered") {
    RunBuilder run = dumpOfOneLargeTable();
    CHECK(verdictOf(run).empty());  // not over yet
    SECTION("never the limit") {
        endWith(run, Outcome::Clean, 0ms);
        CHECK(verdictOf(run) ==
              "t0 took 100% of the time over 2 workers. A third job would have saved about 10 s, "
              "if server and disks keep up. Workers were busy 100% of the time. Compression was "
              "never the limit.");
    }
    SECTION("the limit") {
        endWith(run, Outcome::Clean, 30s);
        CHECK(verdictOf(run) ==
              "t0 took 100% of the time over 2 workers. Workers were busy 100% of the time. "
              "Workers waited 50% of their time for compression: more compressor threads or a "
              "lower level would help.");
    }
    SECTION("the limit, on full cores") {
        run.post(Load{.processors = 1.0});
        endWith(run, Outcome::Clean, 30s);
        CHECK(verdictOf(run) ==
              "t0 took 100% of the time over 2 workers. Workers were busy 100% of the time. "
              "Workers waited 50% of their time for compression: this machine's cores were full, "
              "so that only a lower level or a lighter codec would help.");
    }
    SECTION("a failed run gets no advice on jobs") {
        endWith(run, Outcome::Failed);
        CHECK(verdictOf(run) ==
              "t0 took 100% of the time over 2 workers. Workers were busy 100% of the time.");
    }
}

TEST_CASE(
    "a lock that took a notable part of the run comes first, and shares are those of all of it") {
    RunBuilder run(2);
    run.idle(0, IdleCause::Lock, "crm.contact, session 7 (dba)");
    run.now = 20s;
    run.plan(0, 1000);
    run.plan(1, 1000);
    run.start(0, 1, 1000);
    run.start(1, 2, 1000);
    run.now = 30s;
    run.finish(0, 1000);
    run.finish(1, 1000);
    endWith(run, Outcome::Clean);
    CHECK(verdictOf(run) ==
          "The run waited 20.0 s of 30.0 s for a lock: crm.contact, session 7 (dba). t0 took 33% "
          "of the time over one worker. More jobs would have saved next to nothing. Workers were "
          "busy 33% of the time.");
    CHECK(measure(run.state).seconds == Approx(10));
}

TEST_CASE("locks that only some workers waited for are told too") {
    RunBuilder run(2);
    run.start(0, 1);
    run.start(1, 2);
    run.idle(2, IdleCause::Lock, "public.a, session 7");
    run.now = 4s;
    run.post(TaskPhase{.span = {TaskId{1}, std::nullopt}, .phase = {}});
    run.now = 10s;
    run.finish(0, 0);
    run.finish(1, 0);
    endWith(run, Outcome::Clean);
    CHECK(verdictOf(run).find("Workers waited 4.0 s of 10.0 s for a lock: public.a, session 7. ") ==
          0);
}

TEST_CASE("a pause is no part of what another number of workers would have taken") {
    RunBuilder run(1);
    for (const uint32_t id : {0U, 1U}) {
        run.plan(id, 1000);
        run.start(id, 1, 1000);
        run.now += 10s;
        run.finish(id, 1000);
        run.post(Load{.processors = id == 0 ? 1.0 : 0.98});
        if (id == 1) break;
        run.idle(1, IdleCause::Paused);
        run.now += 40s;
        run.post(Load{.processors = 0.0});
        run.now += 20s;
    }
    endWith(run, Outcome::Clean);
    const MeasuredRun measured = measure(run.state);
    CHECK(measured.seconds == Approx(20));
    CHECK(measured.processors == Approx(0.99));
}

TEST_CASE("a cause of idleness in words") {
    CHECK(describeIdle({.worker = {}, .cause = IdleCause::Dependency, .on = "public.a"}) ==
          "waits for public.a");
    CHECK(describeIdle({.worker = {}, .cause = IdleCause::Lock, .on = "session 7"}) ==
          "waits for a lock: session 7");
    CHECK(describeIdle({.worker = {}, .cause = IdleCause::Tail, .on = ""}) == "nothing left to do");
    CHECK(describeIdle({.worker = {}, .cause = IdleCause::Paused, .on = ""}) == "paused");
}

TEST_CASE("an order is searched for as runs of the operation do, of which a vacuum has none") {
    CHECK(weightsOf("vacuum") == plan::Weights{});
    CHECK(weightsOf("dump") == std::nullopt);
    CHECK(weightsOf("restore") == std::nullopt);
    CHECK(measure(dumpOfOneLargeTable().state).weights == std::nullopt);
}
