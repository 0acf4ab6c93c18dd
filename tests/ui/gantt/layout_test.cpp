// SPDX-License-Identifier: PostgreSQL
// Bars, rows and gaps of a run, and what is merged when there is no room.
#include "ui/gantt/layout.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/unit/events/run_builder.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/legend.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace gantry::ui;
using namespace std::chrono_literals;
using Catch::Approx;

namespace {

/// Each row as text: "0-10:t0 10-12:idle", milliseconds.
std::vector<std::string> drawn(const Layout& layout, const RunState& run) {
    std::vector<std::string> rows;
    for (const std::size_t index : layout.order()) {
        std::string text;
        const auto add = [&](Duration begin, Duration end, const std::string& what) {
            if (!text.empty()) text += ' ';
            text += std::to_string(begin / 1ms) + '-' + std::to_string(end / 1ms) + ':' + what;
        };
        for (const Bar& bar : layout.row(index).bars) {
            add(bar.begin, bar.end, run.spans()[bar.span].object + (bar.running ? "…" : ""));
        }
        for (const Gap& gap : layout.row(index).gaps) {
            add(gap.begin, gap.end, std::string(toString(gap.cause)));
        }
        rows.push_back(text);
    }
    return rows;
}

TimeScale scaleShowing(double width, Duration from, Duration to) {
    TimeScale scale;
    scale.setWidth(width);
    scale.setRun(to, to);
    scale.show(from, to);
    return scale;
}

}  // namespace

TEST_CASE("a lane for each worker, bars that grow, gaps with their cause") {
    RunBuilder run(2);
    Layout layout;
    run.start(0, 1);
    run.start(1, 2);
    run.now = 5ms;
    run.finish(1, 0);
    run.idle(2, IdleCause::Dependency, "t0");
    run.now = 8ms;
    run.idle(2, IdleCause::Tail);
    layout.update(run.state);
    CHECK(drawn(layout, run.state) ==
          std::vector<std::string>{"0-8:t0…", "0-5:t1 5-8:dependency 8-8:tail"});
    run.now = 10ms;
    run.start(2, 2);
    run.now = 12ms;
    run.finish(0, 0);
    layout.update(run.state);
    CHECK(drawn(layout, run.state) ==
          std::vector<std::string>{"0-12:t0", "0-5:t1 10-12:t2… 5-8:dependency 8-10:tail"});
    REQUIRE(layout.placeOf(2));
    CHECK(layout.placeOf(2)->bar == 1);
    CHECK_FALSE(layout.placeOf(3));
}

TEST_CASE("a worker that joins later gets its lane in its place") {
    RunBuilder run(1);
    Layout layout;
    run.start(0, 3);
    layout.update(run.state);
    run.start(1, 2);
    run.start(2, 0);
    layout.update(run.state);
    CHECK(drawn(layout, run.state) ==
          std::vector<std::string>{"0-0:t2…", "", "0-0:t1…", "0-0:t0…"});
}

TEST_CASE("what overlaps within a table or kind lies side by side, whether live or recorded") {
    RunBuilder run(3);
    Layout live;
    live.setGrouping(Grouping::Kind);
    const auto step = [&] { live.update(run.state); };
    run.plan(0, 900, true);
    run.planMs(1, 10);
    run.start(0, 1, 300, 0);
    step();
    run.start(0, 2, 300, 1);
    step();
    run.start(1, 3);
    run.now = 4ms;
    run.finish(0, 300, 0, false);
    run.start(0, 1, 300, 2);
    step();
    run.now = 9ms;
    run.finish(0, 300, 1, false);
    run.finish(0, 300, 2);
    run.finish(1, 0);
    step();
    const std::vector<std::string> expected{"0-4:t0 4-9:t0", "0-9:t0", "0-9:t1"};
    CHECK(drawn(live, run.state) == expected);
    Layout recorded;
    recorded.setGrouping(Grouping::Kind);
    recorded.update(run.state);
    CHECK(drawn(recorded, run.state) == expected);
    recorded.setGrouping(Grouping::Table);
    recorded.update(run.state);
    CHECK(drawn(recorded, run.state) == expected);
    CHECK(recorded.lanes()[0].name == "t0");
}

