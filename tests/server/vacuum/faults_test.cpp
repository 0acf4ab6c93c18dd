// SPDX-License-Identifier: PostgreSQL
// Tables that others have locked, that are dropped meanwhile or that are not ours; a standby; a
// backend that is ended; Ctrl-C.
#include "tests/server/dump/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "core/vacuum/vacuum.h"
#include "tests/server/vacuum/vacuum_scene.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Words = std::vector<std::string>;

namespace {

constexpr int kFinishedWithErrors = 1;
constexpr const char* kSessions = "gantry vacuum%";

/// A session that has a table for itself.
pg::Connection hold(const Cluster& cluster, const std::string& table) {
    pg::Connection holder =
        pg::Connection::open(cluster.connection(), "somebody else", std::stop_token());
    holder.execute("BEGIN; LOCK TABLE " + table);
    return holder;
}

int statementsThatWait(const Cluster& cluster) {
    return std::stoi(
        cluster.value("SELECT count(*) FROM pg_stat_activity WHERE application_name"
                      " LIKE 'gantry vacuum: worker%' AND wait_event_type = 'Lock'"));
}

/// Vacuums a, b and c in this order over one connection, and executes `sql` while it waits for a.
void vacuumMeanwhile(const Cluster& cluster, const std::string& sql, EventRecord& record) {
    makeDirty(cluster, "postgres", "a", 20000);
    makeDirty(cluster, "postgres", "b", 4000);
    makeDirty(cluster, "postgres", "c", 1000);
    std::optional<pg::Connection> holder = hold(cluster, "a");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"a", "b", "c"};
    options.jobs = 1;
    std::jthread run([&] { runVacuum(options, record); });
    waitUntil("it waits", [&] { return statementsThatWait(cluster) == 1; });
    cluster.execute(sql);
    holder.reset();
    run.join();
}

bool workerRuns(const Cluster& cluster) {
    return cluster.value("SELECT count(*) FROM pg_stat_progress_vacuum") != "0";
}

}  // namespace

TEST_CASE("a locked table is left out as told, and it is said who has it") {
    const Cluster cluster(quietServer(GENERATE(13, 18)));
    // What is left out is told by a warning, which must not be suppressed.
    cluster.execute("ALTER ROLE postgres SET client_min_messages = error");
    makeDirty(cluster, "postgres", "a", 1000);
    makeDirty(cluster, "postgres", "b", 1000);
    const pg::Connection holder = hold(cluster, "a");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"a", "b"};
    options.work.skipLocked = true;
    EventRecord record;
    runVacuum(options, record);
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.outcome == events::Outcome::Clean);
    CHECK(end.relations == 1);
    CHECK(end.rows == 100);
    CHECK(noticeThatBegins(record, "public.a is left out") ==
          fmt::format("public.a is left out: session {} (postgres, idle in transaction: BEGIN; "
                      "LOCK TABLE a) has it locked",
                      holder.backendPid()));
}

TEST_CASE(
    "of two tables with one name, in one statement, the one that is left out is not counted") {
    const Cluster cluster(quietServer());
    cluster.execute(
        "CREATE SCHEMA one; CREATE SCHEMA two; CREATE TABLE one.t(); CREATE TABLE two.t()");
    constexpr int kOthers = 20;  // so that tables share statements
    for (int i = 0; i < kOthers; ++i) cluster.execute(fmt::format("CREATE TABLE one.t{}()", i));
    const pg::Connection holder = hold(cluster, "one.t");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"one", "two"};
    options.work.skipLocked = true;
    options.jobs = 1;
    EventRecord record;
    runVacuum(options, record);
    CHECK_FALSE(noticeThatBegins(record, "one.t is left out").empty());
    CHECK(record.all<events::RunFinished>().at(0).relations == kOthers + 1);
}

TEST_CASE("what keeps the database's age is told, and by how much") {
    const Cluster cluster(quietServer());
    for (const char* table : {"a", "b"}) makeDirty(cluster, "postgres", table, 1000);
    std::optional<pg::Connection> holder = hold(cluster, "a");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.work.freeze = true;
    options.work.skipLocked = true;
    const auto told = [&] {
        EventRecord record;
        runVacuum(options, record);
        return noticeThatBegins(record, "public.a was not vacuumed");
    };
    CHECK_THAT(told(), EndsWith("transactions behind, and with it the database's."));
    options.selection.tables = {"a", "b"};
    CHECK_THAT(told(), EndsWith("transactions behind."));
}

