// SPDX-License-Identifier: PostgreSQL
// The real page against a real server: what it shows of the tables, what it would do, and does.
#include "ui/pages/vacuum_page.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "core/options/command.h"
#include "core/options/profile.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/bridge/run_list.h"
#include "ui/pages/findings_list.h"
#include "ui/servers/secret_store.h"

using namespace gantry;
using namespace gantry::ui;
using test::saveServer;
using test::waitFor;

namespace {

/// A page aimed at a server of its own, with a shop whose orders are half dead.
struct VacuumBench {
    test::Cluster cluster;
    ServerStore servers{QString()};
    SecretStore secrets;
    ServerAccess access{servers, secrets};
    RunList runs{{}};
    SavedTasks tasks{QString()};
    VacuumPage page{servers, access, runs, tasks};
    QString id;

    VacuumBench() {
        cluster.createDatabase("shop");
        cluster.execute(
            "CREATE SCHEMA sales;"
            "CREATE TABLE sales.orders (id int PRIMARY KEY, note text)"
            " WITH (autovacuum_enabled = off);"
            "INSERT INTO sales.orders SELECT i, 'note ' || i FROM generate_series(1, 20000) i;"
            "DELETE FROM sales.orders WHERE id % 2 = 0;"
            "CREATE TABLE \"Odd \"\"name\" (id int) WITH (autovacuum_enabled = off);",
            "shop");
        id = saveServer(servers, cluster);
        page.resize(1072, 720);
        page.show();
        page.aimAt(*servers.find(id));
        page.chooseDatabase(QStringLiteral("shop"));
        settle();
    }

    void settle() {
        REQUIRE(waitFor([this] { return page.tables().rowCount() > 0; }));
        // A change is planned a moment after it was made.
        QTest::qWait(200);
        REQUIRE(waitFor([this] { return page.planned(); }));
    }
    template <class Field>
    Field* field(const char* name) const {
        return page.findChild<Field*>(QString::fromLatin1(name));
    }
    QPushButton* start() const { return field<QPushButton>("start"); }
    QString problem() const { return field<QLabel>("problem")->text(); }
    bool tells(const char* what) const {
        const QList<QLabel*> labels = page.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text() == QString::fromUtf8(what);
        });
    }
    int rowOf(const char* name) {
        for (int row = 0; row < page.tables().rowCount(); ++row) {
            if (textOf(row, VacuumTables::Relation) == QString::fromUtf8(name)) return row;
        }
        return -1;
    }
    QString textOf(int row, int column) {
        return page.tables().index(row, column).data().toString();
    }
    void check(const char* name, bool checked) {
        const int row = rowOf(name);
        REQUIRE(row >= 0);
        page.tables().setData(page.tables().index(row, VacuumTables::Relation),
                              checked ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
    }
    RunController* run() {
        REQUIRE(waitFor([this] { return start()->isEnabled(); }));
        start()->click();
        REQUIRE(runs.runs().size() == 1);
        RunController* run = runs.runs().front();
        REQUIRE(waitFor([run] { return !run->active(); }));
        return run;
    }
};

}  // namespace