TEST_CASE("an index or a constraint lies at its table, one of several goes by their names") {
    RunBuilder run;
    run.plan(0, 100);
    PlannedTask index;
    index.task = TaskId{1};
    index.kind = plan::TaskKind::Index;
    index.object = "public.t0_at_idx";
    index.relation = "t0";
    PlannedTask key = index;
    key.task = TaskId{2};
    key.kind = plan::TaskKind::Constraint;
    key.object = "public.my orders my orders_pkey";
    key.relation = "public.my orders";
    PlannedTask several = key;
    several.task = TaskId{3};
    several.object += " and 3 more";
    several.relation.clear();
    run.post(Plan{.tasks = {index, key, several}, .lowerBoundMs = 0});
    CHECK(relationOf(run.state, TaskId{0}) == "t0");
    CHECK(relationOf(run.state, TaskId{1}) == "t0");
    CHECK(relationOf(run.state, TaskId{2}) == "public.my orders");
    CHECK(relationOf(run.state, TaskId{3}) == several.object);
    CHECK(nameWithin(key.relation, key.object) == "my orders_pkey");
    CHECK(nameWithin(several.relation, several.object) == several.object);
    CHECK(relationOf(run.state, TaskId{8}).empty());
}

TEST_CASE("a materialized view goes by its own name") {
    RunBuilder run(1);
    PlannedTask filled;
    filled.task = TaskId{0};
    filled.kind = plan::TaskKind::MaterializedView;
    filled.object = "MATERIALIZED VIEW DATA public.totals";
    Plan plan;
    plan.tasks.push_back(filled);
    run.post(plan);
    CHECK(relationOf(run.state, TaskId{0}) == "public.totals");
    CHECK(shortObject(filled.object) == QStringLiteral("totals"));
}

TEST_CASE("another run takes the place of the one before") {
    RunBuilder first;
    first.start(0);
    first.finish(0, 0);
    first.start(1);
    Layout layout;
    layout.update(first.state);
    RunBuilder second;
    second.start(5);
    layout.update(second.state);
    CHECK(drawn(layout, second.state) == std::vector<std::string>{"0-0:t5…"});
}

TEST_CASE("bars below a pixel are merged, with their number, and none is lost") {
    RunBuilder run;
    Layout layout;
    for (uint32_t task = 0; task < 1000; ++task) {
        run.start(task);
        run.now += 1ms;
        run.finish(task, 0);
    }
    layout.update(run.state);
    const Row& row = layout.row(layout.order().at(0));
    std::size_t bars = 0;
    std::size_t pieces = 0;
    double before = -1;
    forEachPiece(row.bars, scaleShowing(100, 0s, 1s), 1, [&](const Piece& piece) {
        CHECK(piece.first == bars);
        CHECK(piece.x0 >= before);
        before = piece.x1;
        bars = piece.last;
        ++pieces;
    });
    CHECK(bars == 1000);
    CHECK(pieces <= 200);
    pieces = 0;
    forEachPiece(row.bars, scaleShowing(1000, 100ms, 110ms), 1, [&](const Piece& piece) {
        CHECK(piece.count() == 1);
        CHECK(piece.x1 - piece.x0 == Approx(100));
        ++pieces;
    });
    CHECK(pieces == 10);
}

TEST_CASE("what failed is found however much is merged") {
    RunBuilder run;
    Layout layout;
    for (uint32_t task = 0; task < 50; ++task) {
        run.start(task);
        if (task == 20) layout.update(run.state);  // it fails after its bar was made
        if (task == 20 || task == 30) {
            run.fail(task, false);
        } else {
            run.finish(task, 0);
        }
    }
    layout.update(run.state);
    CHECK(layout.row(0).flawed == std::vector<uint32_t>{20, 30});
}

TEST_CASE("what was stopped to begin again has not failed") {
    RunBuilder run;
    Layout layout;
    run.start(0);
    layout.update(run.state);
    run.post(events::TaskFailed{.span = {.task = TaskId{0}, .chunk = {}},
                                .error = Error(ErrorKind::Cancelled, "stopped on request").info(),
                                .ignored = true,
                                .retried = true});
    layout.update(run.state);
    CHECK(layout.row(0).flawed.empty());
    CHECK(layout.row(0).bars.at(0).flaw == Flaw::None);
    Legend legend;
    addLooks(run.state.spans().at(0), legend);
    CHECK_FALSE(legend.contains(Mark::Failed));
    const Facts facts = factsOf(run.state, run.state.spans().at(0));
    CHECK(facts.back().first == u"Stopped, begun again");
    CHECK(facts.back().second.contains(u"stopped on request"));
}

