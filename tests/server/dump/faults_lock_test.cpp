// SPDX-License-Identifier: PostgreSQL
// Tables that somebody else has locked, before the dump or while it runs, and servers that are
// short of locks or connections.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <fstream>

#include "core/dump/dump_preflight.h"
#include "tests/server/dump/faults.h"
#include "tests/server/dump/round_trip.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

/// psql with one statement, in the background: it waits for locks as long as it has to.
BackgroundTool statement(const Cluster& cluster, const std::string& database,
                         const std::string& sql) {
    return BackgroundTool({clientToolsFor(cluster.major()).tool("psql").string(), "-Xqc", sql,
                           cluster.conninfo(database) + " application_name=meddler"});
}

bool waitsForLock(const Cluster& cluster, const std::string& application) {
    return cluster.value(
               fmt::format("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                           " AND application_name LIKE '{}'",
                           application)) == "1";
}

/// A folder with a pg_dump that begins its work when a file appears there, or else as soon as a
/// condition of the shell holds.
class HeldUpPgDump {
public:
    explicit HeldUpPgDump(const Cluster& cluster, std::string until = {}) {
        if (until.empty()) until = fmt::format("[ -e '{}' ]", (folder_ / "go").string());
        const std::string real = clientToolsFor(cluster.major()).tool("pg_dump").string();
        std::ofstream script(folder_ / "pg_dump");
        script << "#!/bin/sh\nif [ \"$1\" != --version ]; then\n"
               << "  until " << until << "; do sleep 0.02; done\n"
               << "fi\nexec '" << real << "' \"$@\"\n";
        script.close();
        fs::permissions(folder_ / "pg_dump", fs::perms::all);
    }
    Names options() const { return {"--pg-bindir", folder_.path().string()}; }
    void letGo() const { std::ofstream(folder_ / "go").close(); }

private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a table that somebody has locked: who it is, and that it was given up", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    cluster.execute("CREATE TABLE busy (a int); CREATE TABLE free (a int)", database);
    const TemporaryFolder folder;
    pg::Connection holder = pg::Connection::open(cluster.connection(database), "holder", {});
    holder.execute("BEGIN; LOCK TABLE busy");
    const std::string session = fmt::format(
        "session {} (postgres, idle in transaction: BEGIN; LOCK "
        "TABLE busy)",
        holder.backendPid());

