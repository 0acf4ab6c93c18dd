// SPDX-License-Identifier: PostgreSQL
// The whole application in one piece: a profile, a backup, its chart and verdict, a restore into a
// new database, and both databases compared.
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <regex>

#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"
#include "ui/gantt/gantt_view.h"
#include "ui/pages/backup_page.h"
#include "ui/pages/restore_page.h"
#include "ui/pages/servers_page.h"
#include "ui/run/run_page.h"
#include "ui/servers/server_dialog.h"
#include "ui/shell/desktop.h"

using namespace gantry;
using namespace gantry::ui;

namespace {

constexpr int kPatienceMs = 60'000;

bool waitFor(const std::function<bool()>& there) { return QTest::qWaitFor(there, kPatienceMs); }

template <class Kind>
Kind* find(QWidget* in, const QString& name) {
    for (Kind* widget : in->findChildren<Kind*>()) {
        if (widget->objectName() == name || widget->accessibleName() == name) return widget;
    }
    FAIL("there is no " << name.toStdString());
    return nullptr;
}

constexpr const char* kShop = R"(
CREATE SCHEMA sales;
CREATE TYPE sales.state AS ENUM ('open', 'paid');
CREATE TABLE sales.customer (id int PRIMARY KEY, name text NOT NULL CHECK (name <> ''));
CREATE TABLE sales.orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer int NOT NULL REFERENCES sales.customer, state sales.state DEFAULT 'open', note text);
INSERT INTO sales.customer SELECT i, 'customer ' || i FROM generate_series(1, 500) i;
INSERT INTO sales.orders (customer, note)
  SELECT 1 + i % 500, repeat('note ', 20) || i FROM generate_series(1, 20000) i;
CREATE INDEX orders_customer ON sales.orders (customer);
CREATE VIEW sales.open_orders AS SELECT * FROM sales.orders WHERE state = 'open';
CREATE MATERIALIZED VIEW sales.per_customer AS
  SELECT customer, count(*) FROM sales.orders GROUP BY customer;
CREATE FUNCTION sales.total() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM sales.orders';
)";

/// The application with nothing configured yet, and a server that has a shop.
struct Job {
    test::TemporaryFolder folder;
    test::Cluster cluster;
    Desktop desktop{{.config = path("config"), .data = path("data")}};

    Job() {
        cluster.createDatabase("shop");
        cluster.execute(kShop, "shop");
        desktop.window().resize(1280, 800);
        desktop.window().show();
    }
    QString path(const char* name) const {
        return QString::fromStdString((folder.path() / name).string());
    }
    template <class Kind>
    Kind* current() {
        auto* page = qobject_cast<Kind*>(desktop.window().currentPage());
        REQUIRE(page != nullptr);
        return page;
    }

    void addServer() {
        Q_EMIT desktop.window().addServerWanted();
        auto* dialog = desktop.window().findChild<ServerDialog*>();
        REQUIRE(dialog != nullptr);
        find<QLineEdit>(dialog, QStringLiteral("Host"))
            ->setText(QString::fromStdString(cluster.socketFolder().string()));
        find<QLineEdit>(dialog, QStringLiteral("Port"))->setText(QString::number(cluster.port()));
        find<QLineEdit>(dialog, QStringLiteral("User"))->setText(QStringLiteral("postgres"));
        find<QLineEdit>(dialog, QStringLiteral("Name"))->setText(QStringLiteral("box"));
        dialog->accept();
        auto* page = current<ServersPage>();
        REQUIRE(waitFor([page] { return page->facts().has_value(); }));
        CHECK(page->title() == QStringLiteral("box"));
    }

    void start(QWidget* page) {
        auto* button = find<QPushButton>(page, QStringLiteral("start"));
        const bool enabled = waitFor([button] { return button->isEnabled(); });
        INFO(button->toolTip().toStdString());
        REQUIRE(enabled);
        QTest::mouseClick(button, Qt::LeftButton);
    }

    void backUp() {
        desktop.window().showPage(QStringLiteral("backup"));
        auto* page = current<BackupPage>();
        page->chooseDatabase(QStringLiteral("shop"));
        REQUIRE(waitFor([page] {
            return page->database() == QStringLiteral("shop") && page->objects().rowCount() > 0 &&
                   page->objects().complete();
        }));
        auto* destination = find<QLineEdit>(page, QStringLiteral("destination"));
        destination->selectAll();
        QTest::keyClicks(destination, path("shop.archive"));
        // Where no other installation is looked for.
        find<QLineEdit>(page, QStringLiteral("pg-bindir"))
            ->setText(QString::fromStdString(
                std::filesystem::path(cluster.tool("pg_dump")).parent_path().string()));
        start(page);
    }

    void restore() {
        desktop.window().showPage(QStringLiteral("restore"));
        auto* page = current<RestorePage>();
        page->openArchive(path("shop.archive"));
        page->chooseTarget(RestorePage::Target::New, QStringLiteral("shop_copy"));
        start(page);
    }

    /// Follows the run on its page to its end.
    void follow(const QString& title) {
        auto* page = current<RunPage>();
        CHECK(page->title() == title);
        const RunController* run = page->feed().controller();
        REQUIRE(waitFor([run] { return !run->active(); }));
        if (run->refusal()) FAIL(run->refusal()->describe());
        REQUIRE(page->feed().state().finished());
        REQUIRE(waitFor([page] { return !page->verdict().isEmpty(); }));
        CHECK(page->feed().state().finished()->outcome == events::Outcome::Clean);
        // The chart has what was done, and a bar can be chosen.
        const auto& spans = page->feed().state().spans();
        REQUIRE_FALSE(spans.empty());
        page->select(spans.front().span.task);
        CHECK(page->chart()->selected() == spans.front().span.task);
        CHECK(waitFor([&] { return page->chart()->insight().critical.size() == spans.size(); }));
        const auto outcome = find<QLabel>(page, QStringLiteral("outcome"))->text();
        CHECK(outcome.contains(QStringLiteral("Finished without errors")));
    }

    std::string rowCounts(const std::string& database) const {
        return cluster.value(
            "SELECT string_agg(n, ' ') FROM (SELECT (SELECT count(*) FROM sales.customer) || '/' ||"
            " (SELECT count(*) FROM sales.orders) || '/' || (SELECT count(*) FROM"
            " sales.per_customer) || '/' || (SELECT sum(hashtext(o::text)::bigint) FROM"
            " sales.orders o) AS n) s",
            database);
    }
    /// As pg_dump tells it, without what is another one in every dump.
    std::string schema(const std::string& database) const {
        const std::string dumped =
            test::runToolOk({cluster.tool("pg_dump"), "--schema-only", cluster.conninfo(database)});
        return std::regex_replace(dumped, std::regex(R"(\\(un)?restrict [^\n]*)"), "");
    }
};

}  // namespace

TEST_CASE("the whole job: profile, backup, chart, verdict, restore into a new database, compare") {
    Job job;
    job.addServer();
    job.backUp();
    job.follow(QStringLiteral("Back up shop"));
    job.restore();
    job.follow(QStringLiteral("Restore into shop_copy"));
    CHECK(job.rowCounts("shop_copy") == job.rowCounts("shop"));
    CHECK(job.schema("shop_copy") == job.schema("shop"));
    CHECK(job.schema("shop").find("CREATE VIEW sales.open_orders") != std::string::npos);
}
