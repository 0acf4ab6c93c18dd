// SPDX-License-Identifier: PostgreSQL
// --scratch: an archive or a script on a server of its own, which stays only if it holds something.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using gantry::archive::Format;
namespace fs = std::filesystem;

TEST_CASE("a restore into a scratch server needs no role and tells how to look") {
    const Cluster cluster;
    const TemporaryFolder folder;
    // Where root's unprivileged server user can get to.
    fs::permissions(folder.path(),
                    fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    const std::map<std::string, std::string> environment{
        {"GANTRY_SCRATCH_DIR", (folder / "base").string()}};
    const auto gantry = [&](std::vector<std::string> words) {
        words.insert(words.begin(), gantryctl().string());
        return runTool(words, environment);
    };
    cluster.createDatabase("shop");
    cluster.execute(
        "CREATE ROLE keeper; CREATE ROLE \"Odd one\"; CREATE TABLE t AS SELECT 42 AS i;"
        "ALTER TABLE t OWNER TO keeper; GRANT SELECT ON t TO \"Odd one\"",
        "shop");
    runDump(dumpOptions(cluster, "shop", folder / "a", Format::Directory, "gzip:1"));
    runDump(dumpOptions(cluster, "shop", folder / "shop.sql", Format::Plain, "none"));
    for (const std::string source : {"a", "shop.sql"}) {
        const ToolResult restored =
            gantry({"restore", "--scratch", "--no-progress", (folder / source).string()});
        CAPTURE(restored.describe());
        REQUIRE(restored.exitCode == 0);
        CHECK_THAT(restored.output, ContainsSubstring("It is on scratch server \"scratch-1\""));
        CHECK_THAT(restored.output, ContainsSubstring("gantryctl scratch stop scratch-1"));
        const std::string socket = (folder / "base" / "scratch-1" / "socket").string();
        CHECK_THAT(restored.output, ContainsSubstring(socket));
        CHECK(runToolOk({cluster.tool("psql"), "-XAt", "-d",
                         "host=" + socket + " user=postgres dbname=shop", "-c",
                         "SELECT i, tableowner FROM t, pg_tables WHERE tablename = 't'"}) ==
              "42|keeper\n");
        CHECK(gantry({"scratch", "stop", "scratch-1"}).exitCode == 0);
    }
    std::ofstream(folder / "bad.sql") << "SELECT 1;\nSELECT 'a";
    const ToolResult refused =
        gantry({"restore", "--scratch", "--no-progress", (folder / "bad.sql").string()});
    CHECK(refused.exitCode != 0);
    CHECK_THAT(gantry({"scratch", "list"}).output, ContainsSubstring("There are no scratch"));
    CHECK(gantry({"restore", "--scratch", "-d", "x", (folder / "a").string()}).exitCode == 2);
    CHECK(gantry({"restore", "--scratch", (folder / "missing").string()}).exitCode == 2);
}
