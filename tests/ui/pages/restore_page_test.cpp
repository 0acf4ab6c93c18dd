// SPDX-License-Identifier: PostgreSQL
// The real page against a real server: open, choose, restore into a new database, confirm.
#include "ui/pages/restore_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "core/options/profile.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/bridge/run_list.h"
#include "ui/pages/findings_list.h"
#include "ui/pages/jobs_slider.h"
#include "ui/servers/secret_store.h"

using namespace gantry;
using namespace gantry::ui;
using test::saveServer;
using test::waitFor;

namespace {

struct RestoreBench {
    test::TemporaryFolder folder;
    test::Cluster cluster;
    ServerStore servers{QString()};
    SecretStore secrets;
    ServerAccess access{servers, secrets};
    RunList runs{{}};
    SavedTasks tasks{QString()};
    RestorePage page{servers, access, runs, tasks, QString::fromStdString(folder.path().string())};

    RestoreBench() {
        cluster.createDatabase("shop");
        cluster.execute(
            "CREATE TABLE orders (id serial PRIMARY KEY, note text);"
            "INSERT INTO orders (note) SELECT 'note ' || i FROM generate_series(1, 500) i;"
            "CREATE TABLE lines (id int, item int REFERENCES orders);"
            "INSERT INTO lines SELECT i, i FROM generate_series(1, 300) i;",
            "shop");
        test::runToolOk(
            {cluster.tool("pg_dump"), "-Fc", "-f", (folder.path() / "shop.dump").string()},
            cluster.environment("shop"));
        const QString id = saveServer(servers, cluster);
        page.resize(1000, 700);
        page.show();
        page.aimAt(*servers.find(id));
    }

    QPushButton* verifyButton() { return page.findChild<QPushButton*>(QStringLiteral("verify")); }
    void open() {
        page.openArchive(QString::fromStdString((folder.path() / "shop.dump").string()));
        REQUIRE(waitFor([this] { return !page.contents().empty(); }));
    }
    template <class Field>
    Field* field(const char* name) const {
        return page.findChild<Field*>(QString::fromLatin1(name));
    }
    QPushButton* start() const { return field<QPushButton>("start"); }
    QString problem() const { return field<QLabel>("problem")->text(); }
    QModelIndex find(const QString& start, const QModelIndex& below = {}) const {
        const ArchiveTree& tree = page.contents();
        for (int row = 0; row < tree.rowCount(below); ++row) {
            const QModelIndex index = tree.index(row, 0, below);
            if (index.data().toString().startsWith(start)) return index;
            if (const QModelIndex deeper = find(start, index); deeper.isValid()) return deeper;
        }
        return {};
    }
    events::Outcome run() {
        REQUIRE(waitFor([this] { return start()->isEnabled(); }));
        start()->click();
        REQUIRE(runs.runs().size() == 1);
        RunController* run = runs.runs().front();
        REQUIRE(waitFor([run] { return !run->active(); }));
        REQUIRE(run->phase() == RunPhase::Finished);
        return run->state().finished()->outcome;
    }
};

}  // namespace

TEST_CASE("restore page: a new database has all that the archive holds") {
    RestoreBench bench;
    CHECK(bench.problem() == QStringLiteral("Open an archive first."));
    CHECK_FALSE(bench.verifyButton()->isEnabled());
    bench.open();
    CHECK(bench.verifyButton()->isEnabled());
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("copy"));
    CHECK(bench.run() == events::Outcome::Clean);
    CHECK(bench.cluster.value("SELECT count(*) FROM orders", "copy") == "500");
    CHECK(bench.cluster.value("SELECT count(*) FROM lines", "copy") == "300");
    CHECK(bench.cluster.value("SELECT count(*) FROM pg_constraint WHERE contype = 'f'", "copy") ==
          "1");
}

