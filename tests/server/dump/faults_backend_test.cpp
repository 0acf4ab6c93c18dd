// SPDX-License-Identifier: PostgreSQL
// Sessions that end in the middle of a dump: a worker's is replaced and what it read is taken up
// again under the same snapshot; without the coordinator's the run fails and leaves nothing.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>

#include "tests/server/dump/faults.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

constexpr int kFailed = 3;
constexpr int kMegabytes = 40;  // several frames, and with three jobs two chunks
constexpr int kGateRow = 23'000;
constexpr std::string_view kNothingLeft =
    "\nNothing was left that could be taken for a whole dump.\n";

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
    const auto [format, jobs, codec] = GENERATE(table<std::string, std::string, std::string>({
        {"d", "1", "none"},
        {"d", "3", "gzip:1"},
        {"c", "3", "gzip:1"},
        {"c", "1", "none"},
    }));
    CAPTURE(format, jobs, codec);
    const Cluster& cluster = sharedCluster();
    GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    gated.close();
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out",
                    GatedDatabase::options({"-F", format, "-j", jobs, "-Z", codec})));
    const int first = gated.waitForArrival("gantry dump: worker%");
    if (format == "d") {  // frames that must not come twice are in the archive already
        waitUntil("frames of the table", [&] { return largestMember(folder.path()) > 0; });
    }
    gated.terminate(first);
    gated.terminate(gated.waitForArrival("gantry dump: worker%"));
    (void)gated.waitForArrival("gantry dump: worker%");
    gated.open();

    const ToolResult result = dump.wait();
    CAPTURE(result.describe());
    CHECK(result.exitCode == 0);
    const std::string again =
        "trying again: public.big: terminating connection due to administrator command "
        "(SQLSTATE 57P01)\n";
    CHECK(countOf(result.errors, again) == 2);
    CHECK_THAT(result.output, ContainsSubstring("2 tables, 25,010 rows."));
    CHECK(runTool({gantryctl().string(), "verify", (folder / "out").string()}).exitCode == 0);
    CHECK(restoredContent(cluster, folder / "out", gated.name() + "_copy") ==
          contentOf(cluster, gated.name()));
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("a table whose reader is ended again and again makes the dump fail", "[faults]") {
    const Cluster& cluster = sharedCluster();
    GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    gated.close();
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out", GatedDatabase::options({"-j", "2"})));
    for (int i = 0; i < 4; ++i) {
        gated.terminate(gated.waitForArrival("gantry dump: worker%"));
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
    GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    gated.close();
    BackgroundTool dump(dumpCommand(cluster, gated.name(), folder / "out",
                                    GatedDatabase::options({"-j", "2", "-F", format})));
    (void)gated.waitForArrival("gantry dump: worker%");
    gated.terminate(dumpSessions(cluster, "gantry dump: coordinator").at(0));
    checkFailed(dump.wait(),
                "the coordinator's session ended, and its snapshot with it: terminating connection "
                "due to administrator command (SQLSTATE 57P01). Look at the server's log for the "
                "reason, then run the dump again.");
    CHECK(namesIn(folder.path()).empty());
    CHECK(sessionsEnd(cluster));
}

TEST_CASE("when all sessions are ended at once the coordinator's is what is told", "[faults]") {
    const Cluster& cluster = sharedCluster();
    GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    gated.close();
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out", GatedDatabase::options({"-j", "2"})));
    (void)gated.waitForArrival("gantry dump: worker%");
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
    GatedDatabase gated(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    gated.close();
    BackgroundTool dump(
        dumpCommand(cluster, gated.name(), folder / "out", GatedDatabase::options({"-j", "2"})));
    const int worker = gated.waitForArrival("gantry dump: worker%");

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