    SECTION("with a limit to the wait") {
        const ToolResult result =
            runDumpTool(cluster, database, folder / "out", {"--lock-wait-timeout", "100ms"});
        CHECK(
            result.errors ==
            fmt::format("gantryctl: public.busy: canceling statement due to lock timeout: {} holds "
                        "it exclusively (SQLSTATE 55P03)\n  Somebody has a table exclusively; "
                        "wait for that session, or raise --lock-wait-timeout.\n",
                        session));
        CHECK(result.exitCode == kRefused);
    }
    SECTION("without") {
        BackgroundTool dump(dumpCommand(cluster, database, folder / "out"));
        const std::string told = fmt::format(
            "warning: the dump waits for public.busy, which {} holds or wants "
            "exclusively\n",
            session);
        waitUntil("the notice", [&] { return dump.errorsSoFar() == told; });
        holder.execute("ROLLBACK");
        const ToolResult result = dump.wait();
        CHECK(result.errors == told);
        CHECK(result.exitCode == 0);
        fs::remove_all(folder / "out");
    }
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a table that a prepared transaction has locked: which one it is, and what ends it",
          "[faults]") {
    ClusterOptions settings;
    settings.settings = {"max_prepared_transactions = 2"};
    Cluster cluster(settings);
    cluster.execute("CREATE TABLE busy (a int)");
    const TemporaryFolder folder;
    pg::Connection preparer = pg::Connection::open(cluster.connection(), "preparer", {});
    for (const char* sql : {"BEGIN", "LOCK TABLE busy", "PREPARE TRANSACTION 'the night''s'"}) {
        preparer.execute(sql);
    }
    const std::string ends =
        "COMMIT PREPARED 'the night''s' or ROLLBACK PREPARED 'the night''s' ends it";

    SECTION("with a limit to the wait") {
        const ToolResult result =
            runDumpTool(cluster, "postgres", folder / "out", {"--lock-wait-timeout", "100ms"});
        CHECK(result.errors ==
              "gantryctl: public.busy: canceling statement due to lock timeout: prepared "
              "transaction 'the night''s' holds it exclusively (SQLSTATE 55P03)\n"
              "  No session can let go of it: " +
                  ends + ".\n");
        CHECK(result.exitCode == kRefused);
    }
    SECTION("without, and after a restart of the server") {
        if (GENERATE(false, true)) cluster.restart();
        BackgroundTool dump(dumpCommand(cluster, "postgres", folder / "out"));
        const std::string told =
            "warning: the dump waits for public.busy, which prepared transaction 'the night''s' "
            "holds exclusively: " +
            ends + "\n";
        waitUntil("the notice", [&] { return dump.errorsSoFar() == told; });
        cluster.execute("ROLLBACK PREPARED 'the night''s'");
        const ToolResult result = dump.wait();
        CHECK(result.errors == told);
        CHECK(result.exitCode == 0);
    }
    SECTION("as a finding before a dump") {
        options::DumpOptions options;
        options.clientToolsFolder = clientToolsFor(cluster.major()).binFolder;
        pg::Connection connection = pg::Connection::open(cluster.connection(), "looker", {});
        const std::vector<dump::DumpFinding> found = dump::inspectDump(connection, options);
        CHECK(found.back().what ==
              "prepared transaction 'the night''s' holds an exclusive lock on public.busy; the "
              "dump would wait for it");
        CHECK(found.back().remedy == ends + ".");
    }
}

TEST_CASE("a worker that would wait behind somebody leaves the table to the coordinator",
          "[faults]") {
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, 10, 3'000);
    Gate gate(cluster, gated.name());
    const TemporaryFolder folder;
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out",
                    GatedDatabase::options({"-j", "1", "-Z", "none", "--no-chunks"})));
    (void)gate.waitForArrival("gantry dump: worker%");
    waitUntil("the end of pg_dump",
              [&] { return dumpSessions(cluster, "gantry dump: definitions%").empty(); });
    const std::string before = contentOf(cluster, gated.name());
    BackgroundTool meddler =
        statement(cluster, gated.name(), "TRUNCATE small; INSERT INTO small VALUES (99)");
    waitUntil("somebody in the queue", [&] { return waitsForLock(cluster, "meddler"); });
    gate.open();

    const ToolResult result = dump.wait();
    CHECK(
        result.errors ==
        "trying again: public.small: somebody waits for an exclusive lock on it; the coordinator, "
        "who holds a lock already, copies it\n");
    CHECK(result.exitCode == 0);
    CHECK(meddler.wait().exitCode == 0);
    CHECK(restoredContent(cluster, folder / "out", gated.name() + "_copy") == before);
    CHECK(contentOf(cluster, gated.name()) != before);
}

