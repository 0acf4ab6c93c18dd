// SPDX-License-Identifier: PostgreSQL
// Runs that go on without the window: what the tray's icon says and offers.
#include "ui/shell/tray.h"

#include <QMenu>
#include <QSignalSpy>
#include <QSystemTrayIcon>
#include <QTest>
#include <catch2/catch_test_macros.hpp>
#include <thread>

using namespace gantry;
using namespace gantry::ui;

namespace {

/// Half of it is done when it is stopped.
RunRequest halfDone() {
    RunRequest request;
    request.title = QStringLiteral("Back up shop");
    request.work = [](events::EventSink& sink, const std::stop_token& stop, run::RunControl&) {
        sink.post(events::RunStarted{});
        events::Plan plan;
        for (uint32_t i = 0; i < 2; ++i) {
            events::PlannedTask task;
            task.task = TaskId{i};
            task.estimatedBytes = 1000;
            task.estimatedMs = 1000;
            plan.tasks.push_back(task);
        }
        sink.post(plan);
        events::TaskStarted started;
        started.span.task = TaskId{0};
        started.worker = WorkerId{1};
        started.estimatedBytes = 1000;
        sink.post(started);
        sink.post(events::TaskFinished{.span = {TaskId{0}, {}}, .bytes = 1000});
        while (!stop.stop_requested()) std::this_thread::yield();
        events::RunFinished finished;
        finished.outcome = events::Outcome::Cancelled;
        sink.post(finished);
    };
    return request;
}

}  // namespace

TEST_CASE("tray: it tells how far the runs are, and brings the window back or ends them") {
    RunList runs{{}};
    RunController* run = runs.start(halfDone());
    REQUIRE(QTest::qWaitFor([&] { return run->state().fraction() > 0.4; }));
    Tray tray(runs);
    CHECK(tray.findChild<QSystemTrayIcon*>() == nullptr);  // not before it is needed
    tray.setShown(true);
    auto* icon = tray.findChild<QSystemTrayIcon*>();
    REQUIRE(icon != nullptr);
    CHECK(icon->toolTip() == QStringLiteral("Gantry: 50% done"));
    CHECK(icon->isVisible() == QSystemTrayIcon::isSystemTrayAvailable());

    QSignalSpy window(&tray, &Tray::windowWanted);
    QSignalSpy cancel(&tray, &Tray::cancelWanted);
    for (QAction* action : icon->contextMenu()->actions()) {
        if (action->text() == QStringLiteral("Show Gantry")) action->trigger();
    }
    CHECK(window.count() == 1);
    Q_EMIT icon->activated(QSystemTrayIcon::Trigger);
    CHECK(window.count() == 2);
    Q_EMIT icon->activated(QSystemTrayIcon::Context);  // opens the menu
    CHECK(window.count() == 2);
    for (QAction* action : icon->contextMenu()->actions()) {
        if (action->text() == QStringLiteral("Cancel all runs and quit")) action->trigger();
    }
    CHECK(cancel.count() == 1);
    tray.setShown(false);
    CHECK_FALSE(icon->isVisible());
    run->stop();
    REQUIRE(QTest::qWaitFor([&] { return !run->active(); }));
}
