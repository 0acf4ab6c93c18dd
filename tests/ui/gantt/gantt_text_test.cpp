// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/gantt_text.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"
#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::test;
using namespace gantry::ui;

TEST_CASE("status: what somebody cancelled is not told as a failure") {
    RunBuilder builder(2);
    builder.plan(0, 4000);
    builder.plan(1, 4000);
    builder.start(0, 1, 4000);
    builder.start(1, 2, 4000);
    builder.fail(0, false);
    builder.post(events::TaskFailed{
        .span = {.task = TaskId{1}, .chunk = std::nullopt},
        .error = Error(ErrorKind::Cancelled, "cancelled on request", "t1").info(),
        .ignored = true,
        .retried = false});
    CHECK(statusOf(builder.state, builder.task(0)).text == u"failed");
    CHECK(statusOf(builder.state, builder.task(1)).text == u"cancelled");
    CHECK(statusOf(builder.state, builder.task(1)).tone == StatusTone::Bad);
}

TEST_CASE("status: who waits for a lock does not count as running") {
    RunBuilder builder(2);
    builder.plan(0, 4000, true);
    builder.start(0, 1, 2000, 0);
    builder.start(0, 2, 2000, 1);
    builder.idle(1, events::IdleCause::Lock, "public.t0, session 7");
    CHECK(statusOf(builder.state, builder.task(0)).text == u"running");
    builder.idle(2, events::IdleCause::Lock, "t0, session 7");
    CHECK(statusOf(builder.state, builder.task(0)).text == u"waits for a lock: t0, session 7");
    builder.progress(0, 10, 1);
    CHECK(statusOf(builder.state, builder.task(0)).text == u"running");
}

TEST_CASE("a lower bound is about so much while what is left is estimated") {
    using namespace std::chrono_literals;
    RunBuilder builder;
    CHECK(boundText(builder.state, 64s) == u"about 1:04");
    builder.end(events::Outcome::Clean);
    CHECK(boundText(builder.state, 32700ms) == u"32.7 s");
}

TEST_CASE("idle: who is waited for is called as on its bar") {
    CHECK(idleText({.worker = {},
                    .cause = events::IdleCause::Tail,
                    .on = "MATERIALIZED VIEW DATA public.sales"}) ==
          u"nothing left to do but sales");
}
