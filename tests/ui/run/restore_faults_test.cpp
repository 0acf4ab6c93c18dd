// SPDX-License-Identifier: PostgreSQL
// Each fault of a restore arrives in the window in words, and what failed can be tried again.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/server/dump/faults.h"
#include "tests/server/dump/round_trip.h"
#include "tests/ui/run/faults_window.h"
#include "ui/pages/saved_tasks.h"
#include "ui/run/details_panel.h"

using namespace gantry;
using namespace gantry::test;
using namespace gantry::ui;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSessions = "gantry restore%";

/// An archive of "a" and "b" with a foreign key between them, and a database to restore into.
struct RestoreScene {
    Cluster cluster;
    TemporaryFolder folder;
    fs::path archive = folder / "a";
    options::RestoreOptions options;

    explicit RestoreScene(ClusterOptions how = {}) : cluster(std::move(how)) {
        cluster.createDatabase("source");
        cluster.execute(
            "CREATE TABLE a(id int PRIMARY KEY, t text);"
            "INSERT INTO a SELECT g, repeat('x', 50) FROM generate_series(1, 20000) g;"
            "CREATE TABLE b(id int, t text);"
            "INSERT INTO b SELECT g, md5(g::text) FROM generate_series(1, 20000) g;"
            "ALTER TABLE b ADD CONSTRAINT fk FOREIGN KEY (id) REFERENCES a",
            "source");
        runDump(dumpOptions(cluster, "source", archive, archive::Format::Directory, "gzip:1"));
        cluster.createDatabase("target");
        options.connection = cluster.connection("target");
        options.archive = archive;
        options.jobs = 2;
    }
    RunRequest request() const { return restoreRequest(options, {}, QStringLiteral("target")); }
    /// The tables are there already, and rows of "b" wait at a gate.
    void makeTables() {
        cluster.execute(
            "CREATE FUNCTION pass(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
            " IF id = 10000 THEN"
            "  WHILE NOT pg_try_advisory_lock_shared(7) LOOP PERFORM pg_sleep(0.01); END LOOP;"
            "  PERFORM pg_advisory_unlock_shared(7);"
            " END IF; RETURN true; END $$;"
            "CREATE TABLE a(id int, t text);"
            "CREATE TABLE b(id int CHECK (public.pass(id)), t text);",
            "target");
        options.content.dataOnly = true;
    }
    std::string count(const std::string& table) const {
        return cluster.value("SELECT count(*) FROM public." + table, "target");
    }
    /// Chunks of a table lie in its member in the order in which they ended.
    fs::path memberOf(const std::string& text) const {
        for (const auto& file : fs::directory_iterator(archive)) {
            if (file.path().string().find(".dat.gz") == std::string::npos) continue;
            const std::string rows = runToolOk({"gunzip", "-c", file.path().string()});
            if (rows.find(text) != std::string::npos) return file.path();
        }
        throw std::runtime_error("no member holds " + text);
    }
};

QPushButton* buttonOf(const RunPage& page, const QString& text) {
    for (QPushButton* button : page.findChildren<QPushButton*>()) {
        if (button->text() == text) return button;
    }
    throw std::runtime_error("no button says " + text.toStdString());
}

}  // namespace

TEST_CASE("restore faults: a damaged member stops that table alone, which is told with its name") {
    RestoreScene scene;
    const fs::path member = scene.memberOf("c4ca4238");  // md5 of 1
    SECTION("cut") { fs::resize_file(member, fs::file_size(member) / 2); }
    SECTION("flipped") {
        std::fstream stream(member, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(fs::file_size(member) / 2));
        stream.put('\x55').put('\xAA').put('\x55');
    }
    RunWindow window(scene.request());
    window.follow();
    CHECK_THAT(window.outcome(), ContainsSubstring("passed over. The log lists what failed."));
    CHECK(window.logComesToSay("Passed over: public.b: "));
    CHECK(window.logComesToSay("“Verify…” on the Restore page lists all damage of an archive."));
    CHECK(window.log().find("public.b: ") == window.log().rfind("public.b: "));
    CHECK_THAT(window.outcome(), ContainsSubstring("The archive is damaged"));
    CHECK_FALSE(window.offersRetry());
    CHECK(scene.count("a") == "20000");
    CHECK(scene.count("b") == "0");
}

TEST_CASE("what the server was asked for stands in the details, also when it is done") {
    RestoreScene scene;
    RunWindow window(scene.request());
    window.follow();
    std::string statements;
    for (const events::SpanState& span : window.state().spans()) statements += span.statement;
    CHECK_THAT(statements, ContainsSubstring("COPY public.a (id, t) FROM stdin WITH (FREEZE);"));
    CHECK_THAT(statements, ContainsSubstring("a_pkey"));
    CHECK_THAT(statements, ContainsSubstring("FOREIGN KEY (id) REFERENCES public.a(id)"));
}

