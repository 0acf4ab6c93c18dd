// SPDX-License-Identifier: PostgreSQL
// What a long statement writes is written out while it goes on, by the WAL writer.
#include "core/vacuum/wal_writer_waker.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "tests/server/dump/faults.h"
#include "tests/server/vacuum/vacuum_scene.h"
#include "tests/support/servers.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;

namespace {

std::optional<Duration> pauseOn(const Cluster& cluster) {
    pg::Connection connection =
        pg::Connection::open(cluster.connection(), "any", std::stop_token());
    return vacuum::pauseWorthIt(connection);
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
    const vacuum::WalWriterWaker waker(cluster.connection(), 1ms);
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
    CHECK(pauseOn(Cluster(wanted)) == 2097us);
    for (const char* setting : {"wal_level = logical", "log_statement = all", "log_duration = on",
                                "log_min_duration_statement = 0"}) {
        CAPTURE(setting);
        ClusterOptions watched = wanted;
        watched.settings.emplace_back(setting);
        CHECK(pauseOn(Cluster(watched)) == std::nullopt);
    }
}

TEST_CASE("with less than a file of WAL buffers the WAL writer is woken only if syncs are quick") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    ClusterOptions wanted = quietServer(major);
    wanted.settings.insert(wanted.settings.end(), {"wal_buffers = 15MB", "fsync = off"});
    CHECK(pauseOn(Cluster(wanted)) == 1966us);
    // As slow as a disk can be, whatever this one is.
    wanted.settings.insert(wanted.settings.end(),
                           {"fsync = on", "commit_delay = 20000", "commit_siblings = 0"});
    CHECK(pauseOn(Cluster(wanted)) == std::nullopt);
    wanted.settings.emplace_back("wal_buffers = 16MB");
    CHECK(pauseOn(Cluster(wanted)) == 2097us);
}

TEST_CASE("the WAL writer is woken for a large table, not for many small ones") {
    ClusterOptions wanted = quietServer();
    wanted.settings.insert(wanted.settings.end(), {"wal_buffers = 16MB", "log_connections = on"});
    const Cluster cluster(wanted);
    const auto fill = [&](const std::string& table, int pages) {
        cluster.execute(
            fmt::format("CREATE TABLE {0}(a text); ALTER TABLE {0} ALTER a SET STORAGE PLAIN;"
                        " INSERT INTO {0} SELECT repeat('x', 7000) FROM generate_series(1, {1})",
                        table, pages));
    };
    const auto woken = [&] {
        EventRecord record;
        runVacuum(vacuumOptions(cluster, "postgres"), record);
        CHECK(record.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
        return cluster.log().find("wakes the WAL writer") != std::string::npos;
    };
    for (int i = 0; i < 40; ++i) fill(fmt::format("small{}", i), 256);
    CHECK_FALSE(woken());
    fill("large", 9000);
    CHECK(woken());
}