TEST_CASE("restore page: schemas that nothing makes are told, and one click makes them") {
    RestoreBench bench;
    bench.cluster.execute(
        "CREATE SCHEMA crm; CREATE TABLE crm.contact (id int); INSERT INTO crm.contact VALUES (1)",
        "shop");
    const std::string part = (bench.folder.path() / "part.dump").string();
    test::runToolOk({bench.cluster.tool("pg_dump"), "-Fc", "-t", "crm.contact", "-f", part},
                    bench.cluster.environment("shop"));
    bench.page.openArchive(QString::fromStdString(part));
    REQUIRE(waitFor([&] { return !bench.page.contents().empty(); }));
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("copy"));
    QPushButton* mend = nullptr;
    REQUIRE(waitFor([&] {
        for (auto* button : bench.page.findChildren<QPushButton*>()) {
            if (button->text() == QStringLiteral("Create the schemas")) mend = button;
        }
        return mend != nullptr;
    }));
    CHECK(mend->accessibleDescription() ==
          QStringLiteral(
              "The schema crm is missing: 1 object (TABLE crm.contact) cannot be created."));
    mend->click();
    REQUIRE(waitFor([&] { return bench.page.options().content.createSchemas; }));
    CHECK(bench.run() == events::Outcome::Clean);
    CHECK(bench.cluster.value("SELECT count(*) FROM crm.contact", "copy") == "1");
}

TEST_CASE("restore page: missing roles are made with one click, and the window names no flags") {
    RestoreBench bench;
    bench.cluster.execute(
        "CREATE ROLE clerk; CREATE TABLE till (id int); ALTER TABLE till OWNER TO clerk", "shop");
    const std::string part = (bench.folder.path() / "part.dump").string();
    test::runToolOk({bench.cluster.tool("pg_dump"), "-Fc", "-t", "till", "-f", part},
                    bench.cluster.environment("shop"));
    bench.cluster.execute("DROP OWNED BY clerk; DROP ROLE clerk", "shop");
    bench.page.openArchive(QString::fromStdString(part));
    REQUIRE(waitFor([&] { return !bench.page.contents().empty(); }));
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("copy"));
    const auto button = [&](const QString& text) -> QPushButton* {
        for (auto* found : bench.page.findChildren<QPushButton*>()) {
            if (found->text() == text) return found;
        }
        return nullptr;
    };
    REQUIRE(waitFor([&] { return button(QStringLiteral("Create missing roles")) != nullptr; }));
    CHECK(button(QStringLiteral("Leave owners out")) != nullptr);
    for (const QLabel* label :
         bench.page.findChildren<FindingsList*>().front()->findChildren<QLabel*>()) {
        CAPTURE(label->text().toStdString());
        CHECK_FALSE(label->text().contains(QStringLiteral("--")));
    }
    button(QStringLiteral("Create missing roles"))->click();
    REQUIRE(waitFor([&] { return bench.page.options().content.createRoles; }));
    CHECK(bench.run() == events::Outcome::Clean);
    CHECK(bench.cluster.value("SELECT tableowner FROM pg_tables WHERE tablename = 'till'",
                              "copy") == "clerk");
    CHECK(bench.cluster.value("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'clerk'") == "f");
}

TEST_CASE("restore page: who may not create databases is led to one that is there") {
    RestoreBench bench;
    bench.cluster.execute("CREATE ROLE plain LOGIN");
    bench.open();
    ServerProfile profile = *bench.page.server();
    profile.user = QStringLiteral("plain");
    bench.servers.save(profile);
    bench.page.aimAt(profile);
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("copy"));
    QPushButton* mend = nullptr;
    REQUIRE(waitFor([&] {
        for (auto* button : bench.page.findChildren<QPushButton*>()) {
            if (button->text() == QStringLiteral("Use an existing database")) mend = button;
        }
        return mend != nullptr;
    }));
    CHECK(mend->accessibleDescription() ==
          QStringLiteral("The role plain may not create databases."));
    CHECK_FALSE(bench.start()->isEnabled());
    mend->click();
    REQUIRE(waitFor([&] { return bench.field<QComboBox>("existingDatabase")->isVisible(); }));
}

TEST_CASE("restore page: a new database is proposed under a name that is free") {
    RestoreBench bench;
    // What is still to be said is no mistake.
    CHECK(bench.field<QLabel>("problem")->property("look") == QVariant(QStringLiteral("muted")));
    bench.open();
    bench.page.chooseTarget(RestorePage::Target::New, {});
    const auto* name = bench.field<QLineEdit>("newDatabase");
    REQUIRE(waitFor([&] { return name->text() == QStringLiteral("shop_restored"); }));
    CHECK(bench.run() == events::Outcome::Clean);
    CHECK(bench.cluster.value("SELECT count(*) FROM orders", "shop_restored") == "500");
    CHECK(waitFor([&] { return name->text() == QStringLiteral("shop_restored2"); }));
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("shop"));
    CHECK(bench.problem() == QStringLiteral("There is a database shop already."));
    CHECK(bench.field<QLabel>("problem")->property("look") == QVariant(QStringLiteral("error")));
}

