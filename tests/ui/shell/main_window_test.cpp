// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "tests/support/temporary_folder.h"
#include "ui/bridge/run_list.h"
#include "ui/servers/server_store.h"
#include "ui/shell/close_dialog.h"
#include "ui/shell/english_counts.h"
#include "ui/shell/page.h"
#include "ui/shell/run_tabs.h"
#include "ui/shell/side_bar.h"

namespace gantry::ui {
namespace {

struct Fixture {
    ServerStore servers{QString()};
    RunList runs{std::filesystem::path()};
    MainWindow window{servers, runs};

    Fixture() {
        window.setServersPage([] { return titled("a server"); });
        window.setWelcomePage([] { return titled("welcome"); });
        window.addWorkPage(QStringLiteral("back-up"), QStringLiteral("Back up"),
                           [] { return titled("Back up shop"); });
        window.setRunPages(
            [](RunController* run) {
                auto* page = new Page;
                page->setTitle(run->request().title);
                return page;
            },
            [](const std::filesystem::path& record) {
                auto* page = new Page;
                page->setTitle(QString::fromStdString(record.filename().string()));
                return page;
            });
    }
    static Page* titled(const char* title) {
        auto* page = new Page;
        page->setTitle(QLatin1String(title));
        return page;
    }
    QString add(const char* name, bool production) {
        ServerProfile server;
        server.name = QLatin1String(name);
        server.production = production;
        return servers.save(server);
    }
    /// Runs until it is stopped.
    RunController* startEndless() {
        RunRequest request;
        request.title = QStringLiteral("Back up shop");
        request.work = [](events::EventSink& sink, const std::stop_token& stop, run::RunControl&) {
            sink.post(events::RunStarted{});
            while (!stop.stop_requested()) std::this_thread::yield();
            events::RunFinished finished;
            finished.outcome = events::Outcome::Cancelled;
            sink.post(finished);
        };
        return runs.start(std::move(request));
    }
};

TEST_CASE("main window: the welcome gives way to the first server") {
    Fixture f;
    f.window.showFirst();
    CHECK(f.window.currentPage()->title() == QStringLiteral("welcome"));
    const QString id = f.add("devbox", false);
    CHECK(f.window.currentPage()->title() == QStringLiteral("a server"));
    CHECK(f.window.currentServer() == id);
    f.servers.remove(id);
    CHECK(f.window.currentPage()->title() == QStringLiteral("welcome"));
}

TEST_CASE("main window: begins with the server that was aimed at last") {
    Fixture f;
    const QString first = f.add("alpha", false);
    const QString last = f.add("omega", false);
    f.window.showFirst(last);
    CHECK(f.window.currentServer() == last);
    f.window.showFirst(QStringLiteral("gone"));
    CHECK(f.window.currentServer() == first);
}

TEST_CASE("main window: work pages aim at the current server, also after it was edited") {
    Fixture f;
    const QString id = f.add("devbox", false);
    f.window.showPage(QStringLiteral("back-up"));
    Page* page = f.window.currentPage();
    REQUIRE(page->server());
    CHECK(page->server()->id == id);
    ServerProfile edited = *f.servers.find(id);
    edited.production = true;
    f.servers.save(edited);
    CHECK(page->server()->production);
}

TEST_CASE("main window: a page that is turned to has the focus where work begins") {
    Fixture f;
    auto* begin = new QPushButton;
    f.window.addWorkPage(QStringLiteral("other"), QStringLiteral("Other"), [begin] {
        Page* page = Fixture::titled("other");
        page->addHeaderWidget(new QPushButton);
        page->setContent(begin);
        page->beginAt(begin);
        return page;
    });
    f.window.show();
    f.window.showPage(QStringLiteral("back-up"));
    f.window.showPage(QStringLiteral("other"));
    CHECK(f.window.currentPage()->focusWidget() == begin);
}

TEST_CASE("main window: a run gets a page, and closing meanwhile asks") {
    Fixture f;
    f.window.show();
    RunController* run = f.startEndless();
    CHECK(f.window.currentPage()->title() == QStringLiteral("Back up shop"));
    REQUIRE(QTest::qWaitFor([&] { return run->state().started().has_value(); }));
    CHECK(f.window.windowTitle() == QStringLiteral("0% · Back up shop — Gantry"));

    f.window.close();
    auto* dialog = f.window.findChild<CloseDialog*>();
    REQUIRE(dialog != nullptr);
    CHECK(dialog->text() == QStringLiteral("\"Back up shop\" is still running."));
    CHECK(f.window.isVisible());
    const QList<QAbstractButton*> buttons = dialog->buttons();
    for (QAbstractButton* button : buttons) {
        if (button->text() == QStringLiteral("&Stay")) button->click();
    }
    CHECK(f.window.isVisible());
    CHECK(run->phase() == RunPhase::Running);

    run->stop();
    REQUIRE(QTest::qWaitFor([&] { return run->phase() == RunPhase::Finished; }));
    CHECK(f.window.windowTitle() == QStringLiteral("Back up shop — Gantry"));
    CHECK(f.window.close());
}

TEST_CASE("main window: a recorded run opens in a page of its own, once") {
    Fixture f;
    const RunRecord record{"/runs/one.jsonl", "dump", "shop", "2026-11-20T14:02:03Z"};
    f.window.setRecords({record});
    f.window.openRecord(record);
    Page* page = f.window.currentPage();
    CHECK(page->title() == QStringLiteral("one.jsonl"));
    f.add("devbox", false);
    f.window.showFirst();
    f.window.openRecord(record);
    CHECK(f.window.currentPage() == page);
}

TEST_CASE("main window: a run of this session is not listed again by its record") {
    const test::TemporaryFolder folder;
    ServerStore servers{QString()};
    RunList runs{folder.path()};
    MainWindow window{servers, runs};
    RunRequest request;
    request.title = QStringLiteral("Back up shop");
    request.work = [](events::EventSink& sink, const std::stop_token&, run::RunControl&) {
        sink.post(events::RunStarted{});
        sink.post(events::RunFinished{});
    };
    const RunController* run = runs.start(std::move(request));
    REQUIRE(QTest::qWaitFor([&] { return run->phase() == RunPhase::Finished; }));
    REQUIRE(QTest::qWaitFor([&] { return !run->recordPath().empty(); }));  // written beside it
    const QAbstractItemModel* list = window.findChild<SideBar*>()->model();
    const int rows = list->rowCount();
    const RunRecord own{run->recordPath(), "dump", "shop", "2026-11-20T14:02:03Z"};
    const RunRecord other{"/runs/one.jsonl", "dump", "shop", "2026-11-19T14:02:03Z"};
    window.setRecords({own, other});
    CHECK(list->rowCount() == rows + 1);
}

TEST_CASE("main window: a record is listed once, whoever names it first, and goes with its run") {
    Fixture f;
    RunRecord opened{"/tmp/runs/one.jsonl.zst", "dump", "shop", "2026-10-01T12:00:00Z", {}};
    f.window.openRecord(opened);
    RunRecord kept = opened;
    kept.status = history::Status::Clean;
    const RunRecord other{"/tmp/runs/other.jsonl.zst", "dump", "logs", "2026-10-02T12:00:00Z", {}};
    const RunRecord back{"/tmp/runs/back.jsonl.zst", "restore", "shop", "2026-10-03T12:00:00Z", {}};
    f.window.setRecords({kept, other, back});
    const auto listed = [&](const QString& name) {
        const QAbstractItemModel* model = f.window.findChild<SideBar*>()->model();
        return model->match(model->index(0, 0), Qt::DisplayRole, name, -1, Qt::MatchExactly).size();
    };
    CHECK(listed(QStringLiteral("Back up shop")) == 1);
    CHECK(listed(QStringLiteral("Back up logs")) == 1);
    CHECK(listed(QStringLiteral("Restore into shop")) == 1);  // as while it ran
    f.window.forgetRecords({"/tmp/runs/one.jsonl"});
    CHECK(listed(QStringLiteral("Back up shop")) == 0);
    CHECK(listed(QStringLiteral("Back up logs")) == 1);
    CHECK_FALSE(f.window.shownKey().startsWith(QStringLiteral("record:")));
}

TEST_CASE("main window: several runs stand in tabs, and one that is closed goes on") {
    Fixture f;
    f.window.show();
    auto* tabs = f.window.findChild<RunTabs*>();
    RunController* one = f.startEndless();
    CHECK_FALSE(tabs->isVisible());
    RunController* two = f.startEndless();
    CHECK(tabs->isVisible());
    CHECK(tabs->count() == 2);
    CHECK(tabs->tabData(0).toStringList().at(1) != tabs->tabData(1).toStringList().at(1));
    CHECK(f.window.shownKey() == QStringLiteral("run:2"));
    tabs->setCurrentIndex(0);
    CHECK(f.window.shownKey() == QStringLiteral("run:1"));
    Q_EMIT tabs->tabCloseRequested(0);
    CHECK(tabs->count() == 1);
    CHECK(f.window.shownKey() == QStringLiteral("run:2"));
    CHECK(one->active());
    f.window.showPage(QStringLiteral("run:1"));
    CHECK(tabs->count() == 2);
    one->stop();
    two->stop();
    REQUIRE(QTest::qWaitFor([&] { return !f.runs.anyActive(); }));
}

TEST_CASE("main window: a saved task is chosen by click or Enter, not in passing") {
    Fixture f;
    f.window.setTasks({{QStringLiteral("dump/nightly"), QStringLiteral("nightly"), {}, {}}});
    f.window.show();
    auto* list = f.window.findChild<SideBar*>();
    QString wanted;
    QObject::connect(&f.window, &MainWindow::taskWanted, [&](const QString& id) { wanted = id; });
    const QModelIndex task = list->model()->index(list->model()->rowCount() - 1, 0);
    REQUIRE(task.data().toString() == QStringLiteral("nightly"));
    list->setCurrentIndex(task);
    CHECK(wanted.isEmpty());
    QTest::keyClick(list, Qt::Key_Return);
    CHECK(wanted == QStringLiteral("dump/nightly"));
    wanted.clear();
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(task).center());
    CHECK(wanted == QStringLiteral("dump/nightly"));
}

TEST_CASE("main window: who keeps it open closes it later") {
    Fixture f;
    f.window.show();
    bool may = false;
    f.window.setCloseGuard([&may] { return may; });
    CHECK_FALSE(f.window.close());
    CHECK(f.window.isVisible());
    may = true;
    CHECK(f.window.close());
}

TEST_CASE("main window: a page's own work is asked about before it ends with the window") {
    struct Busy : Page {
        bool busy = true;
        QString underWay() const override {
            return busy ? QStringLiteral("A sweep is measuring shop.") : QString();
        }
        void endWork() override { busy = false; }
    };
    Fixture f;
    Busy* page = nullptr;
    f.window.addWorkPage(QStringLiteral("tune"), QStringLiteral("Tune"),
                         [&page] { return page = new Busy; });
    f.window.show();
    f.window.showPage(QStringLiteral("tune"));
    REQUIRE(page != nullptr);
    CHECK_FALSE(f.window.close());
    auto* box = f.window.findChild<QMessageBox*>();
    REQUIRE(box != nullptr);
    CHECK(box->text() == QStringLiteral("A sweep is measuring shop."));
    CHECK(page->busy);
    for (QAbstractButton* button : box->buttons()) {
        if (button->text() == QStringLiteral("S&top it and quit")) button->click();
    }
    CHECK_FALSE(page->busy);
    CHECK_FALSE(f.window.isVisible());
}

TEST_CASE("english: what is counted has its singular, and many are written as everywhere") {
    const EnglishCounts english;
    const auto said = [](const char* words, int count) {
        return QCoreApplication::translate("any", words, nullptr, count);
    };
    CHECK(said("%n notices", 1) == QStringLiteral("1 notice"));
    CHECK(said("%n notices", 2) == QStringLiteral("2 notices"));
    CHECK(said("%n notices", 0) == QStringLiteral("0 notices"));
    CHECK(said("%n relations", 2000) == QStringLiteral("2,000 relations"));
    CHECK(said("any words", -1) == QStringLiteral("any words"));
    CHECK(said("%1 in %n databases", 1).arg(7) == QStringLiteral("7 in 1 database"));
    CHECK(said("%n connections in use, %1 free", 1).arg(3) ==
          QStringLiteral("1 connection in use, 3 free"));
    CHECK(said("%1 of %n runs", 1).arg(1) == QStringLiteral("1 of one run"));
    CHECK(said("%n runs forgotten, %1 of records removed", 1).startsWith(u"One run"));
}

TEST_CASE("main window: a run that is left in the background goes on") {
    Fixture f;
    f.window.show();
    RunController* run = f.startEndless();
    f.window.close();
    auto* dialog = f.window.findChild<CloseDialog*>();
    REQUIRE(dialog != nullptr);
    Q_EMIT dialog->keepRunningChosen();
    CHECK_FALSE(f.window.isVisible());
    CHECK(run->active());
    f.window.comeBack();
    CHECK(f.window.isVisible());
    run->stop();
    REQUIRE(QTest::qWaitFor([&] { return run->phase() == RunPhase::Finished; }));
}

}  // namespace
}  // namespace gantry::ui
