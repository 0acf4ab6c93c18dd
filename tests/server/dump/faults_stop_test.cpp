// SPDX-License-Identifier: PostgreSQL
// Dumps that are stopped from outside: Ctrl-C, SIGTERM, and kill -9.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/server/dump/faults.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

constexpr int kKilled = 128 + SIGKILL;
constexpr int kMegabytes = 20;
constexpr int kGateRow = 9'000;

void checkCancelled(const ToolResult& result) {
    CHECK_THAT(result.errors, StartsWith("Cancelled after "));
    CHECK_THAT(result.errors,
               EndsWith(". Nothing was left that could be taken for a whole dump.\n"));
    CHECK(result.exitCode == kCancelled);
    CHECK(result.output.empty());
}

}  // namespace

TEST_CASE("a signal in mid-table ends every session at once and leaves nothing", "[faults]") {
    const auto [number, format] = GENERATE(table<int, std::string>({
        {SIGINT, "d"},
        {SIGINT, "c"},
        {SIGINT, "t"},
        {SIGINT, "p"},
        {SIGTERM, "d"},
        {SIGHUP, "d"},
    }));
    CAPTURE(number, format);
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    Gate gate(cluster, gated.name());
    BackgroundTool dump(dumpCommand(cluster, gated.name(), folder / "out",
                                    GatedDatabase::options({"-j", "2", "-F", format})));
    (void)gate.waitForArrival("gantry dump: worker%");
    dump.signal(number);
    CHECK(sessionsEnd(cluster));
    checkCancelled(dump.wait());
    CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("Ctrl-C ends every session while compressors are at frames that take seconds",
          "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    cluster.execute(
        "CREATE TABLE noise AS SELECT md5(i::text) || md5((-i)::text) AS t"
        " FROM generate_series(1, 500000) i",
        database);
    const TemporaryFolder folder;
    BackgroundTool dump(dumpCommand(cluster, database, folder / "out",
                                    {"-j", "1", "-Z", "zstd:19", "--compress-jobs", "1"}));
    waitUntil("the first row", [&] {
        return cluster.value(
                   "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY%noise%'"
                   " AND application_name LIKE 'gantry dump%'") != "0";
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the reader is ahead by now
    dump.signal(SIGINT);
    CHECK(sessionsEnd(cluster));
    checkCancelled(dump.wait());
    CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("a second Ctrl-C right after the first changes nothing", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    Gate gate(cluster, gated.name());
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out", GatedDatabase::options({"-j", "2"})));
    (void)gate.waitForArrival("gantry dump: worker%");
    dump.signal(SIGINT);
    dump.signal(SIGINT);
    checkCancelled(dump.wait());
    CHECK(sessionsEnd(cluster));
    CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("Ctrl-C while pg_dump gathers definitions ends it too", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    const TemporaryFolder folder;
    // A catalog that only pg_dump reads.
    pg::Connection holder = pg::Connection::open(cluster.connection(database), "holder", {});
    holder.execute("BEGIN; LOCK TABLE pg_catalog.pg_ts_template");
    BackgroundTool dump(dumpCommand(cluster, database, folder / "out"));
    waitUntil("pg_dump at the lock", [&] {
        return cluster.value(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                   " AND application_name LIKE 'gantry dump: definitions%'") == "1";
    });
    dump.signal(SIGINT);
    CHECK(sessionsEnd(cluster));
    checkCancelled(dump.wait());
    CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("Ctrl-C before the dump has begun, while it waits for a lock", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    cluster.execute("CREATE TABLE busy (a int)", database);
    const TemporaryFolder folder;
    pg::Connection holder = pg::Connection::open(cluster.connection(database), "holder", {});
    holder.execute("BEGIN; LOCK TABLE busy");
    BackgroundTool dump(dumpCommand(cluster, database, folder / "out"));
    waitUntil("the coordinator at the lock", [&] {
        return cluster.value(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                   " AND application_name = 'gantry dump: coordinator'") == "1";
    });
    dump.signal(SIGINT);
    CHECK(sessionsEnd(cluster));
    const ToolResult result = dump.wait();
    CHECK(result.errors == "gantryctl: cancelled\n");
    CHECK(result.exitCode == kCancelled);
    CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("after kill -9 the next run says what it found, removes it and goes on", "[faults]") {
    const auto [format, codec] = GENERATE(
        table<std::string, std::string>({{"d", "gzip:1"}, {"c", "gzip:1"}, {"t", "none"}}));
    CAPTURE(format);
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    Gate gate(cluster, gated.name());
    const std::vector<std::string> command =
        dumpCommand(cluster, gated.name(), folder / "out",
                    GatedDatabase::options({"-j", "2", "-F", format, "-Z", codec}));
    BackgroundTool dump(command);
    (void)gate.waitForArrival("gantry dump: worker%");

    SECTION("another run while it lives is refused") {
        const ToolResult second = runTool(command);
        CHECK(second.errors ==
              fmt::format("gantryctl: {}: another run is writing this archive right now\n"
                          "  Wait until it ends or choose another path.\n",
                          (folder / "out").string()));
        CHECK(second.exitCode == kRefused);
        gate.open();
        CHECK(dump.wait().exitCode == 0);
        CHECK(restoredContent(cluster, folder / "out", gated.name() + "_copy") ==
              contentOf(cluster, gated.name()));
    }
    SECTION("killed") {
        dump.signal(SIGKILL);
        CHECK(dump.wait().exitCode == kKilled);
        gate.open();
        // The sessions notice when they have something to send.
        waitUntil("the end of the killed run's sessions",
                  [&] { return dumpSessions(cluster).empty(); });
        CHECK(namesIn(folder.path()) == Names{"out.partial"});
        const ToolResult read =
            runTool({gantryctl().string(), "verify", (folder / "out.partial").string()});
        CAPTURE(read.describe());
        CHECK(read.exitCode != 0);
        const ToolResult next = runTool(command);
        CHECK_THAT(next.errors,
                   StartsWith(fmt::format("warning: Removed {}, which a run that was killed had "
                                          "left behind (",
                                          (folder / "out.partial").string())));
        CHECK(next.exitCode == 0);
        CHECK(restoredContent(cluster, folder / "out", gated.name() + "_copy") ==
              contentOf(cluster, gated.name()));
    }
    SECTION("something else of that name") {
        dump.signal(SIGKILL);
        (void)dump.wait();
        gate.open();
        fs::remove_all(folder / "out.partial");
        fs::create_directory(folder / "out.partial");
        std::ofstream(folder / "out.partial" / "precious") << "keep me";
        const ToolResult next = runTool(command);
        CHECK(next.errors ==
              fmt::format("gantryctl: {}: it is in the way and does not look like an archive that "
                          "was being written\n  Move it away or choose another path, then run it "
                          "again.\n",
                          (folder / "out.partial").string()));
        CHECK(next.exitCode == kRefused);
        CHECK(namesIn(folder / "out.partial") == Names{"precious"});
    }
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a session whose statement was given up can be used, and tells its own end", "[faults]") {
    const Cluster& cluster = sharedCluster();
    std::stop_source stop;
    pg::Connection connection = pg::Connection::open(cluster.connection(), "given up", {});
    const auto giveUp = [&](const std::string& statement) {
        stop = {};
        connection.stopOn(stop.get_token());
        stop.request_stop();
        try {
            connection.execute(statement);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Cancelled);
        }
        connection.stopOn({});
    };
    giveUp("SELECT pg_sleep(60)");
    CHECK(connection.query("SELECT 1").string(0, 0) == "1");
    connection.beginCopyOut("COPY (SELECT generate_series(1, 1000000)) TO STDOUT");
    REQUIRE(connection.nextCopyRow());
    CHECK(connection.query("SELECT $1::text", {"2"}).string(0, 0) == "2");

    giveUp("SELECT pg_sleep(60)");
    endSession(cluster, connection.backendPid());
    try {
        connection.execute("SELECT");
        FAIL("it is over");
    } catch (const Error& error) {
        CHECK(error.retryable());
        CHECK(error.info().message.find("another command") == std::string::npos);
    }
}