TEST_CASE("vacuum page: shows what each table needs and why, and does just that") {
    VacuumBench bench;
    CHECK(bench.page.title() == QStringLiteral("Vacuum shop"));
    const int orders = bench.rowOf("sales.orders");
    REQUIRE(orders >= 0);
    CHECK(bench.textOf(orders, VacuumTables::Dead) == QStringLiteral("10,000 (50%)"));
    CHECK(bench.textOf(orders, VacuumTables::Vacuumed) == QStringLiteral("never"));
    CHECK(bench.textOf(orders, VacuumTables::Action) == QStringLiteral("vacuum, analyze"));
    const auto* view = bench.field<QTreeView>("tables");
    CHECK(view->columnWidth(VacuumTables::Action) >
          view->fontMetrics().horizontalAdvance(QStringLiteral("vacuum, analyze")));
    CHECK_FALSE(bench.textOf(orders, VacuumTables::Why).isEmpty());
    CHECK(bench.textOf(orders, VacuumTables::Time) != QStringLiteral("–"));
    CHECK(bench.textOf(orders, VacuumTables::Gain).endsWith(QStringLiteral("kB to reuse")));
    CHECK(bench.page.options().plan == "auto");
    CHECK(bench.page.options().selection.tables.empty());
    CHECK(bench.field<QLabel>("jobsReason")->text().contains(QStringLiteral("advised")));
    // What is found stands right below its heading.
    const auto* findings = bench.page.findChild<FindingsList*>();
    const auto* heading = findings->parentWidget()->findChild<QLabel*>();
    CHECK(heading->text() == QStringLiteral("Before it starts"));
    const auto lines = findings->findChildren<QLabel*>();
    REQUIRE_FALSE(lines.isEmpty());
    const int top = lines.front()->mapTo(findings->parentWidget(), QPoint(0, 0)).y();
    CHECK(top - heading->geometry().bottom() < 16);
    RunController* run = bench.run();
    REQUIRE(run->phase() == RunPhase::Finished);
    CHECK(run->state().finished()->outcome == events::Outcome::Clean);
    // As many as the slider showed, though nobody moved it.
    const int shown = bench.field<QAbstractSlider>("jobs")->value();
    CHECK(run->state().started()->workers == static_cast<uint32_t>(shown));
    // The page looks again by itself.
    REQUIRE(waitFor([&] {
        const int row = bench.rowOf("sales.orders");
        return row >= 0 && bench.textOf(row, VacuumTables::Dead) == QStringLiteral("0");
    }));
    // With nothing left to do there is nothing to advise.
    const auto* estimate = bench.field<QLabel>("estimate");
    REQUIRE(waitFor([&] { return estimate->text().startsWith(u"None of the chosen"); }));
    CHECK_FALSE(bench.field<QLabel>("jobsReason")->isVisible());
    // And when it is asked to.
    bench.cluster.execute("DELETE FROM sales.orders WHERE id < 1001", "shop");
    bench.page.refresh();
    REQUIRE(waitFor([&] {
        const int row = bench.rowOf("sales.orders");
        return row >= 0 && bench.textOf(row, VacuumTables::Dead).startsWith(QStringLiteral("500"));
    }));
    CHECK(bench.textOf(bench.rowOf("sales.orders"), VacuumTables::Vacuumed).startsWith(u"today"));
}

TEST_CASE("vacuum page: what is checked and the mode become the run's options") {
    VacuumBench bench;
    bench.page.chooseMode(VacuumPage::Mode::VacuumAnalyze);
    bench.field<QPushButton>("uncheckShown")->click();
    CHECK(bench.problem() == QStringLiteral("No table is chosen."));
    CHECK_FALSE(bench.start()->isEnabled());
    bench.check("public.Odd \"name", true);
    bench.field<QAbstractSlider>("jobs")->setValue(2);
    bench.field<QAbstractSlider>("jobs")->setValue(1);
    bench.field<QComboBox>("indexWorkers")->setCurrentIndex(1);
    const options::VacuumOptions& o = bench.page.options();
    CHECK(o.selection.tables == std::vector<std::string>{"public.\"Odd \"\"name\""});
    CHECK(o.work.analyze);
    CHECK(o.plan.empty());
    CHECK(o.jobs == 1U);
    CHECK(o.parallel == 0U);
    bench.page.chooseMode(VacuumPage::Mode::Analyze);
    CHECK(o.work.analyzeOnly);
    CHECK_FALSE(o.parallel.has_value());
    bench.field<QAbstractButton>("analyze-in-stages")->click();
    CHECK_FALSE(o.work.analyzeOnly);
    CHECK(bench.problem().isEmpty());
    bench.field<QAbstractButton>("no-truncate")->click();
    CHECK(bench.problem().startsWith(QStringLiteral(
        "“Keep empty pages at the tables' ends” and “Only statistics, in three stages")));
}

TEST_CASE("vacuum page: FULL says what it locks and wants the database's name") {
    VacuumBench bench;
    bench.page.chooseMode(VacuumPage::Mode::Full);
    bench.settle();
    // Of itself it writes anew only what gives much back.
    CHECK(bench.page.options().selection.tables.size() <= 1);
    bench.field<QPushButton>("uncheckShown")->click();
    bench.settle();
    CHECK(bench.tells("No table is chosen"));
    CHECK_FALSE(bench.tells("The tables stay in use meanwhile"));
    bench.check("sales.orders", true);
    bench.settle();
    CHECK_FALSE(bench.start()->isEnabled());
    CHECK(
        bench.tells("Nobody can read or write a table while it is written anew: "
                    "sales.orders for less than a second"));
    bench.field<QLineEdit>("confirm")->setText(QStringLiteral("shop"));
    CHECK(bench.start()->isEnabled());
    const QString back =
        bench.textOf(bench.rowOf("sales.orders"), VacuumTables::Gain);  // to the disk
    CHECK(back.endsWith(QStringLiteral("kB")));
}

