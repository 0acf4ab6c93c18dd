// SPDX-License-Identifier: PostgreSQL
// Sessions that end in the middle of a dump: a worker's is replaced and what it read is taken up
// again under the same snapshot; without the coordinator's the run fails and leaves nothing.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <optional>

#include "tests/server/dump/faults.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

constexpr int kBigMegabytes = 40;  // several frames, and with three jobs two chunks
constexpr int kMidBigRow = 23'000;

void checkFailed(const ToolResult& result, const std::string& reason) {
    CHECK_THAT(result.errors, ContainsSubstring(reason + std::string(kNothingLeft)));
    CHECK(result.exitCode == kFailed);
    CHECK(result.output.empty());
}

uintmax_t largestMember(const fs::path& folder) {
    uintmax_t largest = 0;
    for (const auto& entry : fs::directory_iterator(folder / "out.partial")) {
        largest = std::max(largest, entry.file_size());
    }
    return largest;
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("a worker's session that is ended in mid-table costs no row and doubles none",
          "[faults]") {
    // Server 13 cannot read a range of rows: a table is one task there.
    const auto [major, format, jobs, codec, binary] =
        GENERATE(table<int, std::string, std::string, std::string, bool>({
            {13, "d", "3", "none", true},
            {0, "d", "1", "none", true},
            {0, "d", "3", "gzip:1", true},
            {0, "d", "3", "gzip:1", false},
            {0, "c", "3", "gzip:1", true},
            {0, "t", "3", "none", true},
            {0, "p", "1", "none", false},
        }));
    CAPTURE(major, format, jobs, codec, binary);
    std::optional<Cluster> old;
    if (major != 0) old.emplace(major);
    const Cluster& cluster = old ? *old : sharedCluster();
    const GatedDatabase gated(cluster, kBigMegabytes, kMidBigRow);
    const TemporaryFolder folder;
    const fs::path target = folder / (format == "p" ? "out.sql" : "out");
    Gate gate(cluster, gated.name());
    std::vector<std::string> options{"-F", format, "-j", jobs, "-Z", codec};
    if (!binary) options.emplace_back("--no-binary");
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), target, GatedDatabase::options(options)));
    const int first = gate.waitForArrival("gantry dump: worker%");
    CHECK(cluster.value(fmt::format(
              "SELECT query LIKE '%(FORMAT binary)' FROM pg_stat_activity WHERE pid = {}",
              first)) == (binary ? "t" : "f"));
    if (format == "d") {  // frames that must not come twice are in the archive already
        waitUntil("frames of the table", [&] { return largestMember(folder.path()) > 0; });
    }
    endSession(cluster, first);
    endSession(cluster, gate.waitForArrival("gantry dump: worker%"));
    (void)gate.waitForArrival("gantry dump: worker%");
    gate.open();

    const ToolResult result = dump.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == 0);
    const std::string again =
        "trying again: public.big: terminating connection due to administrator command "
        "(SQLSTATE 57P01)\n";
    CHECK(countOf(result.errors, again) == 2);
    CHECK_THAT(result.output, ContainsSubstring("2 tables, 25,010 rows\n"));
    CHECK(runTool({gantryctl().string(), "verify", target.string()}).exitCode == 0);
    CHECK(restoredContent(cluster, target, gated.name() + "_copy") ==
          contentOf(cluster, gated.name()));
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a table whose reader is ended again and again makes the dump fail", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, kBigMegabytes, kMidBigRow);
    const TemporaryFolder folder;
    Gate gate(cluster, gated.name());
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out", GatedDatabase::options({"-j", "2"})));
    for (int i = 0; i < 4; ++i) {
        endSession(cluster, gate.waitForArrival("gantry dump: worker%"));
    }
    checkFailed(dump.wait(),
                "public.big: terminating connection due to administrator command (SQLSTATE 57P01)");
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("without the coordinator's session the snapshot is gone and the dump fails", "[faults]") {
    const std::string format = GENERATE("d", "c");
    CAPTURE(format);
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, kBigMegabytes, kMidBigRow);
    const TemporaryFolder folder;
    Gate gate(cluster, gated.name());
    BackgroundTool dump(dumpCommand(cluster, gated.name(), folder / "out",
                                    GatedDatabase::options({"-j", "2", "-F", format})));
    (void)gate.waitForArrival("gantry dump: worker%");
    endSession(cluster, dumpSessions(cluster, "gantry dump: coordinator").at(0));
    checkFailed(dump.wait(),
                "the coordinator's session ended, and its snapshot with it: terminating connection "
                "due to administrator command (SQLSTATE 57P01). Look at the server's log for the "
                "reason, then run the dump again.");
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("when all sessions are ended at once the coordinator's is what is told", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const GatedDatabase gated(cluster, kBigMegabytes, kMidBigRow);
    const TemporaryFolder folder;
    Gate gate(cluster, gated.name());
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out", GatedDatabase::options({"-j", "2"})));
    (void)gate.waitForArrival("gantry dump: worker%");
    cluster.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name LIKE 'gantry dump%' ORDER BY application_name DESC");
    checkFailed(dump.wait(),
                "the coordinator's session ended, and its snapshot with it: terminating connection "
                "due to administrator command (SQLSTATE 57P01). Look at the server's log for the "
                "reason, then run the dump again.");
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a server that stops, crashes or restarts in mid-run makes the dump fail", "[faults]") {
    Cluster cluster;
    const GatedDatabase gated(cluster, kBigMegabytes, kMidBigRow);
    const TemporaryFolder folder;
    Gate gate(cluster, gated.name());
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out", GatedDatabase::options({"-j", "2"})));
    const int worker = gate.waitForArrival("gantry dump: worker%");

    SECTION("stopped, sessions ended") {
        cluster.stop(StopMode::Fast);
        checkFailed(dump.wait(),
                    "the coordinator's session ended, and its snapshot with it: terminating "
                    "connection due to administrator command (SQLSTATE 57P01). Look at the "
                    "server's log for the reason, then run the dump again.");
    }
    SECTION("stopped at once") {
        cluster.stop(StopMode::Immediate);
        const ToolResult result = dump.wait();
        CHECK_THAT(result.errors, ContainsSubstring("the coordinator's session ended, and its "
                                                    "snapshot with it: "));
        CHECK_THAT(result.errors, EndsWith(". Look at the server's log for the reason, then run "
                                           "the dump again." +
                                           std::string(kNothingLeft)));
        CHECK(result.exitCode == kFailed);
    }
    SECTION("restarted") {
        cluster.restart(StopMode::Fast);
        const ToolResult result = dump.wait();
        CHECK_THAT(result.errors, ContainsSubstring("the coordinator's session ended, and its "
                                                    "snapshot with it: "));
        CHECK(result.exitCode == kFailed);
        CHECK(sessionsEnd(cluster));
    }
    SECTION("one session crashes, and the server ends all others") {
        REQUIRE(::kill(worker, SIGKILL) == 0);
        const ToolResult result = dump.wait();
        CHECK_THAT(result.errors, ContainsSubstring("the coordinator's session ended, and its "
                                                    "snapshot with it: "));
        CHECK(result.exitCode == kFailed);
    }
    CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("a large object whose reader is ended is read again from its beginning", "[faults]") {
    const std::string format = GENERATE("d", "c", "t", "p");
    CAPTURE(format);
    ClusterOptions options;
    options.settings = {"allow_system_table_mods = on"};
    static const Cluster cluster(options);
    const std::string database = freshDatabase(cluster);
    // Objects of 3 MB are read in parts: the function that reads a part stands at the gate.
    cluster.execute(R"(
        SELECT lo_from_bytea(0, decode(repeat(md5(i::text), 93750 * (i % 2) + 10), 'hex'))
            FROM generate_series(1, 7) i;
        ALTER FUNCTION pg_catalog.lo_get(oid, bigint, integer) RENAME TO lo_get_part;
        CREATE FUNCTION pg_catalog.lo_get(o oid, place bigint, count integer) RETURNS bytea
            LANGUAGE plpgsql AS $$
        BEGIN
            IF place = 1048576 THEN
                WHILE NOT pg_try_advisory_lock_shared(7) LOOP
                    PERFORM pg_sleep(0.01);
                END LOOP;
                PERFORM pg_advisory_unlock_shared(7);
            END IF;
            RETURN lo_get_part(o, place, count);
        END $$;
        CREATE TABLE big (id int);
        CREATE TABLE small (id int))",
                    database);
    Gate gate(cluster, database);
    const TemporaryFolder folder;
    const fs::path target = folder / (format == "p" ? "out.sql" : "out");
    BackgroundTool dump(
        dumpCommand(cluster, database, target, {"-j", "2", "-F", format, "-Z", "none"}));
    endSession(cluster, gate.waitForArrival("gantry dump: worker%"));
    endSession(cluster, gate.waitForArrival("gantry dump: worker%"));
    gate.open();
    const ToolResult result = dump.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == 0);
    CHECK(countOf(result.errors,
                  "trying again: large objects: terminating connection due to "
                  "administrator command (SQLSTATE 57P01)\n") == 2);
    CHECK_THAT(result.output, ContainsSubstring("2 tables, 0 rows, 7 large objects\n"));
    CHECK(runTool({gantryctl().string(), "verify", target.string()}).exitCode == 0);
    (void)restoredContent(cluster, target, database + "_copy");
    const std::string objects =
        "SELECT string_agg(oid || ' ' || md5(lo_get(oid)), ', ' ORDER BY oid)"
        " FROM pg_largeobject_metadata";
    CHECK(cluster.value(objects, database + "_copy") == cluster.value(objects, database));
}

TEST_CASE("the session in which pg_dump gathers definitions is ended", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    const TemporaryFolder folder;
    pg::Connection holder = pg::Connection::open(cluster.connection(database), "holder", {});
    holder.execute("BEGIN; LOCK TABLE pg_catalog.pg_ts_template");
    BackgroundTool dump(dumpCommand(cluster, database, folder / "out"));
    waitUntil("pg_dump at the lock", [&] {
        return cluster.value(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                   " AND application_name LIKE 'gantry dump: definitions%'") == "1";
    });
    endSession(cluster, dumpSessions(cluster, "gantry dump: definitions%").at(0));
    const ToolResult result = dump.wait();
    CHECK_THAT(result.errors,
               ContainsSubstring("FATAL:  terminating connection due to administrator command"));
    CHECK_THAT(result.errors,
               EndsWith(". Look at the server's log for the reason, then run the dump "
                        "again." +
                        std::string(kNothingLeft)));
    CHECK(result.exitCode == kFailed);
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}