TEST_CASE("restore page: the advised jobs come with their reason, and yield to a choice") {
    RestoreBench bench;
    bench.open();
    auto* reason = bench.field<QLabel>("jobsReason");
    CHECK(reason->isHidden());
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("copy"));
    REQUIRE(waitFor([&] { return reason->text().contains(QStringLiteral(" advised: ")); }));
    CHECK(reason->isVisible());
    CHECK(reason->text().startsWith(QString::number(*bench.page.options().jobs)));
    auto* jobs = bench.field<JobsSlider>("jobs");
    jobs->setValue(jobs->maximum());
    jobs->setValue(1);
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("other"));
    bench.page.chooseTarget(RestorePage::Target::Scratch, QStringLiteral("other"));
    REQUIRE(waitFor([&] { return reason->isHidden(); }));
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("other"));
    REQUIRE(waitFor([&] { return reason->isVisible(); }));
    CHECK(bench.page.options().jobs == 1U);
}

TEST_CASE("restore page: what was right for one archive is not taken over for the next") {
    RestoreBench bench;
    bench.open();
    bench.page.chooseTarget(RestorePage::Target::Existing, QStringLiteral("shop"));
    bench.field<QCheckBox>("cleanFirst")->setChecked(true);
    SavedTask owners;
    owners.name = QStringLiteral("owners");
    owners.operation = QStringLiteral("restore");
    options::RestoreOptions without = bench.page.options();
    without.content.noOwner = true;
    owners.profile = QString::fromStdString(options::toProfile(without));
    bench.page.openTask(owners);
    REQUIRE(waitFor([&] { return bench.page.options().content.noOwner; }));
    auto* more = bench.field<QPushButton>("moreOptions");
    CHECK(more->text() == QStringLiteral("&More options (2 set)…"));  // and --if-exists
    CHECK(bench.field<QCheckBox>("cleanFirst")->isChecked());
    std::filesystem::copy(bench.folder.path() / "shop.dump", bench.folder.path() / "other.dump");
    bench.page.openArchive(QString::fromStdString((bench.folder.path() / "other.dump").string()));
    REQUIRE(waitFor([&] { return !bench.page.contents().empty(); }));
    CHECK_FALSE(bench.page.options().content.noOwner);
    CHECK_FALSE(bench.page.options().content.clean);
    CHECK_FALSE(bench.field<QCheckBox>("cleanFirst")->isChecked());
    CHECK(more->text() == QStringLiteral("&More options…"));
}

TEST_CASE("restore page: what is left out takes along what depends on it") {
    RestoreBench bench;
    bench.open();
    const QModelIndex lines = bench.find(QStringLiteral("lines · table"));
    REQUIRE(lines.isValid());
    const_cast<QAbstractItemModel*>(lines.model())
        ->setData(lines, Qt::Unchecked, Qt::CheckStateRole);
    CHECK_FALSE(bench.page.contents().everything());
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("part"));
    CHECK(bench.run() == events::Outcome::Clean);
    CHECK(bench.cluster.value("SELECT count(*) FROM orders", "part") == "500");
    CHECK(bench.cluster.value("SELECT to_regclass('lines')", "part") == "");
}

TEST_CASE("restore page: it says where it leads, and its own sessions keep nothing in use") {
    RestoreBench bench;
    const auto says = [&](const QString& words) {
        for (const QLabel* label : bench.page.findChildren<QLabel*>()) {
            if (label->text().contains(words)) return true;
        }
        return false;
    };
    bench.open();
    CHECK(says(QStringLiteral("box")));
    bench.page.chooseTarget(RestorePage::Target::Refresh, QStringLiteral("shop"));
    REQUIRE(waitFor([&] { return says(QStringLiteral("advised:")); }));
    REQUIRE(waitFor([&] { return says(QStringLiteral("versions fit")); }));
    CHECK_FALSE(says(QStringLiteral("is in use")));
    bench.page.chooseTarget(RestorePage::Target::Scratch, QStringLiteral("look"));
    CHECK(says(QStringLiteral("scratch server")));
    CHECK(says(QStringLiteral("no roles but its own")));
    CHECK(says(QStringLiteral("are made, without LOGIN")));
    for (const char* words : {"Leave owners out", "Leave privileges out"}) {
        for (QPushButton* button : bench.page.findChildren<QPushButton*>()) {
            if (button->text() == QString::fromLatin1(words)) button->click();
        }
        QCoreApplication::processEvents();  // what a mend does follows the click
    }
    CHECK(says(QStringLiteral("no role is missed")));
}