TEST_CASE("vacuum page: what stays behind for want of rights is not asked for either") {
    VacuumBench bench;
    bench.cluster.execute(
        "CREATE ROLE clerk LOGIN; CREATE TABLE mine(id int); ALTER TABLE mine OWNER TO clerk",
        "shop");
    ServerProfile profile = *bench.servers.find(bench.id);
    profile.user = QStringLiteral("clerk");
    bench.servers.save(profile);
    bench.page.refresh();
    REQUIRE(waitFor([&] { return bench.rowOf("public.mine") >= 0; }));
    bench.page.chooseMode(VacuumPage::Mode::Vacuum);
    bench.settle();
    CHECK(bench.page.options().selection.tables == std::vector<std::string>{"public.mine"});
}

TEST_CASE("vacuum page: filters by name, deed and reason") {
    VacuumBench bench;
    const int all = bench.page.tables().rowCount();
    bench.field<QLineEdit>("filter")->setText(QStringLiteral("odd"));
    REQUIRE(bench.page.tables().rowCount() == 1);
    CHECK(bench.textOf(0, VacuumTables::Relation) == QStringLiteral("public.Odd \"name"));
    bench.field<QLineEdit>("filter")->setText(QStringLiteral("vacuum, analyze"));
    CHECK(bench.rowOf("sales.orders") >= 0);
    bench.field<QLineEdit>("filter")->setText(QStringLiteral("no such thing"));
    CHECK(bench.tells("No table has “no such thing” in its name, in what would be done or why"));
    bench.field<QLineEdit>("filter")->clear();
    CHECK(bench.page.tables().rowCount() == all);
    bench.page.tables().sort(VacuumTables::Dead, Qt::DescendingOrder);
    CHECK(bench.rowOf("sales.orders") == 0);
}

TEST_CASE("vacuum page: a saved task is shown as it was, and runs") {
    VacuumBench bench;
    options::VacuumOptions kept;
    kept.connection.database = "shop";
    kept.work.freeze = true;
    kept.jobs = 2;
    kept.selection.tables = {"sales.orders"};
    const SavedTask task{.name = QStringLiteral("nightly"),
                         .serverId = bench.id,
                         .operation = QStringLiteral("vacuum"),
                         .profile = QString::fromStdString(options::toProfile(kept))};
    bench.page.openTask(task);
    CHECK(bench.page.options().work.freeze);
    CHECK(bench.page.options().plan.empty());
    CHECK(bench.page.options().jobs == 2U);
    CHECK(bench.page.options().selection.tables == kept.selection.tables);
    bench.page.runTask(task);
    REQUIRE(bench.runs.runs().size() == 1);
    const RunController* run = bench.runs.runs().front();
    REQUIRE(waitFor([run] { return !run->active(); }));
    CHECK(run->request().title == QStringLiteral("nightly"));
    CHECK(run->state().finished()->outcome == events::Outcome::Clean);
}

TEST_CASE("vacuum page: all databases at once are looked at, planned and vacuumed") {
    VacuumBench bench;
    bench.cluster.createDatabase("crm");
    bench.cluster.execute(
        "CREATE TABLE people WITH (autovacuum_enabled = off) AS SELECT generate_series(1, 1000) AS "
        "id;"
        "DELETE FROM people WHERE id % 2 = 0",
        "crm");
    bench.page.chooseAllDatabases();
    REQUIRE(waitFor([&] { return bench.rowOf("crm · public.people") >= 0; }));
    bench.settle();
    CHECK(bench.page.title() == QStringLiteral("Vacuum all databases"));
    CHECK(bench.rowOf("shop · sales.orders") >= 0);
    CHECK(bench.page.options().allDatabases);
    CHECK(bench.page.options().connection.database.empty());
    const std::vector<std::string> command = options::gantryctlCommand(bench.page.options());
    CHECK(std::count(command.begin(), command.end(), "-a") == 1);
    // A name says nothing of its database, so none can be left out.
    const int people = bench.rowOf("crm · public.people");
    const QModelIndex row = bench.page.tables().index(people, VacuumTables::Relation);
    CHECK_FALSE(bench.page.tables().flags(row) & Qt::ItemIsUserCheckable);
    CHECK_FALSE(bench.field<QPushButton>("uncheckShown")->isEnabled());

    bench.page.chooseMode(VacuumPage::Mode::Vacuum);
    const RunController* run = bench.run();
    REQUIRE(run->state().finished());
    CHECK(run->state().finished()->outcome == events::Outcome::Clean);
    CHECK(run->request().title == QStringLiteral("Vacuum all databases"));
    for (const auto& [database, table] :
         {std::pair("shop", "sales.orders"), std::pair("crm", "public.people")}) {
        CHECK(bench.cluster.value(std::string("SELECT pg_relation_size('") + table + "', 'vm') > 0",
                                  database) == "t");
    }
}
