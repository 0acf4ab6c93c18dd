// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_comparison.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace gantry::ui;
using namespace std::chrono_literals;

namespace {

RunState restored(const char* jobs, Duration first, Duration second, bool third) {
    RunBuilder run(1);
    RunStarted started;
    started.operation = "restore";
    started.options = {{"jobs", jobs}, {"archive", "/b/shop"}};
    run.post(started);
    const auto task = [&run](uint32_t id, Duration took) {
        run.start(id, 1, 1000);
        run.now += took;
        run.finish(id, 1000);
    };
    task(0, first);
    task(1, second);
    if (third) task(2, 1s);
    run.end(Outcome::Clean);
    return run.state;
}

}  // namespace

TEST_CASE("comparison: what got slower comes first, and what only one run did has no other time") {
    const RunComparison c = compareRuns(restored("2", 4s, 2s, true), restored("4", 3s, 7s, false));
    REQUIRE(c.tasks.size() == 3);
    CHECK(c.tasks[0].difference() == Duration(5s));
    CHECK(c.tasks[0].before == Duration(2s));
    CHECK(c.tasks[0].after == Duration(7s));
    CHECK(c.tasks[0].bytesAfter == 1000);
    CHECK(c.tasks[1].difference() == Duration(-1s));
    CHECK(c.tasks[2].before == Duration(1s));
    CHECK_FALSE(c.tasks[2].after);
    CHECK(c.before.took == Duration(7s));
    CHECK(c.after.took == Duration(10s));
    REQUIRE(c.settings.size() == 1);
    CHECK(c.settings.at("jobs") == std::pair<std::string, std::string>("2", "4"));
}