TEST_CASE("what the run's end cut off, or what passed errors over, is told from what is done") {
    const auto outcome = GENERATE(Outcome::Failed, Outcome::Cancelled);
    RunBuilder run(3);
    Layout layout;
    run.start(0, 1);
    run.start(1, 2);
    run.start(2, 3);
    layout.update(run.state);
    ErrorIgnored ignored{.span = {.task = TaskId{1}, .chunk = {}}, .error = {}};
    ignored.error.message = "no such role";
    run.post(ignored);
    run.post(ignored);
    run.finish(1, 0);
    run.finish(2, 0);
    run.end(outcome);
    layout.update(run.state);
    const auto barOf = [&](std::size_t row) { return layout.row(row).bars.at(0); };
    CHECK(barOf(0).flaw == Flaw::CutOff);
    CHECK(barOf(1).flaw == Flaw::PassedOver);
    CHECK(barOf(2).flaw == Flaw::None);
    CHECK(layout.row(0).flawed == std::vector<uint32_t>{0});
    CHECK(layout.row(1).flawed == std::vector<uint32_t>{0});
    CHECK(layout.row(2).flawed.empty());
    const Legend legend = legendOf(run.state);
    CHECK(legend.contains(Mark::CutOff));
    CHECK(legend.contains(Mark::PassedOver));
    CHECK_FALSE(legend.contains(Mark::Failed));
    const auto lastFact = [&](std::size_t span) {
        return factsOf(run.state, run.state.spans().at(span)).back();
    };
    CHECK(lastFact(0).first == u"Cut off");
    CHECK(lastFact(0).second.contains(outcome == Outcome::Failed ? u"failed" : u"cancelled"));
    CHECK(lastFact(1).first == u"Passed over");
    CHECK(lastFact(1).second == u"2 errors, the first: no such role");
    CHECK(lastFact(2).first == u"Time");
}

TEST_CASE("the first item to end after a time, from wherever the search begins") {
    std::vector<Gap> gaps;
    for (int i = 0; i < 37; ++i) gaps.push_back({.begin = i * 10ms, .end = i * 10ms + 4ms});
    for (std::size_t from = 0; from <= gaps.size(); ++from) {
        for (Duration at = -5ms; at < 380ms; at += 1ms) {
            std::size_t expected = from;
            while (expected < gaps.size() && gaps[expected].end <= at) ++expected;
            if (firstEndingAfter(gaps, at, from) != expected) {
                FAIL("from " << from << " at " << at / 1ms << " ms");
            }
        }
    }
}

TEST_CASE("the bar under the cursor, or the nearest within reach") {
    RunBuilder run;
    Layout layout;
    run.now = 10ms;
    run.start(0);
    run.now = 20ms;
    run.finish(0, 0);
    run.idle(1, IdleCause::Tail);
    run.now = 40ms;
    run.start(1);
    run.now = 50ms;
    run.finish(1, 0);
    layout.update(run.state);
    CHECK(layout.barAt(0, 15ms, 0ms) == 0U);
    CHECK(layout.barAt(0, 22ms, 3ms) == 0U);
    CHECK(layout.barAt(0, 38ms, 3ms) == 1U);
    CHECK_FALSE(layout.barAt(0, 30ms, 3ms));
    CHECK_FALSE(layout.barAt(0, 60ms, 3ms));
    CHECK(layout.gapAt(0, 30ms) == 0U);
    CHECK_FALSE(layout.gapAt(0, 45ms));
}

TEST_CASE("a running bar's end follows from what it has done") {
    RunBuilder run;
    run.plan(0, 1000);
    run.start(0, 1, 1000);
    CHECK_FALSE(expectedEnd(run.state, run.state.spans()[0]));
    run.now = 10s;
    run.progress(0, 250);
    CHECK(expectedEnd(run.state, run.state.spans()[0]) == Duration(40s));
    CHECK(expectedRunEnd(run.state) == 40s);
    run.now = 30s;
    run.finish(0, 1000);
    run.end(Outcome::Clean);
    CHECK(expectedEnd(run.state, run.state.spans()[0]) == Duration(30s));
    CHECK(expectedRunEnd(run.state) == 30s);
}
