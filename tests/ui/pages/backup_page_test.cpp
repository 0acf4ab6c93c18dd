// SPDX-License-Identifier: PostgreSQL
// The real page against a real server: look, choose, start, cancel, and what is refused.
#include "ui/pages/backup_page.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QCoreApplication>
#include <QDate>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QScrollArea>
#include <QSlider>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <utility>

#include "core/archive/archive_reader.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/bridge/run_list.h"
#include "ui/pages/jobs_slider.h"
#include "ui/servers/secret_store.h"

using namespace gantry;
using namespace gantry::ui;
using test::saveServer;
using test::waitFor;

namespace {

/// A page aimed at a server of its own, with a small shop on it.
struct BackupBench {
    test::TemporaryFolder folder;
    test::Cluster cluster;
    ServerStore servers{QString()};
    SecretStore secrets;
    ServerAccess access{servers, secrets};
    RunList runs{{}};
    SavedTasks tasks{QString()};
    BackupPage page{servers, access, runs, tasks};

    BackupBench() {
        cluster.createDatabase("shop");
        cluster.execute(
            "CREATE SCHEMA sales; CREATE TABLE sales.orders (id int PRIMARY KEY, note text);"
            "INSERT INTO sales.orders SELECT i, 'note ' || i FROM generate_series(1, 2000) i;"
            "CREATE TABLE audit (id int); INSERT INTO audit VALUES (1);"
            "CREATE TABLE \"Odd \"\"name\" (id int);",
            "shop");
        const QString id = saveServer(servers, cluster);
        // Where no other installation is looked for.
        field<QLineEdit>("pg-bindir")
            ->setText(QString::fromStdString(
                std::filesystem::path(cluster.tool("pg_dump")).parent_path().string()));
        page.resize(1000, 700);
        page.show();
        page.aimAt(*servers.find(id));
        page.chooseDatabase(QStringLiteral("shop"));
        REQUIRE(waitFor([this] { return page.objects().complete() && start()->isEnabled(); }));
    }

    QPushButton* start() const { return page.findChild<QPushButton*>(QStringLiteral("start")); }
    QString problem() const { return page.findChild<QLabel*>(QStringLiteral("problem"))->text(); }
    template <class Field>
    Field* field(const char* name) const {
        return page.findChild<Field*>(QString::fromLatin1(name));
    }
    QString target(const char* name) const {
        return QString::fromStdString((folder.path() / name).string());
    }
    QModelIndex find(const QString& name, const QModelIndex& below = {}) const {
        const ObjectTree& tree = page.objects();
        for (int row = 0; row < tree.rowCount(below); ++row) {
            const QModelIndex index = tree.index(row, 0, below);
            if (index.data().toString() == name) return index;
            if (const QModelIndex deeper = find(name, index); deeper.isValid()) return deeper;
        }
        return {};
    }
    void uncheck(const QString& name) {
        const QModelIndex index = find(name);
        REQUIRE(index.isValid());
        const_cast<QAbstractItemModel*>(index.model())
            ->setData(index, Qt::Unchecked, Qt::CheckStateRole);
    }
    RunController* run() {
        REQUIRE(waitFor([this] { return start()->isEnabled(); }));
        start()->click();
        REQUIRE(runs.runs().size() == 1);
        return runs.runs().front();
    }
};

}  // namespace

TEST_CASE("backup page: looks, advises and dumps what is chosen") {
    BackupBench bench;
    CHECK(bench.page.title() == QStringLiteral("Back up shop"));
    bench.field<QLineEdit>("destination")->setText(bench.target("shop"));
    bench.uncheck(QStringLiteral("Odd \"name"));
    CHECK(bench.page.options().selection.excludeTables ==
          std::vector<std::string>{"public.\"Odd \"\"name\""});
    REQUIRE(waitFor([&] { return bench.field<QLabel>("estimate")->text().contains(u"About"); }));
    RunController* run = bench.run();
    REQUIRE(waitFor([&] { return !run->active(); }));
    REQUIRE(run->phase() == RunPhase::Finished);
    CHECK(run->state().finished()->outcome == events::Outcome::Clean);
    const auto reader = archive::openArchive(bench.folder.path() / "shop");
    int tables = 0;
    for (const archive::TocEntry& entry : reader->toc().entries) {
        if (entry.description() == "TABLE") ++tables;
    }
    CHECK(tables == 2);
    // What is there already is not replaced unasked.
    REQUIRE(waitFor([&] { return !bench.start()->isEnabled(); }));
    CHECK(bench.problem() == QStringLiteral("The destination is there already."));
}

TEST_CASE("backup page: a server that cannot be reached is all that is told, and tried again") {
    BackupBench bench;
    ServerProfile server = bench.servers.servers().front();
    const QString port = std::exchange(server.port, QStringLiteral("1"));
    server.id.clear();
    server.id = bench.servers.save(server);
    bench.page.aimAt(server);
    auto* again = bench.field<QPushButton>("tryAgain");
    REQUIRE(waitFor([&] { return again->isVisible(); }));
    CHECK(bench.problem().isEmpty());
    CHECK(bench.field<QLabel>("estimate")->text().isEmpty());
    CHECK_FALSE(bench.start()->isEnabled());
    server.port = port;
    bench.servers.save(server);
    again->click();
    CHECK_FALSE(again->isVisible());
    REQUIRE(waitFor([&] { return bench.page.objects().complete(); }));
}

