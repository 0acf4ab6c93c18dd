// SPDX-License-Identifier: PostgreSQL
// A vacuum's phases, and beneath its bar its index workers and TOAST table, from its events.
#include <QTest>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "ui/gantt/gantt_text.h"
#include "ui/gantt/gantt_view.h"
#include "ui/gantt/legend.h"
#include "ui/gantt/patterns.h"
#include "ui/gantt/phases.h"
#include "ui/gantt/vacuum_sums.h"
#include "ui/theme/theme.h"

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
        end.rows = 1234;
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
             {12s, events::VacuumOutcome{kSpan, "public.orders", false, 5000, 7, 9'000'000,
                                         8'000'000, 1200, 30}},
             {12s, events::TaskFinished{.span = kSpan, .bytes = 1000, .rows = 5000}},
             {12s, events::RunFinished{}}}) {
        run.apply(event);
    }
    return run;
}

}  // namespace

TEST_CASE("sub-lanes: one for each process that works on indexes, TOAST above") {
    const events::RunState run = vacuumed();
    Layout layout;
    layout.update(run);
    REQUIRE(layout.order().size() == 1);
    const Row& row = layout.row(0);
    REQUIRE(row.below.size() == 3);
    CHECK(subLaneName(row.below[0]).toStdString() == "TOAST");
    CHECK(subLaneName(row.below[1]).toStdString() == "Indexes, itself");
    CHECK(subLaneName(row.below[2]).toStdString() == "Index worker 1");
    CHECK(layout.subLanesAbove() == std::vector<uint32_t>{0, 3});
    const auto objectAt = [&](std::size_t lane, Duration at) {
        const auto part = layout.partAt(run, 0, 0, lane, at, 0s);
        return part ? run.spans().front().parts[*part].object : std::string();
    };
    CHECK(objectAt(0, 10500ms) == "pg_toast.pg_toast_1");
    CHECK(objectAt(1, 5s) == "public.a_idx");
    CHECK(objectAt(1, 6500ms) == "public.c_idx");
    CHECK(objectAt(2, 8s) == "public.b_idx");
    CHECK(objectAt(2, 3s).empty());
    layout.setGrouping(Grouping::Kind);
    layout.update(run);
    CHECK(layout.subLanesAbove().back() == 3);
}

TEST_CASE("sub-lanes: a process that was taken for another has none once that is known") {
    events::RunState run;
    events::TaskStarted task;
    task.span = kSpan;
    task.kind = plan::TaskKind::Vacuum;
    task.worker = WorkerId{1};
    run.apply({0s, task});
    run.apply({1s, part(0, events::PartKind::Index, "public.a_idx", 2)});
    Layout layout;
    layout.update(run);
    CHECK(layout.row(0).below == std::vector<SubLane>{{events::PartKind::Index, 2}});
    run.apply({2s, events::PartFinished{.span = kSpan, .part = 0, .rows = 9, .helper = 1}});
    run.apply({3s, events::TaskFinished{.span = kSpan}});
    layout.update(run);
    CHECK(layout.row(0).below == std::vector<SubLane>{{events::PartKind::Index, 1}});
    CHECK(layout.subLanesAbove().back() == 1);
}

TEST_CASE("sub-lanes: what lies beneath a bar is chosen by mouse and by keyboard") {
    const events::RunState run = vacuumed();
    GanttView view;
    view.resize(900, 400);
    view.setRun(&run, nullptr);
    view.show();
    Layout layout;
    layout.update(run);
    const ChartGeometry g = ChartGeometry::of(view.viewport()->size(), layout);
    const auto pointAt = [&](Duration at, int lane) {
        return QPoint(g.rows.left() + static_cast<int>(view.scale().x(at)),
                      g.subLanesTop(0) + lane * g.subLaneHeight + g.subLaneHeight / 2);
    };
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, pointAt(8s, 2));
    CHECK(view.selected() == TaskId{0});
    REQUIRE(view.selectedPart());
    CHECK(run.spans()[0].parts[view.selectedPart()->part].object == "public.b_idx");
    CHECK(view.accessibleDescription().toStdString() ==
          "b_idx · index, Of: orders, Done by: Index worker 1, Phase: vacuuming, "
          "Time: 00:04.0 to 00:09.0 (5.0 s), Rows removed: 1,234");
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, pointAt(3s, 2));  // nothing there
    CHECK(view.selected() == TaskId{0});
    CHECK_FALSE(view.selectedPart());
    view.activateWindow();
    view.setFocus();
    REQUIRE(QTest::qWaitFor([&] { return view.hasFocus(); }));
    QTest::keyClick(&view, Qt::Key_Tab);
    CHECK(view.selectedPart() == PartPlace{.span = 0, .part = 0});
    QTest::keyClick(&view, Qt::Key_Backtab);
    CHECK(view.selected() == TaskId{0});
    CHECK_FALSE(view.selectedPart());
}

