// SPDX-License-Identifier: PostgreSQL
// Faults in the middle of a restore: what is told, what stays, and that no row comes twice.
#include "tests/server/dump/faults.h"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <thread>

#include "core/base/error.h"
#include "core/restore/restore.h"
#include "tests/server/dump/round_trip.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

constexpr int kFinishedWithErrors = 1;
constexpr const char* kSessions = "gantry restore%";
constexpr const char* kWait = R"(
    CREATE FUNCTION public.stand_at_gate() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        WHILE NOT pg_try_advisory_lock_shared(7) LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
        PERFORM pg_advisory_unlock_shared(7);
    END $$;)";

/// A server with an archive of two tables and a foreign key, and a database to restore into.
struct FaultScene {
    Cluster cluster;
    TemporaryFolder folder;
    fs::path archive = folder / "a";

    explicit FaultScene(const ClusterOptions& options = {}) : cluster(options) {
        cluster.createDatabase("source");
        cluster.execute(
            "CREATE TABLE a(id int PRIMARY KEY, t text);"
            "INSERT INTO a SELECT g, repeat('x', 50) FROM generate_series(1, 20000) g;"
            "CREATE TABLE b(id int, amount numeric, t text);"  // goes in binary form
            "INSERT INTO b SELECT g, g / 7.0, repeat('y', 50) FROM generate_series(1, 20000) g;"
            "ALTER TABLE b ADD CONSTRAINT fk FOREIGN KEY (id) REFERENCES a",
            "source");
        runDump(dumpOptions(cluster, "source", archive, Format::Directory, "gzip:1"));
        cluster.createDatabase("target");
        cluster.execute(kWait, "target");
    }
    /// The tables are there already, and rows of "b" wait at the gate at number 10,000.
    void makeTables(const std::string& more = "") const {
        cluster.execute(
            "CREATE FUNCTION pass(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
            " IF id = 10000 THEN PERFORM public.stand_at_gate(); END IF; RETURN true; END $$;"
            "CREATE TABLE a(id int, t text); CREATE TABLE b(id int CHECK (public.pass(id)),"
            " amount numeric, t text);" +
                more,
            "target");
    }
    std::string counts() const {
        return cluster.value(
            "SELECT (SELECT count(*) FROM public.a) || ' ' || (SELECT count(*) FROM public.b)",
            "target");
    }
    options::RestoreOptions options() const {
        options::RestoreOptions options;
        options.connection = cluster.connection("target");
        options.archive = archive;
        options.jobs = 2;
        options.worthSharing = 64 << 10;
        options.failedList = folder / "failed.list";
        return options;
    }
    Names command(const Names& more = {}) const {
        Names words{gantryctl().string(),
                    "restore",
                    archive.string(),
                    "--no-progress",
                    "--failed-list",
                    (folder / "failed.list").string(),
                    "-h",
                    cluster.socketFolder().string(),
                    "-p",
                    std::to_string(cluster.port()),
                    "-U",
                    "postgres",
                    "-d",
                    "target",
                    "-j",
                    "2"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    bool sessionsEnd() const {
        const auto giveUp = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (!dumpSessions(cluster, kSessions).empty()) {
            if (std::chrono::steady_clock::now() > giveUp) return false;
        }
        return true;
    }
};

}  // namespace

TEST_CASE("a worker whose backend is ended takes its table up again, rows never come twice",
          "[faults]") {
    FaultScene scene;
    scene.makeTables();
    Gate gate(scene.cluster, "target");
    const bool binary = GENERATE(true, false);
    BackgroundTool tool(
        scene.command(binary ? Names{"--data-only"} : Names{"--data-only", "--no-binary"}));
    const int pid = gate.waitForArrival(kSessions);
    CHECK(scene.cluster.value(fmt::format(
              "SELECT query LIKE '%FORMAT binary%' FROM pg_stat_activity WHERE pid = {}", pid)) ==
          (binary ? "t" : "f"));
    scene.cluster.execute(fmt::format("SELECT pg_terminate_backend({})", pid));
    gate.open();
    const ToolResult result = tool.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring("trying again: public.b: "));
    CHECK(scene.counts() == "20000 20000");
    CHECK(
        scene.cluster.value("SELECT md5(string_agg(b::text, ',' ORDER BY id)) FROM b", "target") ==
        scene.cluster.value("SELECT md5(string_agg(b::text, ',' ORDER BY id)) FROM b", "source"));
}

TEST_CASE("a coordinator whose backend is ended costs nothing", "[faults]") {
    FaultScene scene;
    scene.makeTables();
    Gate gate(scene.cluster, "target");
    BackgroundTool tool(scene.command({"--data-only"}));
    (void)gate.waitForArrival(kSessions);
    CHECK(scene.cluster.value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                              " WHERE application_name LIKE '%coordinator%'") == "1");
    gate.open();
    const ToolResult result = tool.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring("The coordinator's session was ended"));
    CHECK(scene.counts() == "20000 20000");
}

