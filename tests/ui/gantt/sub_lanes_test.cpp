// SPDX-License-Identifier: PostgreSQL
// A vacuum's phases and index workers within its bar, from its events.
#include "ui/gantt/sub_lanes.h"

#include <catch2/catch_test_macros.hpp>

#include "ui/gantt/gantt_text.h"

using namespace gantry;
using namespace gantry::ui;
using namespace std::chrono_literals;

namespace {

const events::Span kSpan{TaskId{0}, {}};

events::PartStarted part(uint32_t number, events::PartKind kind, const char* object,
                         uint32_t helper) {
    return {.span = kSpan,
            .part = number,
            .kind = kind,
            .object = object,
            .phase = "vacuuming",
            .helper = helper};
}

/// One table, two index workers beside the session, and its TOAST table at the end.
events::RunState vacuumed() {
    events::RunStarted started;
    started.operation = "vacuum";
    started.workers = 1;
    events::TaskStarted task;
    task.span = kSpan;
    task.kind = plan::TaskKind::Vacuum;
    task.object = "public.orders";
    task.worker = WorkerId{1};
    events::VacuumProgress progress;
    progress.span = kSpan;
    progress.blocks = 1000;
    progress.blocksScanned = 1000;
    progress.blocksVacuumed = 400;
    progress.indexPass = 1;
    progress.deadRows = 5000;
    progress.deadBytes = 30'000;
    progress.deadBytesMost = 64'000'000;
    events::RunState run;
    const auto ended = [](uint32_t number) {
        events::PartFinished end;
        end.span = kSpan;
        end.part = number;
        return end;
    };
    const auto helped = [](uint32_t number, uint32_t helper) {
        events::PartFinished end;
        end.span = kSpan;
        end.part = number;
        end.helper = helper;
        return end;
    };
    for (const events::Event& event : std::vector<events::Event>{
             {0s, started},
             {0s, task},
             {0s, events::TaskPhase{kSpan, "scanning heap"}},
             {4s, events::TaskPhase{kSpan, "vacuuming indexes"}},
             {4s, events::HelpersLaunched{kSpan, 1, 2, "vacuuming"}},
             {4s, part(0, events::PartKind::Index, "public.a_idx", 0)},
             {4s, part(1, events::PartKind::Index, "public.b_idx", 1)},
             {6s, ended(0)},
             {6s, part(2, events::PartKind::Index, "public.c_idx", 0)},
             {7s, ended(2)},
             {9s, helped(1, 1)},
             {9s, events::TaskPhase{kSpan, "vacuuming heap"}},
             {10s, progress},
             {10s, part(3, events::PartKind::Toast, "pg_toast.pg_toast_1", 0)},
             {10s, events::TaskPhase{kSpan, "scanning heap"}},
             {11s, ended(3)},
             {12s, events::VacuumOutcome{kSpan, "public.orders", 5000, 7, 9'000'000, 8'000'000,
                                         1200, 30}},
             {12s, events::TaskFinished{.span = kSpan, .bytes = 1000, .rows = 5000}},
             {12s, events::RunFinished{}}}) {
        run.apply(event);
    }
    return run;
}

}  // namespace

TEST_CASE("sub-lanes: one for each process that works on indexes, TOAST apart") {
    const events::RunState run = vacuumed();
    const std::vector<SubLane> lanes = subLanesOf(run.spans().front());
    REQUIRE(lanes.size() == 3);
    CHECK(lanes[0].kind == events::PartKind::Toast);
    CHECK(lanes[0].parts.front()->object == "pg_toast.pg_toast_1");
    CHECK(lanes[1].helper == 0);
    REQUIRE(lanes[1].parts.size() == 2);
    CHECK(lanes[1].parts[0]->object == "public.a_idx");
    CHECK(lanes[1].parts[1]->object == "public.c_idx");
    CHECK(lanes[2].helper == 1);
    CHECK(lanes[2].parts.front()->end == Duration(9s));
}

TEST_CASE("sub-lanes: time is summed up by phase and by index") {
    const events::RunState run = vacuumed();
    const std::vector<Spent> phases = timeByPhase(run.spans().front(), run.now());
    REQUIRE(phases.size() == 3);
    CHECK(phases[0].name == "scanning heap");
    CHECK(phases[0].time == Duration(6s));
    CHECK(phases[1].time == Duration(5s));
    const std::vector<Spent> indexes = timeByIndex(run.spans().front(), run.now());
    REQUIRE(indexes.size() == 3);
    CHECK(indexes[1].name == "public.b_idx");
    CHECK(indexes[1].time == Duration(5s));
}

TEST_CASE("sub-lanes: a vacuum's facts and what it came to are told") {
    const events::RunState run = vacuumed();
    const Facts facts = factsOf(run, run.spans().front());
    const auto fact = [&facts](const char* name) {
        for (const auto& [key, value] : facts) {
            if (key == QString::fromLatin1(name)) return value.toStdString();
        }
        return std::string();
    };
    CHECK(fact("Blocks") == "1,000 of 1,000 scanned, 400 vacuumed");
    CHECK(fact("Index passes") == "1 done");
    CHECK(fact("Dead row memory") == "30 kB of 64 MB, 5,000 rows");
    CHECK(fact("Index workers") == "1 launched of 2 planned, vacuuming");
    CHECK(fact("orders") == "5,000 dead rows removed, 7 kept; 9.0 MB → 8.0 MB; age 1,200 → 30");
    CHECK(vacuumVerdict(run).toStdString() ==
          "Removed 5,000 dead rows and freed 1.0 MB. 7 more are still seen by older "
          "transactions and stay. The oldest transaction of these tables: 1,200 "
          "behind before, 30 now. Of the indexes, b_idx took longest: 5.0 s.");
    CHECK(vacuumVerdict(events::RunState()).isEmpty());
}
