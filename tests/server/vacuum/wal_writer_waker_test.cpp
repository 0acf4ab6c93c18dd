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
    const vacuum::WalWriterWaker waker(cluster.connection());
    for (int round = 0; round < 3; ++round) {
        writer.execute("INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 8000)");
        const std::string written = writer.query("SELECT pg_current_wal_insert_lsn()").string(0, 0);
        waitUntil(
            "nearly all of the 8 MB is written out",
            [&] {
                return cluster.value("SELECT pg_wal_lsn_diff('" + written +
                                     "', pg_current_wal_flush_lsn()) < 2000000") == "t";
            },
            2s);
    }
}

TEST_CASE("nothing is put into a WAL that others may decode") {
    ClusterOptions wanted = quietServer();
    wanted.settings.emplace_back("wal_level = logical");
    const Cluster decoded(wanted);
    const vacuum::WalWriterWaker silent(decoded.connection());
    const Cluster plain(quietServer());
    const vacuum::WalWriterWaker waker(plain.connection());
    // Both begin at once: by the time that one is at work, the other would be, too.
    waitUntil("one is at work", [&] { return isThere(plain); });
    waitUntil("the other has gone", [&] { return !isThere(decoded); });
    CHECK(isThere(plain));
}
