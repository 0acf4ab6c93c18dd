// SPDX-License-Identifier: PostgreSQL
// A disk that is full, at whatever moment: the dump fails, says where, and leaves nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <iterator>

#include "tests/server/dump/faults.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

/// Some 3 MB that no codec makes smaller: tables and large objects.
const std::string& database() {
    static const std::string name = [] {
        const std::string made = freshDatabase(sharedCluster());
        sharedCluster().execute(R"(
            CREATE FUNCTION noise(int, int) RETURNS text LANGUAGE sql IMMUTABLE AS
                'SELECT string_agg(md5($1 || ''-'' || i), '''') FROM generate_series(1, $2) i';
            CREATE TABLE big AS SELECT i AS id, noise(i, 40) AS filler
                FROM generate_series(1, 1000) i;
            CREATE TABLE middle AS SELECT i AS id, noise(i, 10) AS filler
                FROM generate_series(1, 1000) i;
            CREATE TABLE small AS SELECT i AS id FROM generate_series(1, 10) i;
            SELECT lo_from_bytea(0, convert_to(noise(i, 3000), 'UTF8')) FROM generate_series(1, 8) i)",
                                made);
        return made;
    }();
    return name;
}

/// `command` in a file system of `kilobytes`, which is at `folder` for it alone. What it leaves
/// there stands, a name each, at the end of its output.
ToolResult runOnSmallDisk(int kilobytes, const fs::path& folder, const Names& command) {
    Names words{"unshare",
                ::geteuid() == 0 ? "-m" : "-rm",
                "sh",
                "-c",
                "mount -t tmpfs -o size=$1k none \"$2\" || exit 99; folder=$2; shift 2; \"$@\";"
                "code=$?; ls -A \"$folder\"; exit $code",
                "sh",
                std::to_string(kilobytes),
                folder.string()};
    words.insert(words.end(), command.begin(), command.end());
    return runTool(words);
}

bool smallDisksCanBeMade() {
    static const bool can = [] {
        const TemporaryFolder folder;
        return runOnSmallDisk(64, folder.path(), {"true"}).exitCode == 0;
    }();
    return can;
}

/// `command` where no file may grow beyond `kilobytes`.
ToolResult runWithSmallFiles(int kilobytes, const Names& command) {
    Names words{"sh", "-c", "ulimit -f $1; shift; exec \"$@\"", "sh",
                std::to_string(kilobytes * 2)};
    words.insert(words.end(), command.begin(), command.end());
    return runTool(words);
}

}  // namespace

TEST_CASE("a full disk makes the dump fail, whenever it comes", "[faults]") {
    if (!smallDisksCanBeMade()) SKIP("this user may mount nothing, not even for himself");
    const std::string format = GENERATE("d", "c", "t", "p");
    // From a disk that takes hardly the first member to one that lacks the end.
    const int kilobytes = GENERATE(8, 64, 256, 900, 1500, 2000, 2300);
    CAPTURE(format, kilobytes);
    const TemporaryFolder folder;
    const ToolResult result =
        runOnSmallDisk(kilobytes, folder.path(),
                       dumpCommand(sharedCluster(), database(), folder / "out",
                                   {"-F", format, "-Z", "none", "-j", "2"}));
    CAPTURE(result.describe());
    CHECK_THAT(result.errors, ContainsSubstring(folder.path().string()));
    CHECK_THAT(result.errors,
               ContainsSubstring(": No space left on device. Free some space there or "
                                 "choose another destination, then run it again."));
    CHECK_THAT(result.errors, EndsWith(std::string(kNothingLeft)));
    CHECK(result.exitCode == kFailed);
    CHECK(result.output.empty());
    CHECK(sessionsEnd(sharedCluster()));
}

TEST_CASE("a disk that is just large enough", "[faults]") {
    if (!smallDisksCanBeMade()) SKIP("this user may mount nothing, not even for himself");
    const std::string format = GENERATE("d", "c", "t", "p");
    CAPTURE(format);
    const TemporaryFolder folder;
    const ToolResult result =
        runOnSmallDisk(12'000, folder.path(),
                       dumpCommand(sharedCluster(), database(), folder / "out",
                                   {"-F", format, "-Z", "none", "-j", "2"}));
    CAPTURE(result.describe());
    CHECK(result.exitCode == 0);
    const std::string beside = format == "d" ? "" : "out.gantry-manifest.json\n";
    CHECK_THAT(result.output, EndsWith("\nout\n" + beside));
}

TEST_CASE("a limit to the size of files makes the dump fail, and what was there stays",
          "[faults]") {
    const std::string format = GENERATE("d", "c", "t", "p");
    const int kilobytes = GENERATE(4, 100, 700);
    CAPTURE(format, kilobytes);
    const TemporaryFolder folder;
    const fs::path target = folder / "out";
    const Names before = [&] {
        REQUIRE(runDumpTool(sharedCluster(), database(), target, {"-F", format, "-t", "small"})
                    .exitCode == 0);
        return namesIn(folder.path());
    }();
    const fs::path witness = format == "d" ? target / "gantry-manifest.json" : target;
    const std::string content = readText(witness);

    const ToolResult result = runWithSmallFiles(
        kilobytes, dumpCommand(sharedCluster(), database(), target,
                               {"-F", format, "-Z", "none", "-j", "2", "--overwrite"}));
    CAPTURE(result.describe());
    CHECK_THAT(result.errors, ContainsSubstring(folder.path().string()));
    CHECK_THAT(
        result.errors,
        ContainsSubstring(": File too large. No file may be larger there: look at the limits "
                          "of the file system and of this user (ulimit -f)."));
    CHECK_THAT(result.errors, EndsWith(std::string(kNothingLeft)));
    CHECK(result.exitCode == kFailed);
    CHECK(namesIn(folder.path()) == before);
    CHECK(readText(witness) == content);
    CHECK(runTool({gantryctl().string(), "verify", target.string()}).exitCode == 0);
    CHECK(sessionsEnd(sharedCluster()));
}