TEST_CASE("a server that stops ends the restore with what is there and what is not", "[faults]") {
    FaultScene scene;
    scene.makeTables();
    const Gate gate(scene.cluster, "target");
    BackgroundTool tool(scene.command({"--data-only"}));
    (void)gate.waitForArrival(kSessions);
    scene.cluster.stop(GENERATE(StopMode::Fast, StopMode::Immediate));
    const ToolResult result = tool.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == kFailed);
    CHECK_THAT(result.errors, ContainsSubstring("The restore into \"target\" failed after "));
    CHECK_THAT(result.errors, ContainsSubstring("Check that the server runs"));
    CHECK_THAT(result.errors, ContainsSubstring("Not there: the rows of "));
}

TEST_CASE("a restore goes on at no other server than the one it began on", "[faults]") {
    FaultScene scene;
    scene.makeTables();
    FaultScene other;  // as a standby that has become a primary would look
    other.makeTables();
    const Gate gate(scene.cluster, "target");
    BackgroundTool tool(
        {gantryctl().string(), "restore", scene.archive.string(), "--data-only", "--no-progress",
         "-j", "2", "-d",
         fmt::format("host={},{} port={},{} user=postgres dbname=target",
                     scene.cluster.socketFolder().string(), other.cluster.socketFolder().string(),
                     scene.cluster.port(), other.cluster.port())});
    (void)gate.waitForArrival(kSessions);
    scene.cluster.stop(StopMode::Immediate);
    const ToolResult result = tool.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == kFailed);
    CHECK(other.counts() == "0 0");
}

TEST_CASE("Ctrl-C stops every backend and says what is there", "[faults]") {
    FaultScene scene;
    scene.makeTables(
        "CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE"
        " 'never'; END $$; CREATE TRIGGER never BEFORE INSERT ON b FOR EACH STATEMENT"
        " EXECUTE FUNCTION never()");
    const Gate gate(scene.cluster, "target");
    BackgroundTool tool(scene.command({"--data-only", "--disable-triggers"}));
    (void)gate.waitForArrival(kSessions);
    tool.signal(SIGINT);
    CHECK(scene.sessionsEnd());
    const ToolResult result = tool.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == kCancelled);
    CHECK_THAT(result.errors, ContainsSubstring("of 2 tables' rows"));
    CHECK_THAT(result.errors, ContainsSubstring("Not there: the rows of public."));
    CHECK_THAT(result.errors, ContainsSubstring("Cancelled after "));
    CHECK(scene.cluster.value("SELECT count(*) FROM public.b", "target") == "0");
    CHECK(scene.cluster.value("SELECT count(*) FROM pg_trigger WHERE tgenabled <> 'O'", "target") ==
          "0");
}

TEST_CASE("no foreign key stays NOT VALID when a restore is stopped", "[faults]") {
    FaultScene scene;
    scene.cluster.execute(
        "CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF current_query() LIKE '%VALIDATE CONSTRAINT%' THEN PERFORM public.stand_at_gate();"
        " END IF; END $$;"
        "CREATE EVENT TRIGGER slow ON ddl_command_start EXECUTE FUNCTION slow()",
        "target");
    const Gate gate(scene.cluster, "target");
    EventRecord events;
    std::stop_source stop;
    std::thread run([&] {
        try {
            restore::restore(scene.options(), events, stop.get_token());
        } catch (const Error&) {  // NOLINT: the events tell it
        }
    });
    (void)gate.waitForArrival(kSessions);
    const std::string half =
        scene.cluster.value("SELECT count(*) FROM pg_constraint WHERE NOT convalidated", "target");
    stop.request_stop();
    run.join();
    CHECK(half == "1");
    CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Cancelled);
    CHECK(scene.cluster.value("SELECT count(*) FROM pg_constraint WHERE NOT convalidated",
                              "target") == "0");
    const auto notices = events.all<events::Notice>();
    REQUIRE_FALSE(notices.empty());
    CHECK(notices.back().message ==
          "There: 2 of 2 definitions, 2 of 2 tables' rows, 1 of 1 indexes and constraints, 0 of 1 "
          "foreign keys. Not there: public.b fk.");
}