TEST_CASE("backup page: a database without tables says so, and what can be done") {
    BackupBench bench;
    CHECK(bench.page.beginning() == bench.field<QComboBox>("database"));
    const auto* empty = bench.field<QLabel>("emptyTree");
    CHECK_FALSE(empty->isVisible());
    bench.page.chooseDatabase(QStringLiteral("postgres"));
    REQUIRE(waitFor([&] { return empty->isVisible(); }));
    CHECK(empty->text().startsWith(QStringLiteral("postgres holds no tables.")));
    bench.page.chooseDatabase(QStringLiteral("shop"));
    CHECK(waitFor([&] { return !empty->isVisible(); }));
}

TEST_CASE("backup page: the day's second backup is proposed a name of its own") {
    const test::TemporaryFolder home;
    const QByteArray before = qgetenv("HOME");
    qputenv("HOME", QByteArray::fromStdString(home.path().string()));
    const auto restore = qScopeGuard([&] { qputenv("HOME", before); });
    const QString today = QDate::currentDate().toString(Qt::ISODate);
    const QString first = QStringLiteral("~/backups/shop_") + today;
    const std::filesystem::path taken = home.path() / "backups" / ("shop_" + today.toStdString());
    std::filesystem::create_directories(taken);
    BackupBench bench;
    const auto* destination = bench.field<QLineEdit>("destination");
    REQUIRE(waitFor([&] { return destination->text() == first + QStringLiteral("_2"); }));
    CHECK(waitFor([&] { return bench.start()->isEnabled(); }));
    // What somebody has written there is left to them.
    bench.field<QLineEdit>("destination")->setText(QString::fromStdString(taken.string()));
    CHECK(waitFor(
        [&] { return bench.problem() == QStringLiteral("The destination is there already."); }));
}

TEST_CASE("backup page: a run is cancelled in mid-course and leaves nothing") {
    BackupBench bench;
    bench.cluster.execute("BEGIN; LOCK TABLE audit IN ACCESS EXCLUSIVE MODE; COMMIT;", "shop");
    bench.cluster.execute(
        "CREATE TABLE large AS SELECT i, repeat('x', 500) AS text FROM generate_series(1, 400000) "
        "i",
        "shop");
    bench.field<QLineEdit>("destination")->setText(bench.target("cancelled"));
    RunController* run = bench.run();
    REQUIRE(waitFor([&] { return run->phase() == RunPhase::Running; }));
    run->stop();
    REQUIRE(waitFor([&] { return !run->active(); }));
    CHECK_FALSE(std::filesystem::exists(bench.folder.path() / "cancelled"));
}

TEST_CASE("backup page: all options fit beside the objects in a small window") {
    BackupBench bench;
    constexpr QSize kWithoutSideBar(1072, 720);
    bench.page.resize(kWithoutSideBar);
    bench.field<QPushButton>("moreOptions")->click();
    QCoreApplication::processEvents();
    auto* settings = bench.field<QScrollArea>("settings");
    CHECK(settings->widget()->width() == settings->viewport()->width());
    // The text beside a box is part of it.
    auto* box = bench.field<QAbstractButton>("schema-only");
    const auto labels = box->parentWidget()->findChildren<QLabel*>();
    const auto beside = std::find_if(labels.begin(), labels.end(), [box](const QLabel* label) {
        return label->text() == box->accessibleName();
    });
    REQUIRE(beside != labels.end());
    QTest::mouseClick(*beside, Qt::LeftButton);
    CHECK(box->isChecked());
}

TEST_CASE("backup page: the mouse wheel scrolls, and changes no choice on its way") {
    BackupBench bench;
    REQUIRE(waitFor([&] { return bench.start()->isEnabled(); }));
    auto* jobs = bench.page.findChild<JobsSlider*>();
    jobs->setValue(1);
    QWheelEvent wheel(QPointF(20, 20), jobs->mapToGlobal(QPointF(20, 20)), {}, QPoint(0, 120),
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(jobs, &wheel);
    CHECK(jobs->value() == 1);
}

TEST_CASE("backup page: rules between options are told as one types") {
    BackupBench bench;
    bench.field<QPushButton>("moreOptions")->click();
    bench.field<QAbstractButton>("schema-only")->click();
    bench.field<QAbstractButton>("data-only")->click();
    CHECK_FALSE(bench.start()->isEnabled());
    CHECK(bench.problem().startsWith(
        QStringLiteral("“Definitions, no rows” and “Rows, no definitions”")));
    bench.field<QAbstractButton>("data-only")->click();
    CHECK(bench.start()->isEnabled());
    bench.field<QLineEdit>("compress-jobs")->setText(QStringLiteral("many"));
    CHECK_FALSE(bench.start()->isEnabled());
    CHECK(bench.problem() == QStringLiteral("“Compress with N threads on this machine”: \"many\" "
                                            "is not a whole number or \"auto\". "));
    bench.field<QLineEdit>("compress-jobs")->clear();
    bench.field<QLineEdit>("destination")->clear();
    CHECK(bench.problem().contains(QStringLiteral("where to write is missing")));
}
