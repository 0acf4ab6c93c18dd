// SPDX-License-Identifier: PostgreSQL
#include "app/headless/vacuum_text.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace gantry;
using namespace gantry::headless;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

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

TEST_CASE("indexes that were built anew are told apart from tables") {
    events::RunState state;
    state.apply({Duration(0), events::RunStarted{}});
    const auto outcome = [&](bool index, uint64_t before, uint64_t after) {
        state.apply({Duration(0), events::VacuumOutcome{.span = {},
                                                        .relation = "public.t",
                                                        .index = index,
                                                        .bytesBefore = before,
                                                        .bytesAfter = after}});
    };
    outcome(true, 30'000'000, 10'000'000);
    outcome(true, 5'000'000, 0);
    events::RunFinished finished;
    finished.relations = 1;
    SECTION("alone") {
        state.apply({Duration(1), finished});
        CHECK_THAT(renderVacuumSummary(state),
                   EndsWith("  Done:     1 relation in 0 ms\n"
                            "  Indexes:  1 built anew, 1 left over and dropped; 35.0 MB before, "
                            "10.0 MB now\n"));
    }
    SECTION("beside tables") {
        outcome(false, 10'000'000, 10'000'000);
        state.apply({Duration(1), finished});
        CHECK_THAT(
            renderVacuumSummary(state),
            ContainsSubstring("10.0 MB now\n  Removed:  0 dead rows\n  Space:    10.0 MB, "));
    }
}
