// SPDX-License-Identifier: PostgreSQL
#include "app/headless/vacuum_text.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace gantry;
using namespace gantry::headless;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a vacuum that left something does not call itself complete") {
    events::RunState state;
    events::RunStarted started;
    started.operation = "vacuum";
    started.database = "shop";
    state.apply({Duration(0), std::move(started)});
    const auto plan = [&](bool withdrawn) {
        events::PlannedTask task;
        task.task = TaskId{0};
        task.kind = plan::TaskKind::Vacuum;
        task.object = "public.t";
        task.withdrawn = withdrawn;
        events::Plan told;
        told.tasks = {task};
        state.apply({Duration(0), std::move(told)});
    };
    const auto end = [&] {
        events::RunFinished finished;
        finished.outcome = events::Outcome::Clean;
        state.apply({Duration(1), std::move(finished)});
        return renderVacuumSummary(state);
    };
    plan(false);
    SECTION("all of it was done") { CHECK_THAT(end(), ContainsSubstring("\"shop\" is complete.")); }
    SECTION("there was not the time") {
        plan(true);
        const std::string text = end();
        CHECK_THAT(text, ContainsSubstring("\"shop\" is over, and not all of it was done."));
        CHECK_THAT(text, ContainsSubstring("Left:     1 task\n"));
    }
}
