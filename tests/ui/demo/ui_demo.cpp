// SPDX-License-Identifier: PostgreSQL
// The application driven as a user would: a server, a backup, its restore into a new database, and
// a vacuum of what was restored.
//
//   ui_demo PICTURES FOLDER [WIDTHxHEIGHT]
//                              pictures go to the one, archive and settings to the other
//
// The server is the one that PGHOST, PGPORT and PGUSER name; it has the demo database. Exit code 1
// if anything did not come out as it should.
#include <QAbstractSlider>
#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QThreadPool>
#include <QTreeView>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>

#include "ui/bridge/async.h"
#include "ui/gantt/gantt_view.h"
#include "ui/pages/backup_page.h"
#include "ui/pages/restore_page.h"
#include "ui/pages/servers_page.h"
#include "ui/pages/tune_page.h"
#include "ui/pages/vacuum_page.h"
#include "ui/run/run_page.h"
#include "ui/shell/desktop.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kPatienceMs = 300'000;
constexpr QSize kWindow(1440, 900);
constexpr int kSettleMs = 1200;  // what is looked at in the background

class Demo {
public:
    Demo(QString pictures, const QString& folder, QSize size)
        : pictures_(std::move(pictures)),
          folder_(folder),
          desktop_({.config = folder + QStringLiteral("/config"),
                    .data = folder + QStringLiteral("/data")}) {
        QDir().mkpath(pictures_);
        QDir().mkpath(folder_);
        desktop_.window().resize(size);
        desktop_.window().show();
        picture("welcome");
    }

    void showServer() {
        ServerProfile server;
        server.name = QStringLiteral("demo");
        server.host = qEnvironmentVariable("PGHOST");
        server.port = qEnvironmentVariable("PGPORT");
        server.user = qEnvironmentVariable("PGUSER");
        server.color = QColor(0x2f8f46);
        server_ = desktop_.servers().save(server);
        desktop_.window().showPage(QStringLiteral("server:") + server_);
        auto* page = current<ServersPage>();
        waitFor("the server's databases", [page] { return page->facts().has_value(); });
        picture("server");
    }

    void backUp() {
        desktop_.window().showPage(QStringLiteral("backup"));
        auto* page = current<BackupPage>();
        page->chooseDatabase(QStringLiteral("gantry_demo"));
        waitFor("the objects of the database", [page] { return page->objects().rowCount() > 0; });
        find<QLineEdit>(page, "destination")->setText(archive());
        page->findChild<QTreeView*>()->expandToDepth(0);
        auto* more = find<QPushButton>(page, "moreOptions");
        more->click();
        QTest::qWait(kSettleMs);
        picture("backup-options");
        more->click();
        clickStart(page, "backup");
        follow("backup-run");
    }

    void restore() {
        desktop_.window().showPage(QStringLiteral("restore"));
        auto* page = current<RestorePage>();
        page->openArchive(archive());
        page->chooseTarget(RestorePage::Target::Existing, QStringLiteral("gantry_demo"));
        QTest::qWait(kSettleMs);
        picture("restore-existing");
        page->chooseTarget(RestorePage::Target::New, QStringLiteral("gantry_restored"));
        // More than one lane, however busy the machine is that the advice goes by.
        auto* jobs = find<QAbstractSlider>(page, "jobs");
        waitFor("the advice", [page] { return find<QLabel>(page, "jobsReason")->isVisible(); });
        jobs->setValue(jobs->maximum());
        clickStart(page, "restore");
        follow("restore-run");
    }

    /// What the restored tables need now, and just that.
    void vacuum() {
        desktop_.window().showPage(QStringLiteral("vacuum"));
        auto* page = current<VacuumPage>();
        page->chooseDatabase(QStringLiteral("gantry_restored"));
        waitFor("the plan of the vacuum", [page] { return page->planned(); });
        clickStart(page, "vacuum");
        follow("vacuum-run");
        // The table with the most beneath its bar.
        auto* shown = current<RunPage>();
        std::optional<TaskId> fullest;
        std::size_t most = 0;
        for (const auto& span : shown->feed().state().spans()) {
            if (span.parts.size() < most) continue;
            most = span.parts.size();
            fullest = span.span.task;
        }
        shown->select(fullest);
        QTest::qWait(kSettleMs);
        picture("vacuum-task");
        desktop_.window().showPage(QStringLiteral("runs"));
        QTest::qWait(kSettleMs);
        picture("runs");
    }

    /// A task of the run's page, a part of its time, and what matches a search.
    void lookAtRun() {
        auto* page = current<RunPage>();
        const auto longest = page->chart()->insight().longest;
        if (longest) page->select(longest->task);
        QTest::qWait(kSettleMs);
        picture("run-task");
        page->select(std::nullopt);
        page->chart()->setSearch(QStringLiteral("index"));
        page->chart()->setOnlyMatches(true);
        page->chart()->setGrouping(Grouping::Table);
        QTest::qWait(kSettleMs);
        picture("run-filtered");
        page->chart()->setOnlyMatches(false);
        page->chart()->setSearch({});
        page->chart()->setGrouping(Grouping::Worker);
    }

