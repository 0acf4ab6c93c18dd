// SPDX-License-Identifier: PostgreSQL
// The real page against a real server: what it asks for, measures, shows and keeps.
#include "ui/pages/tune_page.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/ui/pages/page_bench.h"
#include "tests/unit/tune/sample_report.h"
#include "ui/bridge/run_list.h"
#include "ui/charts/tune_curve.h"
#include "ui/pages/vacuum_page.h"
#include "ui/servers/secret_store.h"

using namespace gantry;
using namespace gantry::ui;
using test::saveServer;
using test::waitFor;

namespace {

/// A page aimed at a server of its own, with a small shop.
struct TuneBench {
    test::Cluster cluster;
    test::TemporaryFolder folder;
    ServerStore servers{QString()};
    SecretStore secrets;
    ServerAccess access{servers, secrets};
    TunePage page{servers, access, folder / "history"};
    QString id;

    TuneBench() {
        cluster.createDatabase("shop");
        cluster.execute(
            "CREATE TABLE a AS SELECT i AS id, 'note ' || i AS note FROM generate_series(1, 20000) "
            "i",
            "shop");
        id = saveServer(servers, cluster);
        page.resize(1072, 720);
        page.show();
        page.aimAt(*servers.find(id));
        page.chooseDatabase(QStringLiteral("shop"));
        field<QLineEdit>("jobs")->setText(QStringLiteral("1, 2"));
        field<QSpinBox>("rounds")->setValue(2);
        field<QLineEdit>("pg-bindir")
            ->setText(QString::fromStdString(cluster.programs().binFolder.string()));
        REQUIRE(waitFor([this] { return field<QPushButton>("start")->isEnabled(); }));
    }
    template <class Field>
    Field* field(const char* name) const {
        return page.findChild<Field*>(QString::fromLatin1(name));
    }
    QString problem() const { return field<QLabel>("problem")->text(); }
    void carryOut() {
        field<QPushButton>("start")->click();
        CHECK(page.running());
        REQUIRE(waitFor([this] { return !page.running(); }));
    }
};

}  // namespace

TEST_CASE("tune page: predicts before it measures") {
    TuneBench bench;
    REQUIRE(waitFor([&] { return bench.page.report().has_value(); }));
    REQUIRE(bench.page.report()->points.size() == 2);
    CHECK(bench.page.report()->points[0].predicted > 0);
    CHECK_FALSE(bench.page.report()->anyMeasured());
    CHECK(bench.field<QLabel>("advice")->text() == QLatin1String("Nothing is measured yet."));
    CHECK_FALSE(bench.field<QPushButton>("useAsDefaults")->isEnabled());
}

TEST_CASE("tune page: a sweep fills table and chart, and its points lead to their runs") {
    TuneBench bench;
    bench.carryOut();
    const auto* table = bench.field<QTableWidget>("points");
    REQUIRE(table->rowCount() == 2);
    CHECK(table->item(0, 0)->text() == QLatin1String("1"));
    CHECK(table->item(0, 1)->text().endsWith(QLatin1String(" s")));
    CHECK(table->item(0, 4)->text() == QLatin1String("1.00"));
    CHECK(bench.field<QLabel>("advice")->text().startsWith(QLatin1String("Take ")));
    CHECK(bench.field<QLabel>("progress")->text().startsWith(QLatin1String("Measured in ")));

    QSignalSpy opened(&bench.page, &TunePage::openWanted);
    auto* curve = bench.field<TuneCurve>("curve");
    QTest::mouseClick(curve, Qt::LeftButton, {}, curve->positionOf(1).toPoint());
    REQUIRE(waitFor([&] { return opened.count() == 1; }));
    CHECK(table->currentRow() == 1);
    const auto record = opened[0][0].value<RunRecord>();
    CHECK(record.operation == "dump");
    CHECK(record.database == "shop");
    QTest::keyClick(curve, Qt::Key_Left);
    CHECK(table->currentRow() == 0);
    QTest::keyClick(curve, Qt::Key_Return);
    REQUIRE(waitFor([&] { return opened.count() == 2; }));
}

TEST_CASE(
    "tune page: what is advised becomes the server's default, and other pages begin with it") {
    TuneBench bench;
    bench.page.chooseOperation(options::TuneOperation::Vacuum);
    bench.field<QComboBox>("vacuumOf")->setCurrentIndex(2);
    bench.field<QLineEdit>("jobs")->setText(QStringLiteral("7"));
    bench.field<QSpinBox>("rounds")->setValue(1);
    bench.carryOut();
    bench.field<QPushButton>("useAsDefaults")->click();
    CHECK(bench.servers.find(bench.id)->defaults.vacuumJobs == 7);
    CHECK(bench.servers.find(bench.id)->defaults.dumpJobs == 0);

    RunList runs{{}};
    SavedTasks tasks{QString()};
    VacuumPage vacuum(bench.servers, bench.access, runs, tasks);
    vacuum.aimAt(*bench.servers.find(bench.id));
    vacuum.chooseDatabase(QStringLiteral("shop"));
    REQUIRE(waitFor([&] { return vacuum.planned(); }));
    CHECK(vacuum.options().jobs == 7);
}

TEST_CASE("tune page: a sweep that is stopped shows what it has and leaves nothing") {
    TuneBench bench;
    bench.page.chooseOperation(options::TuneOperation::Vacuum);
    bench.field<QComboBox>("vacuumOf")->setCurrentIndex(0);
    bench.field<QSpinBox>("rounds")->setValue(20);
    bench.field<QPushButton>("start")->click();
    const auto measured = [&] {
        return bench.page.report() && bench.page.report()->points[0].measured();
    };
    REQUIRE(waitFor(measured));
    bench.field<QPushButton>("start")->click();
    REQUIRE(waitFor([&] { return !bench.page.running(); }));
    CHECK(bench.page.report()->stopped);
    CHECK(measured());
    CHECK(bench.cluster.value("SELECT count(*) FROM pg_database WHERE datname LIKE 'gantry%'") ==
          "0");
    CHECK(bench.field<QPushButton>("start")->text() == QLatin1String("Start sweep"));
}

TEST_CASE("tune page: what is missing or wrong is said beside the button") {
    TuneBench bench;
    bench.field<QLineEdit>("jobs")->setText(QStringLiteral("1, two"));
    CHECK(bench.problem() ==
          QLatin1String("\"two\" is not a number of jobs. Give numbers with commas between them, "
                        "as in 1,2,4,8."));
    CHECK_FALSE(bench.field<QPushButton>("start")->isEnabled());
    bench.field<QLineEdit>("jobs")->setText(QStringLiteral("1"));
    CHECK(bench.problem().isEmpty());
    bench.page.chooseOperation(options::TuneOperation::Restore);
    CHECK(bench.problem() == QLatin1String("Choose the archive to restore."));
}

TEST_CASE("tune curve: its points are where their figures say, and say them") {
    TuneCurve curve;
    curve.resize(600, 300);
    curve.setReport(test::sampleReport());
    CHECK(curve.positionOf(0).x() < curve.positionOf(1).x());
    CHECK(curve.positionOf(0).y() < curve.positionOf(1).y());
    CHECK(curve.describe(1) ==
          QLatin1String("2 jobs: 4.40 s (4.40 s to 4.50 s, measured 3 times), 1.82 times as fast "
                        "as with the fewest; predicted 4.20 s; limited by: shared CPU"));
    CHECK(curve.describe(4) ==
          QLatin1String("12 jobs: spared: fewer gained nothing; predicted 4.30 s"));
    CHECK(curve.accessibleDescription().startsWith(QLatin1String("one job: 8.00 s")));
}