TEST_CASE("an index that a session builds anew is nobody's leftover") {
    const Cluster cluster(quietServer());
    cluster.execute("CREATE TABLE t(a int); CREATE INDEX t_a ON t(a)");
    pg::Connection writer = pg::Connection::open(cluster.connection(), "writer", {});
    writer.execute("BEGIN; INSERT INTO t VALUES (1)");
    std::jthread rebuild([&cluster] {
        pg::Connection session = pg::Connection::open(cluster.connection(), "builder", {});
        session.execute("REINDEX INDEX CONCURRENTLY t_a");
    });
    const std::string copies =
        "SELECT count(*) FROM pg_class WHERE relname = 't_a_ccnew' AND relkind = 'i'";
    waitUntil("its copy is there", [&] { return cluster.value(copies) == "1"; });
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.work.reindexConcurrently = true;
    EventRecord record;
    runVacuum(options, record);
    CHECK(record.all<events::RunFinished>().at(0).relations == 0);
    CHECK(cluster.value(copies) == "1");
    writer.execute("COMMIT");
    rebuild.join();
    CHECK(cluster.value("SELECT indisvalid FROM pg_index WHERE indexrelid = 't_a'::regclass") ==
          "t");
}

TEST_CASE("a locked table is waited for, and it is said for whom") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "a", 1000);
    std::optional<pg::Connection> holder = hold(cluster, "a");
    const std::string session = fmt::format(
        "session {} (postgres, idle in transaction: BEGIN; LOCK TABLE a)", holder->backendPid());
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"a"};
    EventRecord record;
    std::jthread run([&] { runVacuum(options, record); });
    waitUntil("it waits", [&] { return statementsThatWait(cluster) == 1; });
    std::this_thread::sleep_for(1500ms);  // until it has been seen
    holder.reset();
    run.join();
    CHECK(noticeThatBegins(record, "a worker waits") ==
          "a worker waits for public.a, which " + session + " holds or wants");
    const std::vector<events::WorkerIdle> idles = record.all<events::WorkerIdle>();
    const auto isLock = [](const auto& idle) { return idle.cause == events::IdleCause::Lock; };
    const auto waits = std::find_if(idles.begin(), idles.end(), isLock);
    REQUIRE(waits != idles.end());
    CHECK(waits->on == "public.a, " + session);
    CHECK(record.all<events::RunFinished>().at(0).rows == 100);
}

TEST_CASE(
    "time limits of a database end no vacuum that waits, and no worker that has nothing to do") {
    const Cluster cluster(quietServer());
    for (const char* table : {"a", "b"}) makeDirty(cluster, "postgres", table, 1000);
    std::optional<pg::Connection> holder = hold(cluster, "a");
    cluster.execute("ALTER DATABASE postgres SET lock_timeout = '100ms'");
    if (cluster.major() >= 14) {
        cluster.execute("ALTER DATABASE postgres SET idle_session_timeout = '100ms'");
    }
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"a", "b"};
    options.jobs = 2;
    EventRecord record;
    std::jthread run([&] { runVacuum(options, record); });
    waitUntil("it waits", [&] { return statementsThatWait(cluster) == 1; });
    std::this_thread::sleep_for(300ms);  // beyond both limits
    holder.reset();
    run.join();
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.outcome == events::Outcome::Clean);
    CHECK(end.relations == 2);
}

TEST_CASE("a table that is dropped meanwhile is no error") {
    const Cluster cluster(quietServer());
    EventRecord record;
    vacuumMeanwhile(cluster, "DROP TABLE b", record);
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.outcome == events::Outcome::Clean);
    CHECK(end.relations == 2);
    CHECK(noticeThatBegins(record, "public.b") ==
          "public.b is not there any more: it was dropped meanwhile");
}

TEST_CASE("a table that is renamed meanwhile is not taken for one that is gone") {
    const Cluster cluster(quietServer());
    EventRecord record;
    vacuumMeanwhile(
        cluster, "CREATE SCHEMA old; ALTER TABLE b SET SCHEMA old; ALTER TABLE old.b RENAME TO z",
        record);
    const auto errors = record.all<events::ErrorIgnored>();
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].error.object == "public.b");
    CHECK_THAT(errors[0].error.message, ContainsSubstring("renamed meanwhile, to old.z"));
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.outcome == events::Outcome::CompletedWithErrors);
    CHECK(end.relations == 2);
}

