// SPDX-License-Identifier: PostgreSQL
// Every page without a mouse and without eyes: all that can have the focus gets it by Tab and says
// what it is.
#include <QAccessible>
#include <QLabel>
#include <QTest>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <set>

#include "core/events/event_json.h"
#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"
#include "ui/pages/backup_page.h"
#include "ui/pages/restore_page.h"
#include "ui/pages/servers_page.h"
#include "ui/pages/tune_page.h"
#include "ui/pages/vacuum_page.h"
#include "ui/run/compare_page.h"
#include "ui/run/run_page.h"
#include "ui/shell/desktop.h"

using namespace gantry;
using namespace gantry::ui;
using namespace std::chrono_literals;

namespace {

constexpr int kKeyboardPatienceMs = 60'000;

std::string describe(const QWidget* widget) {
    return std::string(widget->metaObject()->className()) + " \"" +
           widget->objectName().toStdString() + "\" \"" + widget->accessibleName().toStdString() +
           "\"";
}

std::vector<QWidget*> focusable(QWidget* window) {
    std::vector<QWidget*> found;
    for (QWidget* widget : window->findChildren<QWidget*>()) {
        const bool takes = (widget->focusPolicy() & Qt::TabFocus) != 0 && !widget->focusProxy();
        if (takes && widget->isVisible() && widget->isEnabled() && widget->window() == window) {
            found.push_back(widget);
        }
    }
    return found;
}

/// The widgets that Tab comes by, beginning anywhere.
std::set<QWidget*> walked(QWidget* window) {
    constexpr int kSteps = 400;
    std::set<QWidget*> seen;
    for (int i = 0; i < kSteps; ++i) {
        if (QWidget* focus = window->focusWidget()) {
            seen.insert(focus);
            QTest::keyClick(focus, Qt::Key_Tab);
        } else {
            focusable(window).front()->setFocus(Qt::TabFocusReason);
        }
    }
    return seen;
}

void checkPage(QWidget* window) {
    window->activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(window));
    const std::set<QWidget*> seen = walked(window);
    for (QWidget* widget : focusable(window)) {
        INFO(describe(widget));
        CHECK(seen.contains(widget));
        QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
        REQUIRE(spoken != nullptr);
        CHECK_FALSE(spoken->text(QAccessible::Name).isEmpty());
    }
}

void record(const std::filesystem::path& path) {
    std::ofstream file(path);
    events::RunStarted started;
    started.operation = "restore";
    started.database = "shop";
    started.startedAt = "2026-11-20T14:02:03Z";
    started.workers = 1;
    events::TaskStarted start;
    start.worker = WorkerId{1};
    start.object = "public.a";
    for (const events::Event& event : std::vector<events::Event>{
             {0s, started},
             {0s, start},
             {4s, events::TaskFinished{.span = {TaskId{0}, {}}, .bytes = 1000, .rows = 10}},
             {5s, events::RunFinished{}}}) {
        file << events::toJson(event) << '\n';
    }
}

}  // namespace

TEST_CASE("every page is reached by Tab and every control says what it is") {
    const test::TemporaryFolder folder;
    const test::Cluster cluster;
    Desktop desktop({});
    MainWindow& window = desktop.window();
    window.resize(1280, 800);
    window.show();
    checkPage(&window);  // the welcome

    ServerProfile server;
    server.name = QStringLiteral("box");
    server.host = QString::fromStdString(cluster.socketFolder().string());
    server.port = QString::number(cluster.port());
    server.user = QStringLiteral("postgres");
    desktop.servers().save(server);
    auto* servers = qobject_cast<ServersPage*>(window.currentPage());
    REQUIRE(servers != nullptr);
    REQUIRE(QTest::qWaitFor([&] { return servers->facts().has_value(); }, kKeyboardPatienceMs));
    checkPage(&window);

    cluster.createDatabase("shop");
    cluster.execute("CREATE TABLE a (id int); CREATE TABLE b (id int)", "shop");
    window.showPage(QStringLiteral("backup"));
    auto* backup = qobject_cast<BackupPage*>(window.currentPage());
    backup->chooseDatabase(QStringLiteral("shop"));
    REQUIRE(QTest::qWaitFor(
        [&] { return backup->objects().rowCount() > 0 && backup->objects().complete(); },
        kKeyboardPatienceMs));
    backup->findChild<QAbstractButton*>(QStringLiteral("moreOptions"))->click();
    checkPage(&window);

    const std::string archive = (folder.path() / "shop.dump").string();
    test::runToolOk({cluster.tool("pg_dump"), "-Fc", "-f", archive, cluster.conninfo("shop")});
    window.showPage(QStringLiteral("restore"));
    auto* restore = qobject_cast<RestorePage*>(window.currentPage());
    restore->openArchive(QString::fromStdString(archive));
    REQUIRE(QTest::qWaitFor([&] { return !restore->contents().empty(); }, kKeyboardPatienceMs));
    for (const auto target : {RestorePage::Target::Existing, RestorePage::Target::New}) {
        restore->chooseTarget(target, QStringLiteral("shop"));
        checkPage(&window);
    }

    window.showPage(QStringLiteral("vacuum"));
    auto* vacuum = qobject_cast<VacuumPage*>(window.currentPage());
    vacuum->chooseDatabase(QStringLiteral("shop"));
    REQUIRE(QTest::qWaitFor([&] { return vacuum->planned(); }, kKeyboardPatienceMs));
    vacuum->findChild<QAbstractButton*>(QStringLiteral("moreOptions"))->click();
    checkPage(&window);

    window.showPage(QStringLiteral("tune"));
    auto* tune = qobject_cast<TunePage*>(window.currentPage());
    tune->chooseDatabase(QStringLiteral("shop"));
    REQUIRE(QTest::qWaitFor([&] { return tune->report().has_value(); }, kKeyboardPatienceMs));
    for (const auto operation : {options::TuneOperation::Dump, options::TuneOperation::Restore,
                                 options::TuneOperation::Vacuum}) {
        tune->chooseOperation(operation);
        checkPage(&window);
    }

    const auto one = folder.path() / "one.jsonl";
    record(one);
    desktop.openRecord(QString::fromStdString(one.string()));
    const auto shown = [&] { return qobject_cast<RunPage*>(window.currentPage()) != nullptr; };
    REQUIRE(QTest::qWaitFor(shown, kKeyboardPatienceMs));
    auto* run = qobject_cast<RunPage*>(window.currentPage());
    REQUIRE(QTest::qWaitFor([&] { return run->feed().state().finished().has_value(); }));
    checkPage(&window);

    ComparePage compared(one, one);
    compared.resize(1280, 800);
    compared.show();
    checkPage(&compared);
}
