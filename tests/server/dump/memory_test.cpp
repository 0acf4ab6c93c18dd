// SPDX-License-Identifier: PostgreSQL
// What a dump takes of this machine's memory: 64 MiB, and 24 for each copy thread and compressor,
// whatever it dumps and however hard it compresses.
#ifdef __linux__
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <charconv>
#include <fstream>
#include <thread>

#include "tests/server/dump/faults.h"

using namespace gantry::test;
using namespace std::chrono_literals;

namespace {

/// The most that the process has held so far, in MiB; 0 if it is gone.
uint64_t peakMebibytes(pid_t pid) {
    constexpr std::string_view kKey = "VmHWM:";
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(kKey)) continue;
        const std::size_t digits = std::min(line.find_first_of("0123456789"), line.size());
        uint64_t kibibytes = 0;
        std::from_chars(line.data() + digits, line.data() + line.size(), kibibytes);
        return kibibytes / 1024;
    }
    return 0;
}

/// Of a whole dump.
uint64_t peakOf(const std::vector<std::string>& command) {
    BackgroundTool dump(command);
    uint64_t peak = 0;
    while (!dump.ended()) {
        peak = std::max(peak, peakMebibytes(dump.pid()));
        std::this_thread::sleep_for(5ms);
    }
    const ToolResult result = dump.wait();
    INFO(result.describe());
    REQUIRE(result.exitCode == 0);
    return peak;
}

uint64_t allowed(uint64_t threads) { return 64 + 24 * threads; }

}  // namespace

TEST_CASE("a dump of very many tables stays within its memory", "[dump][.wide]") {
    const Cluster cluster(18);
    const int step = 1000;
    for (int i = 0; i < 20; ++i) {
        cluster.execute(
            "DO $$ BEGIN FOR i IN " + std::to_string(i * step) + ".." +
            std::to_string((i + 1) * step - 1) +
            " LOOP EXECUTE format('CREATE TABLE t%s (id integer, name text)', i);"
            " EXECUTE format('INSERT INTO t%s VALUES (1, ''x'')', i); END LOOP; END $$");
    }
    const uint64_t jobs = GENERATE(1U, 2U);
    const std::string format = GENERATE("d", "c", "t", "p");
    CAPTURE(jobs, format);
    const TemporaryFolder folder;
    const uint64_t peak =
        peakOf(dumpCommand(cluster, "postgres", folder / "dump",
                           {"-F" + format, "-Z", format == "t" ? "none" : "zstd:1", "-j",
                            std::to_string(jobs), "--compress-jobs", "1"}));
    CHECK(peak <= allowed(jobs + 1));
    CHECK(peak > 0);
}

TEST_CASE("slow codecs stay within their memory", "[dump][.wide]") {
    const Cluster cluster(18);
    cluster.execute(
        "CREATE TABLE t AS SELECT i, md5(i::text) || repeat(md5((i / 7)::text), 2) AS note"
        " FROM generate_series(1, 800000) i");
    const std::string codec = GENERATE("zstd:11", "zstd:12", "zstd:15", "zstd:19", "zstd:22");
    CAPTURE(codec);
    const TemporaryFolder folder;
    const uint64_t peak =
        peakOf(dumpCommand(cluster, "postgres", folder / "dump",
                           {"-Fd", "-Z", codec, "-j", "1", "--compress-jobs", "1"}));
    CHECK(peak <= allowed(2));
    CHECK(peak > 0);
}
#endif