TEST_CASE("without rights a table is an error, and the others are vacuumed") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "theirs", 1000);
    makeDirty(cluster, "postgres", "ours", 1000);
    makeReader(cluster);
    cluster.execute("ALTER TABLE ours OWNER TO reader");
    Words words = vacuumCommand(cluster, "postgres", {"-n", "public"});
    *std::find(words.begin(), words.end(), "postgres") = "reader";
    const ToolResult result = runTool(words);
    INFO(result.describe());
    CHECK(result.exitCode == kFinishedWithErrors);
    CHECK_THAT(result.output, ContainsSubstring("finished, but with 1 error on the way"));
    CHECK_THAT(result.output,
               ContainsSubstring("you may not vacuum or analyze it. Run it as its owner or a "
                                 "superuser, or be granted MAINTAIN on it (from version 17 on).\n  "
                                 "    public.theirs\n"));
    CHECK_THAT(result.output, ContainsSubstring("Removed:  100 dead rows"));
}

TEST_CASE("a plan by itself wants rights only where it would do something") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "theirs", 20000);
    cluster.execute("CREATE TABLE idle(i int)");
    makeReader(cluster);
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.connection.user = "reader";
    options.selection.schemas = {"public"};
    options.plan = "auto";
    SECTION("in a dry run") {
        options.dryRun = true;
        EventRecord record;
        vacuum::vacuum(options, record, {});
        CHECK(record.all<events::ErrorIgnored>().empty());
        const auto notices = record.all<events::Notice>();
        CHECK(std::any_of(notices.begin(), notices.end(), [](const events::Notice& notice) {
            return notice.message.starts_with("You may not vacuum or analyze public.theirs. ");
        }));
    }
    SECTION("in a run") {
        EventRecord record;
        vacuum::vacuum(options, record, {});
        std::vector<std::string> objects;
        for (const auto& ignored : record.all<events::ErrorIgnored>()) {
            objects.push_back(ignored.error.object);
        }
        CHECK(objects == std::vector<std::string>{"public.theirs"});
    }
}

TEST_CASE("where the server has one session for us, that one does all of it") {
    const Cluster cluster(quietServer());
    cluster.execute(
        "CREATE ROLE lonely LOGIN CONNECTION LIMIT 1; GRANT ALL ON SCHEMA public TO PUBLIC");
    cluster.execute(
        "SET ROLE lonely; CREATE TABLE a(i int PRIMARY KEY);"
        "INSERT INTO a SELECT generate_series(1, 1000); DELETE FROM a WHERE i > 900");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.connection.user = "lonely";
    options.selection.tables = {"a"};
    options.jobs = 2;
    EventRecord record;
    runVacuum(options, record);
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.outcome == events::Outcome::Clean);
    CHECK(end.rows == 100);
}

TEST_CASE("a standby is refused") {
    ClusterOptions options = quietServer();
    options.settings.emplace_back("wal_level = replica");
    Cluster cluster(options);
    cluster.stop();
    std::ofstream(cluster.dataFolder() / "standby.signal").close();
    cluster.start();
    const ToolResult result = runTool(vacuumCommand(cluster, "postgres"));
    CHECK(result.exitCode == kRefused);
    CHECK(result.errors ==
          "gantryctl: the server is a standby: it takes over what is vacuumed on its primary\n"
          "  Connect to the primary.\n");
}

TEST_CASE("a backend that is ended costs time only") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "t", 40000);
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"t"};
    slowDown(options);
    EventRecord record;
    std::jthread run([&] { runVacuum(options, record); });
    waitUntil("half of the rows are removed", [&] {
        return cluster.value(
                   "SELECT count(*) FROM pg_stat_progress_vacuum"
                   " WHERE heap_blks_scanned * 2 > heap_blks_total") != "0";
    });
    cluster.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'gantry vacuum: worker 1' OR"
        " application_name = 'gantry vacuum: worker 2'");
    run.join();
    CHECK(record.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
    const auto failures = record.all<events::TaskFailed>();
    REQUIRE(!failures.empty());
    CHECK(failures[0].retried);
    CHECK(record.all<events::VacuumOutcome>().at(0).rowsRemoved == 4000);
    CHECK(cluster.value("SELECT relallvisible > 0 FROM pg_class WHERE relname = 't'") == "t");
}