TEST_CASE("a circle of waiting that the server cannot see is broken, and told", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    cluster.execute("CREATE TABLE busy (a int)", database);
    const HeldUpPgDump pgDump(cluster);
    const TemporaryFolder folder;
    const auto start = [&](Names options) {
        for (const std::string& word : pgDump.options()) options.push_back(word);
        return dumpCommand(cluster, database, folder / "out", options);
    };
    const auto waitForTheLock = [&] {
        waitUntil("the coordinator's lock", [&] {
            return cluster.value(
                       "SELECT count(*) FROM pg_locks WHERE relation = 'busy'::regclass"
                       " AND mode = 'AccessShareLock' AND granted",
                       database) != "0";
        });
    };
    const auto letPgDumpRunIntoIt = [&] {
        waitUntil("somebody in the queue", [&] { return waitsForLock(cluster, "meddler"); });
        pgDump.letGo();
    };
    const std::string change = "ALTER TABLE busy ADD b int";

    SECTION("without a limit to the wait") {
        BackgroundTool dump(start({"-Z", "none", "--events", (folder / "events").string()}));
        waitForTheLock();
        BackgroundTool meddler = statement(cluster, database, change);
        letPgDumpRunIntoIt();
        const ToolResult result = dump.wait();
        CHECK_THAT(result.errors,
                   ContainsSubstring("warning: the dump waits for public.busy, which session "));
        CHECK_THAT(result.errors,
                   ContainsSubstring(" (postgres, active: ALTER TABLE busy ADD b int) wants "
                                     "exclusively\n"));
        CHECK_THAT(result.errors, ContainsSubstring("warning: public.busy: session "));
        CHECK_THAT(result.errors,
                   EndsWith(" (postgres, active: ALTER TABLE busy ADD b int) waits for this dump, "
                            "and this dump for that session: neither can go on. The dump lets go "
                            "of all tables and begins anew.\n"));
        CHECK(result.exitCode == 0);
        CHECK(meddler.wait().exitCode == 0);
        const std::string restored =
            runToolOk({clientToolsFor(cluster.major()).tool("pg_restore").string(), "-f", "-",
                       (folder / "out").string()});
        CHECK_THAT(restored, ContainsSubstring("COPY public.busy (a, b) FROM stdin;"));
        std::ifstream events(folder / "events");
        const std::string record(std::istreambuf_iterator<char>(events), {});
        const std::string_view started = R"("type":"run_started")";
        CHECK(record.find(started) == record.rfind(started));
        fs::remove_all(folder / "out");
        fs::remove(folder / "events");
    }
    SECTION("with a limit") {
        BackgroundTool dump(start({"--lock-wait-timeout", "100ms"}));
        waitForTheLock();
        BackgroundTool meddler = statement(cluster, database, change);
        letPgDumpRunIntoIt();
        const ToolResult result = dump.wait();
        CHECK_THAT(result.errors, ContainsSubstring(": public.busy: "));
        CHECK_THAT(result.errors,
                   ContainsSubstring("canceling statement due to statement timeout"));
        CHECK_THAT(result.errors,
                   EndsWith(" (postgres, active: ALTER TABLE busy ADD b int) wants it exclusively. "
                            "Somebody has a table exclusively; wait for that session, or raise "
                            "--lock-wait-timeout." +
                            std::string(kNothingLeft)));
        CHECK(result.exitCode == kFailed);
        CHECK(meddler.wait().exitCode == 0);
    }
    SECTION("a session that gives up by itself") {
        BackgroundTool dump(start({}));
        waitForTheLock();
        BackgroundTool meddler = statement(cluster, database, "SET lock_timeout = '2s'; " + change);
        letPgDumpRunIntoIt();
        CHECK(meddler.wait().exitCode == 1);
        CHECK(dump.wait().exitCode == 0);
        fs::remove_all(folder / "out");
    }
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a circle that comes back each time ends with a word about it", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    cluster.execute("CREATE TABLE busy (a int)", database);
    const std::string psql = clientToolsFor(cluster.major()).tool("psql").string();
    const HeldUpPgDump pgDump(
        cluster, fmt::format("[ \"$('{}' -XAtc \"SELECT count(*) FROM pg_stat_activity WHERE"
                             " wait_event_type = 'Lock' AND application_name = 'meddler'\""
                             " '{}')\" = 1 ]",
                             psql, cluster.conninfo(database)));
    const TemporaryFolder folder;
    std::vector<std::string> changes{psql, "-Xq",
                                     cluster.conninfo(database) + " application_name=meddler"};
    for (int i = 0; i < 20; ++i) {
        // Each waits until the dump has the table again.
        changes.insert(changes.end(),
                       {"-c",
                        "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation ="
                        " 'busy'::regclass AND mode = 'AccessShareLock' AND granted AND"
                        " pid <> pg_backend_pid()) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$",
                        "-c", fmt::format("ALTER TABLE busy ADD b{} int", i)});
    }
    BackgroundTool meddler(changes);
    const ToolResult result = runDumpTool(cluster, database, folder / "out", pgDump.options());
    std::size_t anew = 0;
    for (std::size_t at = 0; (at = result.errors.find("begins anew", at)) != std::string::npos;
         ++at) {
        ++anew;
    }
    CHECK(anew == 11);
    CHECK_THAT(result.errors,
               EndsWith(" waits for this dump, and this dump for that session: neither can go on "
                        "(SQLSTATE 40P01). Run the dump again when that session is done, or end "
                        "that session first." +
                        std::string(kNothingLeft)));
    CHECK(result.exitCode == kFailed);
    meddler.signal(SIGKILL);
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a lock table that is too small: what to raise", "[faults]") {
    ClusterOptions options;
    options.settings = {"max_connections = 10", "max_locks_per_transaction = 10",
                        "max_prepared_transactions = 0"};
    const Cluster cluster(options);
    // No transaction could make so many tables there.
    cluster.execute(R"(DO $$ BEGIN
        FOR i IN 1..2000 LOOP
            EXECUTE format('CREATE TABLE t%s ()', i);
            COMMIT;
        END LOOP;
    END $$)");
    const TemporaryFolder folder;
    const ToolResult result = runDumpTool(cluster, "postgres", folder / "out");
    CHECK(result.errors ==
          "gantryctl: 2000 tables to lock: out of shared memory (SQLSTATE 53200)\n"
          "  The server's lock table is too small for so many: raise max_locks_per_transaction "
          "there, or dump schema by schema with -n.\n");
    CHECK(result.exitCode == kRefused);
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a server that has hardly a connection left gets fewer workers", "[faults]") {
    ClusterOptions options;
    options.settings = {"max_connections = 10", "superuser_reserved_connections = 3"};
    const Cluster cluster(options);
    cluster.execute("CREATE TABLE t (a int)");
    makeReader(cluster);
    cluster.execute("GRANT SELECT ON t TO reader");
    const TemporaryFolder folder;
    std::vector<pg::Connection> others;
    const auto occupy = [&](int count) {
        for (int i = 0; i < count; ++i) {
            others.push_back(pg::Connection::open(cluster.connection(), "other", {}));
        }
    };
    const Names asReader{"-U", "reader", "-j", "4"};

    SECTION("some") {
        occupy(3);  // of seven: four left, the coordinator's, pg_dump's and two workers'
        const ToolResult result = runDumpTool(cluster, "postgres", folder / "out", asReader);
        CHECK(result.errors ==
              "warning: the server has room for 3 more connections, one of which pg_dump needs: 2 "
              "instead of 4 workers\n");
        CHECK(result.exitCode == 0);
        return;
    }
    SECTION("too few") {
        occupy(5);
        const ToolResult result = runDumpTool(cluster, "postgres", folder / "out", asReader);
        CHECK(result.errors ==
              fmt::format("gantryctl: {}:{}/postgres: a dump needs three connections, and besides "
                          "the first the server has room for 1\n  Run it when fewer sessions are "
                          "there, or raise max_connections (or the CONNECTION LIMIT of the role or "
                          "the database).\n",
                          cluster.socketFolder().string(), cluster.port()));
        CHECK(result.exitCode == kRefused);
    }
    SECTION("none") {
        occupy(7);
        const ToolResult result = runDumpTool(cluster, "postgres", folder / "out", asReader);
        CHECK_THAT(result.errors,
                   ContainsSubstring("remaining connection slots are reserved for "));
        CHECK_THAT(result.errors, EndsWith("\n  Use fewer jobs (-j), or raise max_connections.\n"));
        CHECK(result.exitCode == kRefused);
    }
    SECTION("the role's own limit") {
        cluster.execute("ALTER ROLE reader CONNECTION LIMIT 3");
        const ToolResult result = runDumpTool(cluster, "postgres", folder / "out", asReader);
        CHECK(result.errors ==
              "warning: the server has room for 2 more connections, one of which pg_dump needs: 1 "
              "instead of 4 workers\n");
        CHECK(result.exitCode == 0);
        return;
    }
    CHECK(namesIn(folder.path()).empty());
}