TEST_CASE("a full disk of the server ends the restore", "[faults]") {
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
    FaultScene scene;
    runToolOk({"chown", "--reference", scene.cluster.dataFolder().string(), place});
    scene.cluster.execute(fmt::format("CREATE TABLESPACE small LOCATION '{}'", place));
    scene.cluster.execute("DROP DATABASE target");
    scene.cluster.createDatabase("target", "TABLESPACE small");
    constexpr uint64_t kLeft = 600'000;
    const uint64_t filler = fs::space(disk.path()).available - kLeft;
    runToolOk({"fallocate", "-l", std::to_string(filler), (disk / "filler").string()});
    const ToolResult result = runTool(scene.command({"-j", "1"}));
    CAPTURE(result.describe());
    CHECK(result.exitCode == kFailed);
    CHECK_THAT(result.errors, ContainsSubstring("s: public.a: could not extend file"));
    CHECK_THAT(result.errors, ContainsSubstring("No space left on device (SQLSTATE 53100)"));
    CHECK_THAT(result.errors, ContainsSubstring("Not there: "));
    CHECK(fs::exists(scene.archive));
}

TEST_CASE("a deadlock with a user's session costs time, not rows", "[faults]") {
    FaultScene scene;
    scene.makeTables(
        "CREATE TABLE c();"
        "CREATE OR REPLACE FUNCTION pass(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " IF id = 10000 THEN LOCK TABLE public.c IN SHARE MODE; END IF; RETURN true; END $$;");
    pg::Connection user = pg::Connection::open(scene.cluster.connection("target"), "a user", {});
    user.execute("SET deadlock_timeout = '1h'; BEGIN; LOCK TABLE c IN EXCLUSIVE MODE");
    Names command = scene.command({"--data-only", "-j", "1"});
    BackgroundTool tool(command, {{"PGOPTIONS", "-c deadlock_timeout=2s"}});
    waitUntil("the restore waits for the user", [&] {
        return scene.cluster.value(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type ="
                   " 'Lock' AND application_name LIKE 'gantry restore%'") == "1";
    });
    // The restore has "b" and waits for "c"; it is the one that gives way.
    user.execute("LOCK TABLE b IN ACCESS EXCLUSIVE MODE; COMMIT");
    const ToolResult result = tool.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring("deadlock detected"));
    CHECK(scene.counts() == "20000 20000");
}

TEST_CASE("a worker that waits for a user's lock says whose, and goes on", "[faults]") {
    const FaultScene scene;
    scene.makeTables();
    pg::Connection user = pg::Connection::open(scene.cluster.connection("target"), "a user", {});
    user.execute("BEGIN; LOCK TABLE a IN ACCESS EXCLUSIVE MODE");
    options::RestoreOptions options = scene.options();
    options.content.dataOnly = true;
    EventRecord events;
    std::jthread restore([&] { restore::restore(options, events, {}); });
    const auto lockWaits = [&] {
        std::vector<events::WorkerIdle> found = events.all<events::WorkerIdle>();
        std::erase_if(found, [](const events::WorkerIdle& idle) {
            return idle.cause != events::IdleCause::Lock;
        });
        return found;
    };
    waitUntil("the wait is told", [&] { return !lockWaits().empty(); });
    user.execute("COMMIT");
    restore.join();
    CHECK(lockWaits().at(0).on ==
          fmt::format("public.a, session {} (postgres, idle in transaction: BEGIN; LOCK TABLE a IN "
                      "ACCESS EXCLUSIVE MODE)",
                      user.backendPid()));
    CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
    CHECK(scene.counts() == "20000 20000");
}

TEST_CASE("a user without rights is told once what he lacks, with the objects under it",
          "[faults]") {
    FaultScene scene;
    makeReader(scene.cluster);
    scene.cluster.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC", "target");
    const ToolResult result = runTool(scene.command({"-U", "reader", "-O"}));
    CAPTURE(result.describe());
    CHECK(result.exitCode == kFinishedWithErrors);
    CHECK_THAT(result.errors,
               ContainsSubstring("warning: reader may not create anything in the schema public. "
                                 "GRANT CREATE ON SCHEMA public TO reader;"));
    CHECK_THAT(result.output, ContainsSubstring("  permission denied for schema public\n"
                                                "      TABLE public.a\n"
                                                "      TABLE public.b\n"
                                                "    Restore as a superuser or as the owner (-U, "
                                                "--role), or leave owners and privileges out "
                                                "(--no-owner, --no-privileges).\n"));
}

TEST_CASE("what was in the way is one cause with its objects", "[faults]") {
    FaultScene scene;
    scene.cluster.execute(
        "CREATE TABLE a(id int, t text);"
        " CREATE TABLE b(id int, amount numeric, t text)",
        "target");
    const ToolResult result = runTool(scene.command({"--no-data-for-failed-tables", "-s"}));
    CAPTURE(result.describe());
    CHECK(result.exitCode == kFinishedWithErrors);
    CHECK_THAT(result.output, ContainsSubstring("  relation \"…\" already exists\n"
                                                "      TABLE public.a\n"
                                                "      TABLE public.b\n"
                                                "    Rows that are not restored with it would go "
                                                "with what is there: drop it only if nobody needs "
                                                "them (--clean --if-exists), or restore into an "
                                                "empty database.\n"));
}
