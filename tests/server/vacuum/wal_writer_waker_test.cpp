// SPDX-License-Identifier: PostgreSQL
// What a long statement writes is written out while it goes on, by the WAL writer.
#include "core/vacuum/wal_writer_waker.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "tests/server/dump/faults.h"
#include "tests/server/vacuum/vacuum_scene.h"
#include "tests/support/servers.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;

namespace {

constexpr uint32_t kNobody = 0;

bool isThere(const Cluster& cluster) {
    return cluster.value(
               "SELECT count(*) FROM pg_stat_activity"
               " WHERE application_name LIKE '%wakes the WAL writer'") == "1";
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
    vacuum::WalWriterWaker waker(cluster.connection(), kNobody, {});
    waker.start();
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

TEST_CASE("nothing is put into a WAL that others may decode, nor thousands of lines into a log") {
    ClusterOptions roomy = quietServer();
    roomy.settings.emplace_back("wal_buffers = 16MB");
    const Cluster plain(roomy);
    vacuum::WalWriterWaker waker(plain.connection(), kNobody, {});
    waker.start();
    CHECK(isThere(plain));
    for (const char* setting : {"wal_level = logical", "log_statement = all", "log_duration = on",
                                "log_min_duration_statement = 0"}) {
        CAPTURE(setting);
        ClusterOptions wanted = roomy;
        wanted.settings.emplace_back(setting);
        wanted.settings.emplace_back("log_connections = on");
        const Cluster watched(wanted);
        vacuum::WalWriterWaker silent(watched.connection(), kNobody, {});
        silent.start();
        CHECK(watched.log().find("wakes the WAL writer") != std::string::npos);
        CHECK(watched.log().find("pg_logical_emit_message") == std::string::npos);
        waitUntil("it has left", [&] { return !isThere(watched); });
    }
    CHECK(isThere(plain));
}

TEST_CASE("where no disk syncs sooner than the WAL buffers are full, nobody wakes the WAL writer") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    ClusterOptions wanted = quietServer(major);
    wanted.settings.emplace_back("wal_buffers = 32kB");  // in 8 us
    const Cluster cluster(wanted);
    vacuum::WalWriterWaker waker(cluster.connection(), kNobody, {});
    waker.start();
    waitUntil("it has left", [&] { return !isThere(cluster); });
}

TEST_CASE("who wakes the WAL writer leaves connections to those who work") {
    ClusterOptions wanted = quietServer();
    wanted.settings.insert(wanted.settings.end(), {"wal_buffers = 16MB", "max_connections = 10"});
    const Cluster cluster(wanted);
    vacuum::WalWriterWaker modest(cluster.connection(), 10, {});
    modest.start();
    waitUntil("it has left", [&] { return !isThere(cluster); });
    vacuum::WalWriterWaker waker(cluster.connection(), 5, {});
    waker.start();
    CHECK(isThere(cluster));
}