TEST_CASE("phases have names and looks of their own") {
    CHECK(phaseOf("scanning heap") == Phase::Scan);
    CHECK(phaseOf("TOAST: vacuuming indexes") == Phase::Indexes);
    CHECK(phaseOf("seq scanning heap") == Phase::Rewrite);
    CHECK(phaseOf("analyzing: computing statistics") == Phase::Analyze);
    CHECK(phaseOf("waiting for writers before build") == Phase::Other);
    for (std::size_t i = 0; i < kPhases; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const auto one = static_cast<Phase>(i);
            const auto other = static_cast<Phase>(j);
            CAPTURE(phaseName(one).toStdString(), phaseName(other).toStdString());
            const bool rewriting = one == Phase::Rebuild && other == Phase::Indexes;
            const bool differ =
                phaseColor(one) != phaseColor(other) ||
                phasePattern(one).textureImage() != phasePattern(other).textureImage();
            CHECK((differ || rewriting));  // never in one bar
        }
    }
}

TEST_CASE("phases that lie in one bar differ to eyes without red and green") {
    // CIE 1976: how light, and how blue or yellow; what is red or green is left out.
    const auto seen = [](const QColor& color) {
        const auto linear = [](double c) {
            return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        };
        const double r = linear(color.redF());
        const double g = linear(color.greenF());
        const double b = linear(color.blueF());
        const double y = std::cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b);
        const double z = std::cbrt((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
        return std::pair(116 * y - 16, 200 * (y - z));
    };
    ThemeKeeper& keeper = ThemeKeeper::instance();
    const ThemeMode before = keeper.mode();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        keeper.setMode(mode);
        const Phase phases[] = {Phase::Scan,    Phase::Indexes,  Phase::Heap,
                                Phase::CleanUp, Phase::Truncate, Phase::Analyze};
        for (const Phase one : phases) {
            for (const Phase other : phases) {
                if (one >= other) continue;
                CAPTURE(phaseName(one).toStdString(), phaseName(other).toStdString());
                const auto a = seen(phaseColor(one));
                const auto b = seen(phaseColor(other));
                CHECK(std::hypot(a.first - b.first, a.second - b.second) > 14);
            }
        }
    }
    keeper.setMode(before);
}

TEST_CASE("words on bars of all kinds and phases can be read, done or still to be done") {
    const auto luminance = [](const QColor& color) {
        const auto linear = [](double c) {
            return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
               0.0722 * linear(color.blueF());
    };
    const auto contrast = [&](const QColor& fill) {
        const double a = luminance(fill) + 0.05;
        const double b = luminance(textOn(fill)) + 0.05;
        return std::max(a, b) / std::min(a, b);
    };
    ThemeKeeper& keeper = ThemeKeeper::instance();
    const ThemeMode before = keeper.mode();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        keeper.setMode(mode);
        std::vector<QColor> fills;
        for (std::size_t i = 0; i < plan::kTaskKinds; ++i) {
            fills.push_back(kindColor(static_cast<plan::TaskKind>(i)));
        }
        for (std::size_t i = 0; i < kPhases; ++i) {
            fills.push_back(phaseColor(static_cast<Phase>(i)));
        }
        for (const QColor& fill : fills) {
            CAPTURE(fill.name().toStdString());
            CHECK(contrast(fill) >= 4.5);
            CHECK(contrast(mixed(fill, currentTheme().panel, 0.35)) >= 4.5);
        }
    }
    keeper.setMode(before);
}

TEST_CASE("legend: a vacuum's phases, what lies beneath its bars, and failures") {
    events::SpanState span;
    span.kind = plan::TaskKind::Vacuum;
    for (const char* phase : {"scanning heap", "analyzing: computing statistics"}) {
        span.phases.emplace_back().phase = phase;
    }
    for (const char* phase : {"vacuuming", "cleaning up"}) span.parts.emplace_back().phase = phase;
    span.error = ErrorInfo{};
    Legend legend;
    addLooks(span, legend);
    CHECK(legend == Legend{Category::Vacuum, Phase::Scan, Phase::Analyze, PartLook::IndexVacuum,
                           PartLook::IndexCleanUp, Mark::Failed});
    CHECK(isShown(Phase::Analyze, legend));
    CHECK_FALSE(isShown(Mark::Idle, legend));
    legend.insert(Category::Analyze);
    CHECK_FALSE(isShown(Phase::Analyze, legend));  // looks the same, and has the same name
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
