// SPDX-License-Identifier: PostgreSQL
// The chart under mouse and keyboard, offscreen.
#include "ui/gantt/gantt_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"
#include "ui/gantt/patterns.h"
#include "ui/theme/theme.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace gantry::ui;
using namespace std::chrono_literals;
using Catch::Approx;

namespace {

/// Worker 1: t0 0…40 s, t1 40…100 s. Worker 2: t2 0…50 s, then idle. The run is over.
RunBuilder twoWorkers() {
    RunBuilder run(2);
    run.plan(0, 4000);
    run.planMs(1, 60'000);
    run.plan(2, 5000);
    run.start(0, 1, 4000);
    run.start(2, 2, 5000);
    run.now = 40s;
    run.finish(0, 4000);
    run.start(1, 1);
    run.now = 50s;
    run.finish(2, 5000);
    run.idle(2, IdleCause::Dependency, "t1");
    run.now = 100s;
    run.finish(1, 0);
    run.end(Outcome::Clean);
    return run;
}

struct Chart {
    RunBuilder run = twoWorkers();
    GanttView view;
    Chart() {
        view.resize(1000, 400);
        view.setRun(&run.state, nullptr);
        view.show();
    }
    /// Where a time is in the row of a worker, counted from 0.
    QPoint pointAt(Duration at, int row) const {
        Layout layout;
        layout.update(run.state);
        const ChartGeometry g = ChartGeometry::of(view.viewport()->size(), layout);
        return {g.rows.left() + static_cast<int>(view.scale().x(at)),
                g.rowTop(static_cast<std::size_t>(row)) + g.rowHeight / 2};
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(&view, key, modifiers);
    }
};

}  // namespace

TEST_CASE("the wheel zooms at the cursor") {
    Chart chart;
    const QPoint at = chart.pointAt(60s, 0);
    QWheelEvent event(at, chart.view.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(chart.view.viewport(), &event);
    CHECK(chart.view.scale().mode() == TimeScale::Mode::Free);
    CHECK(chart.view.scale().end() - chart.view.scale().begin() < 70s);
    CHECK(std::abs(chart.pointAt(60s, 0).x() - at.x()) <= 1);
}

TEST_CASE("a click chooses a task, one beside it chooses none") {
    Chart chart;
    QSignalSpy chosen(&chart.view, &GanttView::chosen);
    QTest::mouseClick(chart.view.viewport(), Qt::LeftButton, {}, chart.pointAt(20s, 1));
    CHECK(chart.view.selected() == TaskId{2});
    QTest::mouseClick(chart.view.viewport(), Qt::LeftButton, {}, chart.pointAt(80s, 1));
    CHECK_FALSE(chart.view.selected());
    CHECK(chosen.count() == 2);
}

TEST_CASE("Tab goes from bar to bar and says what each is") {
    Chart chart;
    chart.view.activateWindow();
    chart.view.setFocus();
    REQUIRE(QTest::qWaitFor([&] { return chart.view.hasFocus(); }));
    chart.press(Qt::Key_Tab);
    CHECK(chart.view.selected() == TaskId{0});
    CHECK(chart.view.accessibleDescription() ==
          QStringLiteral("t0, COPY, Worker: Worker 1, Time: 00:00 to 00:40 (40.0 s), Rows: 40, "
                         "Bytes: 4.0 kB, Rate: 100 bytes/s, Compressed: 1.0 kB, 4.0 to 1"));
    chart.press(Qt::Key_Tab);
    CHECK(chart.view.selected() == TaskId{2});
    QSignalSpy activated(&chart.view, &GanttView::activated);
    chart.press(Qt::Key_Return);
    CHECK(activated.count() == 1);
    chart.press(Qt::Key_Escape);
    CHECK_FALSE(chart.view.selected());
}

TEST_CASE("keys zoom, pan, fit and go back") {
    Chart chart;
    const Duration whole = chart.view.scale().end();
    chart.press(Qt::Key_W);
    CHECK(chart.view.scale().end() - chart.view.scale().begin() < whole);
    chart.press(Qt::Key_Home);
    CHECK(chart.view.scale().begin() == 0s);
    chart.press(Qt::Key_D);
    CHECK(chart.view.scale().begin() > 0s);
    chart.press(Qt::Key_F);
    CHECK(chart.view.scale().mode() == TimeScale::Mode::Fit);
    chart.view.showRange(10s, 20s);
    chart.press(Qt::Key_Backspace);
    CHECK(chart.view.scale().begin() == 0s);
}

TEST_CASE("Shift and drag choose a stretch of time; F shows it") {
    Chart chart;
    QSignalSpy chosen(&chart.view, &GanttView::rangeChosen);
    QWidget* canvas = chart.view.viewport();
    QTest::mousePress(canvas, Qt::LeftButton, Qt::ShiftModifier, chart.pointAt(20s, 0));
    QTest::mouseMove(canvas, chart.pointAt(60s, 0));
    QTest::mouseRelease(canvas, Qt::LeftButton, Qt::ShiftModifier, chart.pointAt(60s, 0));
    REQUIRE(chart.view.range());
    CHECK(static_cast<double>(chart.view.range()->first.count()) == Approx(20e6).margin(2e5));
    CHECK(static_cast<double>(chart.view.range()->second.count()) == Approx(60e6).margin(2e5));
    CHECK(chosen.count() == 1);
    chart.press(Qt::Key_F);
    CHECK(chart.view.scale().begin() == chart.view.range()->first);
    chart.press(Qt::Key_Escape);
    CHECK_FALSE(chart.view.range());
}

TEST_CASE("a search marks its matches and goes from one to the next") {
    Chart chart;
    CHECK(chart.view.setSearch(QStringLiteral("T")) == 3);
    chart.view.findNext();
    CHECK(chart.view.matchNumber() == 1);
    chart.view.findPrevious();
    CHECK(chart.view.matchNumber() == 3);
    CHECK(chart.view.setSearch(QStringLiteral("t2")) == 1);
    chart.view.findNext();
    CHECK(chart.view.selected() == TaskId{2});
    CHECK(chart.view.setSearch(QStringLiteral("nothing")) == 0);
    CHECK(chart.view.setSearch({}) == 0);
}

TEST_CASE("while a run goes on the chart follows it until somebody pans") {
    RunBuilder run(1);
    run.start(0, 1, 1000);
    run.now = 10s;
    run.progress(0, 100);
    GanttView view;
    view.resize(800, 300);
    view.setRun(&run.state, nullptr);
    CHECK(view.following());
    QTest::keyClick(&view, Qt::Key_A);
    CHECK_FALSE(view.following());
    view.setFollowing(true);
    CHECK(view.following());
}

TEST_CASE("bars have their kind's colour, gaps do not") {
    Chart chart;
    QImage image(chart.view.viewport()->size(), QImage::Format_RGB32);
    chart.view.viewport()->render(&image);
    const auto near = [&](Duration at, int row, int down) {
        return image.pixelColor(chart.pointAt(at, row) + QPoint(0, down));
    };
    CHECK(near(30s, 0, 8) == kindColor(plan::TaskKind::TableData));
    const QColor gap = near(75s, 1, 8);
    CHECK(
        (gap == currentTheme().idleBase || gap.lightness() < currentTheme().idleBase.lightness()));
    CHECK(near(30s, 1, 8) == kindColor(plan::TaskKind::TableData));
}

TEST_CASE("the overview changes its colours with the theme") {
    ThemeKeeper& keeper = ThemeKeeper::instance();
    const ThemeMode before = keeper.mode();
    keeper.setMode(ThemeMode::Light);
    Chart chart;
    const auto ground = [&] {
        QImage image(chart.view.viewport()->size(), QImage::Format_RGB32);
        chart.view.viewport()->render(&image);
        Layout layout;
        layout.update(chart.run.state);
        const ChartGeometry g = ChartGeometry::of(chart.view.viewport()->size(), layout);
        return image.pixelColor(g.overview.center().x(), g.overview.bottom() - 2);
    };
    const QColor light = ground();
    CHECK(light.lightness() > 128);
    keeper.setMode(ThemeMode::Dark);
    const QColor dark = ground();
    keeper.setMode(ThemeMode::Light);
    CHECK(dark.lightness() < 128);
    CHECK(ground() == light);
    keeper.setMode(before);
}

TEST_CASE("a wait for a lock in the middle of a task is seen on its bar") {
    Chart chart;
    RunBuilder run(1);
    run.start(0, 1);
    run.now = 20s;
    run.idle(1, IdleCause::Lock, "public.a, session 7");
    run.now = 60s;
    run.post(TaskPhase{.span = {TaskId{0}, std::nullopt}, .phase = {}});
    run.now = 100s;
    run.finish(0, 0);
    run.end(Outcome::Clean);
    chart.view.setRun(&run.state, nullptr);
    QImage image(chart.view.viewport()->size(), QImage::Format_RGB32);
    chart.view.viewport()->render(&image);
    Layout layout;
    layout.update(run.state);
    const ChartGeometry g = ChartGeometry::of(chart.view.viewport()->size(), layout);
    const auto colourAt = [&](Duration at) {
        return image.pixelColor(g.rows.left() + static_cast<int>(chart.view.scale().x(at)),
                                g.rowTop(0) + g.rowHeight / 2 + 8);
    };
    const QColor bar = kindColor(plan::TaskKind::TableData);
    CHECK(colourAt(10s) == bar);
    CHECK(colourAt(50s) != bar);
    CHECK(colourAt(80s) == bar);
}

TEST_CASE("what is told of the run as a whole is read at its mark in the ruler") {
    Chart chart;
    chart.run.state.apply(
        {100s, Notice{.message = "The number of workers was changed from 2 to 3"}});
    chart.view.refresh();
    const QPoint mark(chart.pointAt(100s, 0).x(), 20);
    QHelpEvent help(QEvent::ToolTip, mark, chart.view.viewport()->mapToGlobal(mark));
    QApplication::sendEvent(chart.view.viewport(), &help);
    CHECK(QToolTip::text().contains(QStringLiteral("01:40  The number of workers was changed")));
}

TEST_CASE("a bar of which nothing is done yet is not painted as done") {
    Chart chart;
    RunBuilder run(1);
    run.plan(0, 1000);
    run.start(0, 1, 1000);
    run.now = 10s;
    run.progress(0, 0);
    chart.view.setRun(&run.state, nullptr);
    QImage image(chart.view.viewport()->size(), QImage::Format_RGB32);
    chart.view.viewport()->render(&image);
    Layout layout;
    layout.update(run.state);
    const ChartGeometry g = ChartGeometry::of(chart.view.viewport()->size(), layout);
    const int x = g.rows.left() + static_cast<int>(chart.view.scale().x(5s));
    CHECK(image.pixelColor(x, g.rowTop(0) + g.rowHeight / 2) ==
          mixed(kindColor(plan::TaskKind::TableData), currentTheme().panel, 0.35));
}

TEST_CASE("text on a colour can be read, on what is done of a bar and on what is not") {
    CHECK(textOn(QColor(0x35, 0x75, 0xd0)) == QColor(Qt::white));
    CHECK(textOn(QColor(0xe0, 0xa2, 0x3a)) == QColor(Qt::black));
    Chart chart;
    RunBuilder run(1);
    run.plan(0, 1000);
    run.start(0, 1, 1000);
    run.now = 10s;
    run.progress(0, 500);
    chart.view.setRun(&run.state, nullptr);
    QImage image(chart.view.viewport()->size(), QImage::Format_RGB32);
    chart.view.viewport()->render(&image);
    Layout layout;
    layout.update(run.state);
    const ChartGeometry g = ChartGeometry::of(chart.view.viewport()->size(), layout);
    // The label begins where all is done, the percentage stands where nothing is.
    constexpr int kNear = 0x30;
    const auto holds = [&](double from, double to, const QColor& color) {
        const auto xOf = [&](double share) {
            return g.rows.left() + static_cast<int>(chart.view.scale().x(10s) * share);
        };
        for (int x = xOf(from); x < xOf(to); ++x) {
            for (int y = g.rowTop(0) + 8; y < g.rowTop(0) + g.rowHeight - 8; ++y) {
                const int seen = qGray(image.pixel(x, y));
                if (std::abs(seen - qGray(color.rgb())) < kNear) return true;
            }
        }
        return false;
    };
    CHECK(holds(0.01, 0.2, Qt::white));
    CHECK_FALSE(holds(0.6, 0.99, Qt::white));
    CHECK(holds(0.6, 0.99, Qt::black));
}
