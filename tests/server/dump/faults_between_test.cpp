// SPDX-License-Identifier: PostgreSQL
// Servers that are not simply one server: poolers, balancers and standbys.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/server/dump/faults.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/relay.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

Names through(const Relay& relay, Names more = {}) {
    more.insert(more.end(), {"-h", relay.host(), "-p", "5432"});
    return more;
}

}  // namespace

TEST_CASE("a pooler in between is refused: behind it no snapshot can be shared", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    const Relay relay(
        {.server = [&](int) { return socketPath(cluster.socketFolder(), cluster.port()); },
         .hidesProcess = true});
    const TemporaryFolder folder;
    const ToolResult result = runDumpTool(cluster, database, folder / "out", through(relay));
    CHECK(
        result.errors ==
        fmt::format("gantryctl: {}:5432/{}: a connection pooler stands between us and the server: "
                    "a snapshot cannot be shared through it\n  Connect to the server itself, not "
                    "to a pooler or balancer in front of it (check host and port).\n",
                    relay.host(), database));
    CHECK(result.exitCode == kRefused);
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("something in between that only hands bytes on does no harm", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    const Relay relay(
        {.server = [&](int) { return socketPath(cluster.socketFolder(), cluster.port()); },
         .hidesProcess = false});
    const TemporaryFolder folder;
    CHECK(runDumpTool(cluster, database, folder / "out", through(relay)).exitCode == 0);
}

TEST_CASE("a worker whose connection is cut takes up again what it read", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, 20, 9'000);
    Gate gate(cluster, gated.name());
    Relay relay({.server = [&](int) { return socketPath(cluster.socketFolder(), cluster.port()); },
                 .hidesProcess = false});
    const TemporaryFolder folder;
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out",
                    GatedDatabase::options(through(relay, {"-j", "1", "-Z", "none"}))));
    const int first = gate.waitForArrival("gantry dump: worker%");
    waitUntil("the end of pg_dump",
              [&] { return dumpSessions(cluster, "gantry dump: definitions%").empty(); });
    relay.cut();
    waitUntil("another session",
              [&] { return dumpSessions(cluster, "gantry dump: worker%").size() == 2; });
    endSession(cluster, first);
    (void)gate.waitForArrival("gantry dump: worker%");
    gate.open();
    const ToolResult result = dump.wait();
    CHECK_THAT(result.errors,
               StartsWith("trying again: public.big: server closed the connection unexpectedly"));
    CHECK(result.exitCode == 0);
    CHECK(restoredContent(cluster, folder / "out", gated.name() + "_copy") ==
          contentOf(cluster, gated.name()));
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a balancer that sends each connection to another server is found out", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const Cluster other;
    const std::string database = freshDatabase(cluster);
    cluster.execute("CREATE TABLE t AS SELECT generate_series(1, 100) AS a", database);
    other.createDatabase(database);
    const Relay relay({.server =
                           [&](int number) {
                               return number == 0
                                          ? socketPath(cluster.socketFolder(), cluster.port())
                                          : socketPath(other.socketFolder(), other.port());
                           },
                       .hidesProcess = false});
    const TemporaryFolder folder;
    const ToolResult result =
        runDumpTool(cluster, database, folder / "out", through(relay, {"-j", "2"}));
    // Worker and pg_dump both notice; the first is told.
    CHECK_THAT(result.errors, ContainsSubstring("snapshot"));
    CHECK_THAT(
        result.errors,
        EndsWith(". Connect to the server itself, not to a pooler or balancer in front of it "
                 "(check host and port)." +
                 std::string(kNothingLeft)));
    CHECK(result.exitCode == kFailed);
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
    CHECK(sessionsEnd(other));
}

TEST_CASE("a standby is dumped like its primary, but for unlogged rows", "[faults]") {
    ClusterOptions options;
    options.settings = {"wal_level = replica", "max_wal_senders = 4"};
    const Cluster primary(options);
    primary.execute(R"(
        CREATE TABLE big AS SELECT i AS id, md5(i::text) AS filler FROM generate_series(1, 5000) i;
        CREATE TABLE small AS SELECT generate_series(1, 10) AS id;
        CREATE UNLOGGED TABLE fleeting AS SELECT generate_series(1, 10) AS id)");
    ClusterOptions copied;
    copied.start = false;
    Cluster standby(copied);
    // Its files as the primary's are now, its own place, and nothing to follow.
    fs::remove_all(standby.dataFolder());
    runToolOk({primary.tool("pg_basebackup"), "-D", standby.dataFolder().string(), "-c", "fast",
               "-X", "stream", "--no-sync"},
              primary.environment());
    std::ofstream(standby.dataFolder() / "standby.signal").close();
    runToolOk({"chown", "-R", "--reference=" + standby.socketFolder().string(),
               standby.dataFolder().string()});
    standby.configure(
        {fmt::format("unix_socket_directories = '{}'", standby.socketFolder().string())});
    standby.start();
    REQUIRE(standby.value("SELECT pg_is_in_recovery()") == "t");

    const TemporaryFolder folder;
    SECTION("whole") {
        const ToolResult result =
            runDumpTool(standby, "postgres", folder / "out", {"-j", "2", "-Z", "gzip:1"});
        CAPTURE(result.describe());
        CHECK(result.exitCode == 0);
        CHECK_THAT(result.errors, ContainsSubstring("a standby has no rows of unlogged tables, so "
                                                    "the dump has none of public.fleeting"));
        CHECK_THAT(result.output, ContainsSubstring("2 tables, 5,010 rows\n"));
        CHECK(restoredContent(primary, folder / "out") == contentOf(primary, "postgres"));
        CHECK(primary.value("SELECT count(*) FROM fleeting", "copy") == "0");
    }
    SECTION("without those rows, as told") {
        for (const char* option :
             {"--schema-only", "--no-unlogged-table-data", "--exclude-table-data=fleeting"}) {
            const ToolResult result =
                runDumpTool(standby, "postgres", folder / option, {"-j", "2", option});
            CAPTURE(result.describe());
            CHECK(result.exitCode == 0);
            CHECK(result.errors.empty());
        }
    }
    SECTION("what it cannot do") {
        const ToolResult result =
            runDumpTool(standby, "postgres", folder / "out", {"--serializable-deferrable"});
        CHECK(result.errors ==
              fmt::format("gantryctl: {}:{}/postgres: --serializable-deferrable does not work on a "
                          "standby server\n  Leave the option out, or dump from the primary.\n",
                          standby.socketFolder().string(), standby.port()));
        CHECK(result.exitCode == kRefused);
        CHECK(namesIn(folder.path()).empty());
    }
    CHECK(sessionsEnd(standby));
}