    void compare() {
        desktop_.window().compare(QStringLiteral("run:1"), QStringLiteral("run:2"));
        QTest::qWait(kSettleMs);
        picture("compare");
    }

    void tune() {
        desktop_.window().showPage(QStringLiteral("tune"));
        auto* page = current<TunePage>();
        page->chooseDatabase(QStringLiteral("gantry_demo"));
        waitFor("the prediction", [page] { return page->report().has_value(); });
        clickStart(page, "tune");
        constexpr std::size_t kSome = 2;
        waitFor("some points", [page] {
            return !page->running() || page->report()->points[kSome - 1].measured();
        });
        picture("tune-run");
        waitFor("the end of the sweep", [page] { return !page->running(); });
        QTest::qWait(kSettleMs);
        picture("tune-end");
        if (!page->report()->anyMeasured()) throw std::runtime_error("nothing was measured");
    }

private:
    template <class Kind>
    Kind* current() {
        auto* page = qobject_cast<Kind*>(desktop_.window().currentPage());
        if (!page) throw std::runtime_error("another page is shown than was asked for");
        return page;
    }

    template <class Kind>
    static Kind* find(QWidget* page, const char* name) {
        auto* widget = page->findChild<Kind*>(QLatin1String(name));
        if (!widget) throw std::runtime_error(std::string("the page has no ") + name);
        return widget;
    }

    static void waitFor(const char* what, const std::function<bool()>& there) {
        if (QTest::qWaitFor(there, kPatienceMs)) return;
        throw std::runtime_error(std::string("waited in vain for ") + what);
    }

    QString archive() const { return folder_ + QStringLiteral("/gantry_demo.archive"); }

    void clickStart(QWidget* page, const char* name) {
        auto* start = find<QPushButton>(page, "start");
        waitFor("the start button", [start] { return start->isEnabled(); });
        QTest::qWait(kSettleMs);
        picture(name);
        QTest::mouseClick(start, Qt::LeftButton);
    }

    /// Of the run that was started last: in the middle and at the end.
    void follow(const char* name) {
        waitFor("the run", [this] { return !desktop_.runs().runs().empty(); });
        const RunController* run = desktop_.runs().runs().back();
        constexpr double kMiddle = 0.55;
        waitFor("the middle of the run",
                [run] { return !run->active() || run->state().fraction() >= kMiddle; });
        picture(name);
        waitFor("the end of the run", [run] { return !run->active(); });
        QTest::qWait(kSettleMs);
        picture((std::string(name) + "-end").c_str());
        std::printf("%s: %s\n", qUtf8Printable(run->request().title),
                    qUtf8Printable(describeEnd(*run)));
        const auto& finished = run->state().finished();
        if (!finished || finished->outcome != events::Outcome::Clean) {
            throw std::runtime_error("the run did not end clean");
        }
    }

    void picture(const char* name) {
        for (const auto& [mode, suffix] :
             {std::pair(ThemeMode::Dark, "dark"), std::pair(ThemeMode::Light, "light")}) {
            ThemeKeeper::instance().setMode(mode);
            constexpr int kRepaintMs = 150;
            QTest::qWait(kRepaintMs);
            const QString path = QStringLiteral("%1/%2-%3.png")
                                     .arg(pictures_, QLatin1String(name), QLatin1String(suffix));
            if (!desktop_.window().grab().save(path)) throw std::runtime_error("no picture");
        }
    }

    const QString pictures_;
    const QString folder_;
    Desktop desktop_;
    QString server_;
};

int run(const QStringList& arguments) {
    const ThemeKeeper theme;
    const QStringList size = arguments.value(3).split(u'x');
    Demo demo(arguments.at(1), arguments.at(2),
              size.size() == 2 ? QSize(size[0].toInt(), size[1].toInt()) : kWindow);
    demo.showServer();
    demo.backUp();
    demo.restore();
    demo.lookAtRun();
    demo.compare();
    demo.vacuum();
    demo.tune();
    return 0;
}

}  // namespace
}  // namespace gantry::ui

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        std::fprintf(stderr, "usage: ui_demo PICTURES FOLDER [WIDTHxHEIGHT]\n");
        return 2;
    }
    if (qEnvironmentVariableIsEmpty("DISPLAY")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("gantry"));
    int code = 1;
    try {
        code = gantry::ui::run(QCoreApplication::arguments());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ui_demo: %s\n", error.what());
    }
    gantry::ui::workPool().waitForDone();
    return code;
}