TEST_CASE("restore page: what destroys is confirmed by the database's name") {
    RestoreBench bench;
    bench.open();
    REQUIRE(waitFor([&] {
        bench.page.chooseTarget(RestorePage::Target::Existing, QStringLiteral("shop"));
        return QString::fromStdString(bench.page.options().connection.database) ==
               QStringLiteral("shop");
    }));
    bench.field<QCheckBox>("cleanFirst")->setChecked(true);
    REQUIRE(waitFor([&] { return bench.field<QLineEdit>("confirm")->isVisible(); }));
    const auto asks = [&](const QString& words) {
        for (const QLabel* label : bench.page.findChildren<QLabel*>()) {
            if (label->text().startsWith(words)) return true;
        }
        return false;
    };
    CHECK(waitFor(
        [&] { return asks(QStringLiteral("2 tables of shop are dropped with their rows (")); }));
    CHECK_FALSE(bench.start()->isEnabled());
    bench.field<QLineEdit>("confirm")->setText(QStringLiteral("sho"));
    CHECK_FALSE(bench.start()->isEnabled());
    bench.field<QLineEdit>("confirm")->setText(QStringLiteral("shop"));
    CHECK(bench.start()->isEnabled());
}

TEST_CASE("restore page: a script runs over one connection, whatever the slider says") {
    RestoreBench bench;
    const std::string script = (bench.folder.path() / "shop.sql").string();
    test::runToolOk({bench.cluster.tool("pg_dump"), "-f", script},
                    bench.cluster.environment("shop"));
    bench.page.openArchive(QString::fromStdString(script));
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("copy"));
    REQUIRE(waitFor([&] { return bench.start()->isEnabled(); }));
    auto* jobs = bench.field<JobsSlider>("jobs");
    jobs->setValue(2);
    CHECK_FALSE(jobs->isEnabled());
    CHECK(bench.run() == events::Outcome::Clean);
    CHECK(bench.cluster.value("SELECT count(*) FROM orders", "copy") == "500");
}

TEST_CASE("restore page: a database that was made for a restore goes with its refusal") {
    RestoreBench bench;
    const std::filesystem::path script = bench.folder.path() / "odd.sql";
    std::ofstream(script) << "--\n-- PostgreSQL database dump\n--\n\\! true\n";
    bench.page.openArchive(QString::fromStdString(script.string()));
    bench.page.chooseTarget(RestorePage::Target::New, QStringLiteral("copy"));
    REQUIRE(waitFor([&] { return bench.start()->isEnabled(); }));
    bench.start()->click();
    RunController* run = bench.runs.runs().front();
    REQUIRE(waitFor([run] { return !run->active(); }));
    CHECK(run->phase() == RunPhase::Refused);
    CHECK(bench.cluster.value("SELECT count(*) FROM pg_database WHERE datname = 'copy'") == "0");
}

TEST_CASE("restore page: what is no archive is named with its reason") {
    RestoreBench bench;
    const std::filesystem::path late = bench.folder.path() / "late.dump";
    bench.page.openArchive(QString::fromStdString(late.string()));
    REQUIRE(waitFor(
        [&] { return bench.problem() == QStringLiteral("The archive cannot be opened."); }));
    CHECK_FALSE(bench.start()->isEnabled());
    auto* again = bench.field<QPushButton>("tryAgain");
    CHECK(again->isVisible());
    std::filesystem::copy(bench.folder.path() / "shop.dump", late);
    again->click();
    REQUIRE(waitFor([&] { return !bench.page.contents().empty(); }));
    CHECK_FALSE(again->isVisible());
}