TEST_CASE("restore faults: an archive that cannot be read, and a script that may not be run") {
    RestoreScene scene;
    SECTION("no archive") {
        scene.options.archive = scene.folder / "notes";
        std::ofstream(scene.options.archive, std::ios::binary) << std::string(4096, '\x7f');
        RunWindow window(scene.request());
        window.follow();
        CHECK(window.refused());
        CHECK_THAT(window.outcome(), ContainsSubstring(scene.options.archive.string() + ": "));
    }
    SECTION("hostile script") {
        scene.options.archive = scene.folder / "s.sql";
        scene.options.jobs.reset();
        std::ofstream(scene.options.archive) << "CREATE TABLE z(i int);\n\\! touch /tmp/x\n";
        RunWindow window(scene.request());
        window.follow();
        CHECK(window.refused());
        CHECK_THAT(
            window.outcome(),
            ContainsSubstring("s.sql, line 2: \\! is a command of psql that a script may not "
                              "give"));
        CHECK_THAT(window.outcome(), ContainsSubstring("Take it out, or run the script with psql"));
    }
}

TEST_CASE("restore faults: a session that ends costs time only, a server that stops ends the run") {
    RestoreScene scene;
    scene.makeTables();
    Gate gate(scene.cluster, "target");
    RunWindow window(scene.request());
    const int pid = gate.waitForArrival(kSessions);
    SECTION("a session") {
        scene.cluster.execute(fmt::format("SELECT pg_terminate_backend({})", pid));
        gate.open();
        window.follow();
        CHECK_THAT(window.outcome(), StartsWith("Finished without errors in "));
        CHECK(window.logComesToSay("(tried again)"));
        CHECK(scene.count("b") == "20000");
    }
    SECTION("the server") {
        scene.cluster.stop(StopMode::Immediate);
        window.follow();
        CHECK_THAT(window.outcome(), StartsWith("Failed after "));
        CHECK_THAT(window.outcome(), ContainsSubstring("Check that the server runs"));
        CHECK(window.logComesToSay("Not there: the rows of "));
    }
}

TEST_CASE("restore faults: a lock of somebody else's is named while it is waited for") {
    RestoreScene scene;
    scene.makeTables();
    pg::Connection user = pg::Connection::open(scene.cluster.connection("target"), "a user", {});
    user.execute("BEGIN; LOCK TABLE a IN ACCESS EXCLUSIVE MODE");
    RunWindow window(scene.request());
    CHECK(
        window.logComesToSay(fmt::format("a worker waits for public.a, which session {} (postgres, "
                                         "idle in transaction: BEGIN; LOCK TABLE a IN ACCESS "
                                         "EXCLUSIVE MODE) holds or wants",
                                         user.backendPid())));
    // Of the chosen task the panel tells what its session does, and who is in the way.
    const auto waiting = [&] {
        for (const auto& [id, task] : window.state().tasks()) {
            if (task.object == "public.a" && task.runningSpans > 0) return std::optional(id);
        }
        return std::optional<TaskId>();
    };
    REQUIRE(comes([&] { return waiting().has_value(); }));
    window.page().select(*waiting());
    const auto panelSays = [&](const QString& words) {
        for (const QLabel* label :
             window.page().findChild<DetailsPanel*>()->findChildren<QLabel*>()) {
            if (label->text().contains(words)) return true;
        }
        return false;
    };
    CHECK(comes([&] { return panelSays(QStringLiteral("Lock: relation")); }));
    CHECK(panelSays(QStringLiteral("blocked by %1 (a user): BEGIN; LOCK TABLE a IN ACCESS")
                        .arg(user.backendPid())));
    CHECK(comes([&] { return panelSays(QStringLiteral("COPY public.a")); }));
    user.execute("COMMIT");
    window.follow();
    CHECK_THAT(window.outcome(), StartsWith("Finished without errors in "));
}

TEST_CASE("restore faults: the server is killed") {
    RestoreScene scene;
    scene.makeTables();
    Gate gate(scene.cluster, "target");
    RunWindow window(scene.request());
    (void)gate.waitForArrival(kSessions);
    REQUIRE(::kill(scene.cluster.pid(), SIGKILL) == 0);
    window.follow();
    INFO(window.log());
    CHECK_THAT(window.outcome(), StartsWith("Failed after "));
    CHECK_THAT(window.outcome(), ContainsSubstring("Check that the server runs"));
    CHECK(window.logComesToSay("Not there: the rows of "));
}

