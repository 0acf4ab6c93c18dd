// SPDX-License-Identifier: PostgreSQL
// Which part of a run's time locks of others and pauses took.
#include "core/report/held_up.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::report;
using namespace gantry::test;
using namespace std::chrono_literals;

TEST_CASE("a run is held up while nobody works and somebody waits for a lock or is paused") {
    RunBuilder run(2);
    run.idle(0, IdleCause::Lock, "public.a, session 7");
    run.now = 10ms;
    run.start(9, 0);
    run.start(0, 1);
    run.start(1, 2);
    run.now = 15ms;
    run.finish(9, 0);
    run.finish(1, 0);
    run.idle(2, IdleCause::Paused);
    run.now = 20ms;
    run.finish(0, 0);
    run.idle(1, IdleCause::Paused);
    run.now = 50ms;
    run.start(2, 1);
    run.idle(2, IdleCause::Tail);
    run.now = 60ms;
    run.idle(1, IdleCause::Lock, "public.b, session 8");
    run.now = 63ms;
    run.finish(2, 0);
    run.now = 70ms;
    run.end(Outcome::Clean);
    const HeldUp held = heldUp(run.state);
    CHECK(held.all == 43ms);
    CHECK(held.some == 5ms);
    CHECK(held.locks == 13ms);
    CHECK(held.lock == "public.a, session 7");
    CHECK(held.manyLocks);
    CHECK(held.within(5ms, 30ms) == 15ms);
    CHECK(held.covers(10ms));
    CHECK_FALSE(held.covers(15ms));
    CHECK_FALSE(held.covers(20ms));
    CHECK(held.covers(50ms));
    CHECK_FALSE(held.covers(51ms));
}

TEST_CASE("the coordinator's wait holds nobody up who works meanwhile") {
    RunBuilder run(1);
    run.start(0, 1);
    run.start(9, 0);
    run.idle(0, IdleCause::Lock, "public.a, session 7");
    run.now = 10ms;
    run.finish(0, 0);
    run.now = 15ms;
    run.finish(9, 0);
    run.end(Outcome::Clean);
    const HeldUp held = heldUp(run.state);
    CHECK(held.all == 5ms);
    CHECK(held.some == 0ms);
    CHECK(held.locks == 5ms);
}

TEST_CASE("who gets no task since those of the run exclude each other waits for nobody else") {
    RunBuilder run(2);
    run.start(0, 1);
    run.idle(2, IdleCause::Lock, "t0");
    run.now = 10ms;
    run.finish(0, 0);
    run.end(Outcome::Clean);
    CHECK(heldUp(run.state).some == 0ms);
    CHECK(heldUp(run.state).locks == 0ms);
    CHECK(heldUp(run.state).lock.empty());
}

TEST_CASE("a run that waited for nothing was not held up") {
    RunBuilder run(2);
    run.start(0, 1);
    run.idle(2, IdleCause::Tail);
    run.now = 10ms;
    run.finish(0, 0);
    const HeldUp held = heldUp(run.state);
    CHECK(held.all == 0ms);
    CHECK(held.stretches.empty());
    CHECK(held.lock.empty());
}