TEST_CASE("a statement that somebody cancels is an error of that table alone") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "t", 40000);
    makeDirty(cluster, "postgres", "u", 1000);
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"t", "u"};
    slowDown(options);
    EventRecord record;
    std::jthread run([&] { runVacuum(options, record); });
    waitUntil("it works", [&] { return workerRuns(cluster); });
    cluster.execute(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_progress_vacuum"
        " WHERE relid = 't'::regclass");
    run.join();
    CHECK(record.all<events::RunFinished>().at(0).outcome == events::Outcome::CompletedWithErrors);
    const auto ignored = record.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 1);
    CHECK(ignored[0].error.object == "public.t");
    CHECK(ignored[0].error.message == "canceling statement due to user request");
}

TEST_CASE("who cancels the statement of several tables is not overridden table by table") {
    const Cluster cluster(quietServer());
    for (int i = 0; i < 16; ++i) makeDirty(cluster, "postgres", fmt::format("t{}", i), 100);
    std::optional<pg::Connection> holder = hold(cluster, "t0");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    options.jobs = 1;  // two tables in a statement
    EventRecord record;
    std::jthread run([&] { runVacuum(options, record); });
    waitUntil("it waits", [&] { return statementsThatWait(cluster) == 1; });
    cluster.execute(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
        " WHERE query LIKE 'VACUUM%' AND state = 'active'");
    run.join();
    const auto ignored = record.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 1);
    CHECK_THAT(ignored[0].error.object, ContainsSubstring(" and 1 more"));
    CHECK(ignored[0].error.message == "canceling statement due to user request");
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.outcome == events::Outcome::CompletedWithErrors);
    CHECK(end.relations == 14);
}

TEST_CASE("Ctrl-C ends a vacuum within two seconds and leaves no backend") {
    ClusterOptions wanted = quietServer();
    wanted.settings.emplace_back("wal_buffers = 16MB");
    const Cluster cluster(wanted);
    makeDirty(cluster, "postgres", "t", 400000);  // enough for who wakes the WAL writer
    BackgroundTool tool(vacuumCommand(
        cluster, "postgres", {"-t", "t", "-P", "2", "--cost-delay", "20", "--cost-limit", "20"}));
    waitUntil("it works", [&] {
        return workerRuns(cluster) && dumpSessions(cluster, "%wakes the WAL writer").size() == 1;
    });
    const auto began = std::chrono::steady_clock::now();
    tool.signal(SIGINT);
    const ToolResult result = tool.wait();
    CHECK(std::chrono::steady_clock::now() - began < 2s);
    CHECK(result.exitCode == kCancelled);
    CHECK_THAT(result.errors, ContainsSubstring("Cancelled after "));
    waitUntil(
        "its sessions end", [&] { return dumpSessions(cluster, kSessions).empty(); }, 2s);
    CHECK(cluster.value("SELECT count(*) FROM pg_stat_activity"
                        " WHERE backend_type = 'parallel worker'") == "0");
}

TEST_CASE("an index build that is ended leaves no half of it") {
    const Cluster cluster(quietServer());
    cluster.execute(
        "CREATE TABLE t(id int, a int); INSERT INTO t SELECT g, g FROM generate_series(1, 700000) "
        "g; CREATE INDEX t_a ON t(a); DELETE FROM t WHERE id % 10 <> 0");
    cluster.execute("VACUUM ANALYZE t");
    // It waits for this transaction once its copy is built.
    std::optional<pg::Connection> other =
        pg::Connection::open(cluster.connection(), "somebody else", std::stop_token());
    other->execute("BEGIN; SELECT count(*) FROM t");
    BackgroundTool tool(vacuumCommand(cluster, "postgres", {"--reindex-concurrently"}));
    waitUntil("it waits", [&] { return statementsThatWait(cluster) == 1; });
    tool.signal(SIGINT);
    waitUntil(
        "the copy is dropped or told", [&] { return tool.ended(); }, 5s);
    const ToolResult result = tool.wait();
    CHECK(result.exitCode == kCancelled);
    const bool left = cluster.value(
                          "SELECT count(*) FROM pg_class WHERE relname LIKE "
                          "'t\\_a\\_ccnew%'") != "0";
    if (left) {
        CHECK_THAT(result.errors,
                   ContainsSubstring("An unfinished copy of index public.t_a may be left as "));
    }
    other.reset();
    EventRecord record;
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.work.reindexConcurrently = true;
    runVacuum(options, record);
    CHECK(cluster.value("SELECT count(*) FROM pg_class WHERE relname LIKE 't\\_a%'") == "1");
}