TEST_CASE("restore faults: a standby takes nothing") {
    ClusterOptions replicating;
    replicating.settings = {"wal_level = replica"};
    RestoreScene scene(replicating);
    scene.cluster.stop();
    std::ofstream(scene.cluster.dataFolder() / "standby.signal").close();
    scene.cluster.start();
    RunWindow window(scene.request());
    window.follow();
    CHECK(window.refused());
    CHECK_THAT(window.outcome(), ContainsSubstring("standby"));
    CHECK_THAT(window.outcome(), ContainsSubstring("primary"));
}

TEST_CASE("restore faults: the server's disk is full") {
    if (::geteuid() != 0) SKIP("only root may mount a small disk for the server");
    const TemporaryFolder disk;
    const std::string place = disk.path().string();
    if (runTool({"mount", "-t", "tmpfs", "-o", "size=30m", "none", place}).exitCode != 0) {
        SKIP("nothing may be mounted here");
    }
    struct Unmount {
        std::string place;
        ~Unmount() { (void)runTool({"umount", "-l", place}); }
    } const unmount{place};
    RestoreScene scene;
    runToolOk({"chown", "--reference", scene.cluster.dataFolder().string(), place});
    scene.cluster.execute(fmt::format("CREATE TABLESPACE small LOCATION '{}'", place));
    scene.cluster.execute("DROP DATABASE target");
    scene.cluster.createDatabase("target", "TABLESPACE small");
    constexpr uint64_t kLeft = 600'000;
    const uint64_t filler = fs::space(disk.path()).available - kLeft;
    runToolOk({"fallocate", "-l", std::to_string(filler), (disk / "filler").string()});
    scene.options.jobs = 1;
    RunWindow window(scene.request());
    window.follow();
    INFO(window.outcome());
    CHECK_THAT(window.outcome(), StartsWith("Failed after "));
    CHECK_THAT(window.outcome(), ContainsSubstring("No space left on device"));
    CHECK(window.logComesToSay("Not there: "));
}

TEST_CASE("restore faults: a deadlock with a user's session is told and costs time only") {
    RestoreScene scene;
    scene.cluster.execute(
        "CREATE TABLE c();"
        "CREATE FUNCTION pass(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " IF id = 10000 THEN LOCK TABLE public.c IN SHARE MODE; END IF; RETURN true; END $$;"
        "CREATE TABLE a(id int, t text);"
        "CREATE TABLE b(id int CHECK (public.pass(id)), t text);",
        "target");
    scene.options.content.dataOnly = true;
    pg::Connection user = pg::Connection::open(scene.cluster.connection("target"), "a user", {});
    user.execute("SET deadlock_timeout = '1h'; BEGIN; LOCK TABLE c IN EXCLUSIVE MODE");
    qputenv("PGOPTIONS", "-c deadlock_timeout=5s");
    RunWindow window(scene.request());
    REQUIRE(window.logComesToSay("a worker waits for public.c, which session"));
    // The restore has "b" and waits for "c"; it is the one that gives way.
    user.execute("LOCK TABLE b IN ACCESS EXCLUSIVE MODE; COMMIT");
    window.follow();
    qunsetenv("PGOPTIONS");
    INFO(window.log());
    CHECK_THAT(window.outcome(), StartsWith("Finished without errors in "));
    CHECK(window.logComesToSay("deadlock detected"));
    CHECK(window.logComesToSay("(tried again)"));
    CHECK(scene.count("a") == "20000");
    CHECK(scene.count("b") == "20000");
}

TEST_CASE("restore faults: a role without rights, and what is there already") {
    RestoreScene scene;
    SECTION("no rights") {
        makeReader(scene.cluster);
        scene.cluster.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC", "target");
        scene.options.connection.user = "reader";
        scene.options.content.noOwner = true;
        RunWindow window(scene.request());
        window.follow();
        CHECK(
            window.logComesToSay("reader may not create anything in the schema public. GRANT "
                                 "CREATE ON SCHEMA public TO reader;"));
        CHECK(window.logComesToSay("permission denied for schema public"));
    }
    SECTION("there already") {
        scene.cluster.execute("CREATE TABLE a(id int, t text)", "target");
        scene.options.content.noDataForFailedTables = true;
        RunWindow window(scene.request());
        window.follow();
        INFO(window.log());
        CHECK(window.logComesToSay("relation \"a\" already exists"));
        CHECK_THAT(window.outcome(), ContainsSubstring("The log lists what failed."));
    }
}

