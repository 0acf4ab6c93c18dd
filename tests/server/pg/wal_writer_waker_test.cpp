// SPDX-License-Identifier: PostgreSQL
// What a long statement writes is written out while it goes on, by the WAL writer.
#include "core/pg/wal_writer_waker.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/restore/restore.h"
#include "tests/server/dump/faults.h"
#include "tests/server/dump/round_trip.h"
#include "tests/server/vacuum/vacuum_scene.h"
#include "tests/support/servers.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;

namespace {

/// Megabytes.
std::optional<uint64_t> wokenAfter(const Cluster& cluster) {
    pg::Connection connection =
        pg::Connection::open(cluster.connection(), "any", std::stop_token());
    const std::optional<uint64_t> bytes = pg::worthWaking(connection);
    if (!bytes) return std::nullopt;
    return *bytes >> 20;
}

}  // namespace

TEST_CASE("what a transaction under way writes does not wait for the WAL writer's next turn") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    ClusterOptions wanted = quietServer(major);
    wanted.settings.insert(wanted.settings.end(), {"wal_writer_delay = 10s", "wal_buffers = 64MB"});
    const Cluster cluster(wanted);
    cluster.execute("CREATE TABLE t(a text)");
    pg::Connection writer =
        pg::Connection::open(cluster.connection(), "one long transaction", std::stop_token());
    writer.execute("BEGIN");
    const pg::WalWriterWaker waker(cluster.connection(),
                                   {.application = "waker", .enough = uint64_t{1} << 20});
    for (int round = 0; round < 3; ++round) {
        writer.execute("INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 8000)");
        const std::string written = writer.query("SELECT pg_current_wal_insert_lsn()").string(0, 0);
        waitUntil(
            "nearly all of the 8 MB is written out",
            [&] {
                return cluster.value("SELECT pg_wal_lsn_diff('" + written +
                                     "', pg_current_wal_flush_lsn()) < 2000000") == "t";
            },
            5s);
    }
}

TEST_CASE(
    "the WAL writer is not woken where others may decode its WAL, or each statement is logged") {
    ClusterOptions wanted = quietServer();
    wanted.settings.emplace_back("wal_buffers = 16MB");
    CHECK(wokenAfter(Cluster(wanted)) == 2);
    for (const char* setting : {"wal_level = logical", "log_statement = all", "log_duration = on",
                                "log_min_duration_statement = 0"}) {
        CAPTURE(setting);
        ClusterOptions watched = wanted;
        watched.settings.emplace_back(setting);
        CHECK(wokenAfter(Cluster(watched)) == std::nullopt);
    }
}

TEST_CASE("with less than a file of WAL buffers the WAL writer is woken only if syncs are quick") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    ClusterOptions wanted = quietServer(major);
    wanted.settings.insert(wanted.settings.end(), {"wal_buffers = 15MB", "fsync = off"});
    CHECK(wokenAfter(Cluster(wanted)) == 1);
    // As slow as a disk can be, whatever this one is.
    wanted.settings.insert(wanted.settings.end(),
                           {"fsync = on", "commit_delay = 20000", "commit_siblings = 0"});
    CHECK(wokenAfter(Cluster(wanted)) == std::nullopt);
    wanted.settings.emplace_back("wal_buffers = 16MB");
    CHECK(wokenAfter(Cluster(wanted)) == 2);
}

TEST_CASE("a vacuum or a restore of a large table wakes the WAL writer, of many small ones not") {
    ClusterOptions wanted = quietServer();
    wanted.settings.insert(wanted.settings.end(), {"wal_buffers = 16MB", "log_connections = on"});
    const Cluster cluster(wanted);
    cluster.createDatabase("source");
    const auto fill = [&](const std::string& table, int pages) {
        cluster.execute(
            fmt::format("CREATE TABLE {0}(a text); ALTER TABLE {0} ALTER a SET STORAGE PLAIN;"
                        " INSERT INTO {0} SELECT repeat('x', 7500) FROM generate_series(1, {1})",
                        table, pages),
            "source");
    };
    const auto vacuumWakes = [&] {
        EventRecord record;
        runVacuum(vacuumOptions(cluster, "source"), record);
        CHECK(record.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
        return cluster.log().find("gantry vacuum: wakes the WAL writer") != std::string::npos;
    };
    int restores = 0;
    const auto restoreWakes = [&] {
        const TemporaryFolder folder;
        runDump(dumpOptions(cluster, "source", folder / "a", archive::Format::Directory, "lz4"));
        options::RestoreOptions options;
        const std::string target = fmt::format("target{}", restores++);
        cluster.createDatabase(target);
        options.connection = cluster.connection(target);
        options.archive = folder / "a";
        EventRecord record;
        restore::restore(options, record, {});
        CHECK(record.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo(target),
                          cluster.programs()) == "");
        return cluster.log().find("gantry restore: wakes the WAL writer") != std::string::npos;
    };
    // Long enough for whoever comes behind the workers.
    cluster.execute(
        "CREATE FUNCTION slow(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS"
        " 'BEGIN PERFORM pg_catalog.pg_sleep(1.5); RETURN $1; END';"
        "CREATE TABLE one AS SELECT 1 AS i; CREATE INDEX ON one (slow(i))",
        "source");
    for (int i = 0; i < 40; ++i) fill(fmt::format("small{}", i), 256);
    CHECK_FALSE(vacuumWakes());
    CHECK_FALSE(restoreWakes());
    fill("large", 9500);
    CHECK(vacuumWakes());
    CHECK(restoreWakes());
}

TEST_CASE("a restore goes on as well where the WAL writer may not be woken") {
    ClusterOptions wanted = quietServer();
    wanted.settings.emplace_back("wal_buffers = 1MB");  // so that syncs are to be timed
    const Cluster cluster(wanted);
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE large(a text); ALTER TABLE large ALTER a SET STORAGE PLAIN;"
        "INSERT INTO large SELECT repeat('x', 7500) FROM generate_series(1, 9500)",
        "source");
    const TemporaryFolder folder;
    runDump(dumpOptions(cluster, "source", folder / "a", archive::Format::Directory, "lz4"));
    cluster.execute("CREATE ROLE plain LOGIN");
    cluster.createDatabase("target", "OWNER plain");
    cluster.execute(
        "DO $$ BEGIN EXECUTE (SELECT string_agg('REVOKE EXECUTE ON FUNCTION '"
        " || oid::regprocedure || ' FROM PUBLIC', ';') FROM pg_proc"
        " WHERE proname = 'pg_logical_emit_message'); END $$",
        "target");
    options::RestoreOptions options;
    options.connection = cluster.connection("target");
    options.connection.user = "plain";
    options.content.noOwner = true;
    options.archive = folder / "a";
    EventRecord record;
    restore::restore(options, record, {});
    CHECK(record.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
    for (const auto& notice : record.all<events::Notice>()) {
        CHECK(notice.severity != events::Severity::Warning);
    }
    CHECK(cluster.value("SELECT count(*) FROM large", "target") == "9500");
}