TEST_CASE("an item that failed is tried again while the run goes on") {
    RestoreScene scene;
    scene.makeTables();
    scene.cluster.execute("ALTER TABLE a ADD CONSTRAINT none CHECK (id <> 5)", "target");
    Gate gate(scene.cluster, "target");
    RunWindow window(scene.request());
    (void)gate.waitForArrival(kSessions);
    REQUIRE(window.logComesToSay("Passed over: public.a: "));
    CHECK(window.run().active());
    scene.cluster.execute("ALTER TABLE a DROP CONSTRAINT none", "target");
    window.page().select(window.state().ignoredAt().at(0).second.task);
    QPushButton* retry = buttonOf(window.page(), QStringLiteral("Retry this item…"));
    REQUIRE(comes([&] { return retry->isVisible(); }));
    QSignalSpy wanted(&window.page(), &RunPage::runWanted);
    retry->click();
    auto* question = window.page().findChild<QMessageBox*>();
    REQUIRE(question != nullptr);
    CHECK(question->informativeText().contains(QStringLiteral("It goes on beside this one.")));
    for (QAbstractButton* button : question->buttons()) {
        if (button->text() == QStringLiteral("Retry")) button->click();
    }
    REQUIRE(wanted.count() == 1);
    RunWindow again(wanted[0][0].value<RunRequest>());
    again.follow();
    CHECK_THAT(again.outcome(), StartsWith("Finished without errors in "));
    CHECK(scene.count("a") == "20000");
    CHECK(window.run().active());
    gate.open();
    window.follow();
    CHECK(scene.count("b") == "20000");
}

TEST_CASE("a restore that was stopped is finished from its record") {
    RestoreScene scene;
    // Rows of "b" wait for a gate in the new database, too.
    scene.cluster.execute(
        "CREATE FUNCTION pass(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " IF id = 10000 THEN"
        "  WHILE NOT pg_try_advisory_lock_shared(7) LOOP PERFORM pg_sleep(0.01); END LOOP;"
        "  PERFORM pg_advisory_unlock_shared(7);"
        " END IF; RETURN true; END $$;"
        "ALTER TABLE b ADD CHECK (public.pass(id))",
        "source");
    scene.archive = scene.options.archive = scene.folder / "gated";
    runDump(
        dumpOptions(scene.cluster, "source", scene.archive, archive::Format::Directory, "none"));
    Gate gate(scene.cluster, "target");
    RunWindow window(scene.request(), scene.folder / "history");
    QPushButton* finish = buttonOf(window.page(), QStringLiteral("Finish it…"));
    (void)gate.waitForArrival(kSessions);
    CHECK_FALSE(finish->isVisible());
    window.run().stop();
    window.follow();
    CHECK_THAT(window.outcome(), StartsWith("Cancelled after "));
    REQUIRE(comes([&] { return finish->isVisible(); }));
    gate.open();

    QSignalSpy wanted(&window.page(), &RunPage::runWanted);
    finish->click();
    auto* question = window.page().findChild<QMessageBox*>();
    REQUIRE(question != nullptr);
    for (QAbstractButton* button : question->buttons()) {
        if (button->text() == QStringLiteral("Finish it")) button->click();
    }
    REQUIRE(wanted.count() == 1);
    RunWindow rest(wanted[0][0].value<RunRequest>());
    rest.follow();
    INFO(rest.log());
    CHECK_THAT(rest.outcome(), StartsWith("Finished without errors in "));
    CHECK_FALSE(buttonOf(rest.page(), QStringLiteral("Finish it…"))->isVisible());
    CHECK(differences(scene.cluster.conninfo("source"), scene.cluster.conninfo("target"),
                      scene.cluster.programs()) == "");
}

TEST_CASE("what failed is tried again, and that alone") {
    RestoreScene scene;
    // A rule of the target refuses rows of "b" at first.
    scene.cluster.execute(
        "CREATE TABLE a(id int, t text);"
        "CREATE TABLE b(id int, t text CHECK (t <> 'c4ca4238a0b923820dcc509a6f75849b'))",
        "target");
    scene.options.content.dataOnly = true;
    RunWindow window(scene.request());
    window.follow();
    CHECK(window.state().finished()->outcome == events::Outcome::CompletedWithErrors);
    CHECK(scene.count("a") == "20000");
    CHECK(scene.count("b") == "0");

    QPushButton* retry = buttonOf(window.page(), QStringLiteral("Retry what failed…"));
    CHECK(retry->isVisible());
    scene.cluster.execute("ALTER TABLE b DROP CONSTRAINT b_t_check", "target");
    QSignalSpy wanted(&window.page(), &RunPage::runWanted);
    retry->click();
    auto* question = window.page().findChild<QMessageBox*>();
    REQUIRE(question != nullptr);
    CHECK(question->informativeText().contains(QStringLiteral("public.b")));
    CHECK_FALSE(question->informativeText().contains(QStringLiteral("public.a")));
    for (QAbstractButton* button : question->buttons()) {
        if (button->text() == QStringLiteral("Retry")) button->click();
    }
    REQUIRE(wanted.count() == 1);
    RunWindow again(wanted[0][0].value<RunRequest>());
    again.follow();
    CHECK_THAT(again.outcome(), StartsWith("Finished without errors in "));
    CHECK(scene.count("a") == "20000");
    CHECK(scene.count("b") == "20000");
}
