// SPDX-License-Identifier: PostgreSQL
// Every option against a live server: what it makes of the statements, and what older servers are
// not asked for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/server/vacuum/vacuum_scene.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

namespace {

/// The statements that a run sends.
std::string sent(const Cluster& cluster, const Words& arguments) {
    const std::size_t before = cluster.log().size();
    const ToolResult result = runTool(vacuumCommand(cluster, "postgres", arguments));
    INFO(result.describe());
    CHECK(result.exitCode == 0);
    return cluster.log().substr(before);
}

}  // namespace

TEST_CASE("each option reaches the statements") {
    const Cluster cluster(quietServer(18));
    makeDirty(cluster, "postgres", "t", 3000);
    cluster.execute("CREATE SCHEMA s; CREATE TABLE s.u(a int)");
    cluster.execute(
        "ALTER TABLE t ADD big text; ALTER TABLE t ALTER big SET STORAGE EXTERNAL;"
        "UPDATE t SET big = repeat('x', 9000) WHERE id = 1");  // not passed over: empty TOAST is
    cluster.execute("ALTER SYSTEM SET log_statement = 'all'");
    cluster.execute("SELECT pg_reload_conf()");
    const auto check = [&](const Words& arguments, const std::string& expected) {
        INFO(fmt::format("{}", fmt::join(arguments, " ")));
        CHECK_THAT(sent(cluster, arguments), ContainsSubstring(expected));
    };
    check({"-t", "t"}, "VACUUM (VERBOSE, SKIP_DATABASE_STATS, PARALLEL 0, BUFFER_USAGE_LIMIT '");
    check({"-t", "t"}, "VACUUM (ONLY_DATABASE_STATS)");
    check({"-t", "t", "-z"}, "VACUUM (VERBOSE, ANALYZE, ");
    check({"-t", "t(a, b)", "-z"}, R"("public"."t"(a, b))");
    check({"-t", "t(a)", "-t", "t( b , a)", "-Z"}, R"("public"."t"(a, b))");
    check({"-t", "t(a)", "-t", "t", "-Z"}, "\"public\".\"t\"\n");
    for (const char* table : {"t(a),s.u", "t(a", "t()"}) {
        const ToolResult refused = runTool(vacuumCommand(cluster, "postgres", {"-Z", "-t", table}));
        CHECK(refused.exitCode == kRefused);
        CHECK_THAT(refused.errors, ContainsSubstring("--table: "));
    }
    check({"-t", "t", "-Z"}, "ANALYZE (VERBOSE, BUFFER_USAGE_LIMIT '");
    check({"-t", "t", "-F"}, "VACUUM (FREEZE, VERBOSE, ");
    check({"-t", "t", "-f"}, "VACUUM (FULL, VERBOSE, SKIP_DATABASE_STATS) \"public\".\"t\"");
    check({"-t", "t", "-P", "1"}, "PARALLEL 1");
    check({"-t", "t", "--skip-locked"}, "SKIP_LOCKED");
    check({"-t", "t", "--buffer-usage-limit", "256kB"}, "BUFFER_USAGE_LIMIT '256kB'");
    check({"-t", "t", "--buffer-usage-limit", "0"}, "BUFFER_USAGE_LIMIT '0kB'");
    check({"-t", "t", "--no-index-cleanup"}, "INDEX_CLEANUP FALSE");
    check({"-t", "t", "--force-index-cleanup"}, "INDEX_CLEANUP TRUE");
    check({"-t", "t", "--no-truncate"}, "TRUNCATE FALSE");
    check({"-t", "t", "--no-process-main"}, "PROCESS_MAIN FALSE");
    check({"-t", "t", "--no-process-toast"}, "PROCESS_TOAST FALSE");
    check({"-t", "t", "--disable-page-skipping"}, "DISABLE_PAGE_SKIPPING");
    check({"-t", "t", "--maintenance-work-mem", "100MB"}, "SET maintenance_work_mem = '102400kB'");
    check({"-t", "t", "--cost-delay", "1", "--cost-limit", "5000"},
          "SET vacuum_cost_delay = 1;SET vacuum_cost_limit = 5000;");
    check({"-t", "t", "--analyze-in-stages"}, "SET default_statistics_target = 10");
    check({"-n", "s"}, "\"s\".\"u\"");
    const std::string without = sent(cluster, {"-N", "s", "-N", "pg_catalog"});
    CHECK_THAT(without, ContainsSubstring("\"public\".\"t\""));
    CHECK_THAT(without, !ContainsSubstring("\"s\".\"u\""));
    CHECK_THAT(without, !ContainsSubstring("\"pg_catalog\""));
    CHECK_THAT(sent(cluster, {"--min-xid-age", "1000000"}), !ContainsSubstring("VACUUM ("));
    cluster.execute("CREATE TABLE later(a int)");  // another transaction
    CHECK_THAT(sent(cluster, {"--min-xid-age", "1", "-t", "t"}),
               ContainsSubstring("VACUUM (VERBOSE"));
    CHECK_THAT(sent(cluster, {"--min-mxid-age", "1000000"}), !ContainsSubstring("VACUUM ("));
    CHECK_THAT(sent(cluster, {"-Z", "--missing-stats-only", "-t", "t"}),
               !ContainsSubstring("ANALYZE (VERBOSE"));
    CHECK_THAT(sent(cluster, {"--dry-run"}), !ContainsSubstring("VACUUM"));
    CHECK_THAT(sent(cluster, {"--plan", "auto", "-t", "t"}), !ContainsSubstring("VACUUM (VERBOSE"));
    CHECK_THAT(sent(cluster, {"--for", "1h", "-t", "t"}), ContainsSubstring("VACUUM (VERBOSE"));
    CHECK_THAT(sent(cluster, {"--reindex-concurrently"}), !ContainsSubstring("VACUUM"));
}

TEST_CASE("each version takes every option that it has, and is not asked for others") {
    const int major = GENERATE(from_range(installedMajors()));
    INFO("server " << major);
    const Cluster cluster(quietServer(major));
    makeDirty(cluster, "postgres", "t", 1000);
    const std::vector<std::pair<Words, int>> options{
        {{}, 10},
        {{"-t", "t(a, b)", "-z"}, 10},
        {{"-n", "public", "-Z"}, 10},
        {{"-N", "pg_catalog", "-F"}, 10},
        {{"-t", "t", "-f"}, 10},
        {{"-t", "t", "--analyze-in-stages"}, 10},
        {{"--min-xid-age", "1"}, 10},
        {{"--min-mxid-age", "1"}, 10},
        {{"-t", "t", "--disable-page-skipping"}, 10},
        {{"-t", "t", "--cost-delay", "1", "--cost-limit", "5000", "-e"}, 10},
        {{"-t", "t", "--maintenance-work-mem", "32MB"}, 10},
        {{"--plan", "auto", "--for", "1h"}, 10},
        {{"--plan", "auto", "-f", "--dry-run"}, 10},
        {{"--skip-locked"}, 12},
        {{"-t", "t", "--no-index-cleanup"}, 12},
        {{"-t", "t", "--no-truncate"}, 12},
        {{"-t", "t", "--force-index-cleanup"}, 12},
        {{"--reindex-concurrently"}, 12},
        {{"-t", "t", "-P", "2"}, 13},
        {{"-t", "t", "--no-process-toast"}, 14},
        {{"-Z", "--missing-stats-only"}, 15},
        {{"-t", "t", "--no-process-main"}, 16},
        {{"-t", "t", "--buffer-usage-limit", "512kB"}, 16}};
    for (const auto& [words, since] : options) {
        const ToolResult result = runTool(vacuumCommand(cluster, "postgres", words));
        INFO(result.describe());
        CHECK(result.exitCode == (major >= since ? 0 : kRefused));
    }
}

TEST_CASE("statements are told as they are sent, also where nothing else is") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "t", 100);
    const ToolResult told =
        runTool(vacuumCommand(cluster, "postgres", {"-t", "t", "-Z", "-q", "--echo"}));
    INFO(told.describe());
    CHECK(told.exitCode == 0);
    CHECK_THAT(told.errors, ContainsSubstring("ANALYZE (VERBOSE"));
    CHECK_THAT(told.errors, ContainsSubstring("\"public\".\"t\";\n"));
    CHECK(runTool(vacuumCommand(cluster, "postgres", {"-t", "t", "-Z", "-q"})).errors.empty());
}

TEST_CASE("what a server is too old for is refused before anything is touched") {
    const Cluster cluster(quietServer(10));
    const auto refused = [&](const Words& arguments) {
        const ToolResult result = runTool(vacuumCommand(cluster, "postgres", arguments));
        INFO(result.describe());
        CHECK(result.exitCode == kRefused);
        CHECK(result.output.empty());
        return result.errors;
    };
    for (const auto& [option, since] :
         {std::pair("skip-locked", 12), std::pair("no-index-cleanup", 12),
          std::pair("force-index-cleanup", 12), std::pair("no-truncate", 12),
          std::pair("no-process-toast", 14), std::pair("no-process-main", 16)}) {
        CHECK(refused({fmt::format("--{}", option)}) ==
              fmt::format("gantryctl: --{}: PostgreSQL has it from version {} on, and the server "
                          "is of 10\n  Leave it out.\n",
                          option, since));
    }
    CHECK(refused({"--reindex-concurrently"}) ==
          "gantryctl: --reindex-concurrently: PostgreSQL has it from version 12 on, and the server "
          "is of 10\n  REINDEX INDEX builds one anew there, and locks its table against writing "
          "meanwhile.\n");
    CHECK_THAT(refused({"-P", "2", "--buffer-usage-limit", "1MB"}),
               ContainsSubstring("--parallel: PostgreSQL has it from version 13 on, and the server "
                                 "is of 10; --buffer-usage-limit: "));
    CHECK_THAT(refused({"-Z", "--missing-stats-only"}), ContainsSubstring("from version 15 on"));
    CHECK_THAT(refused({"-t", "nowhere"}),
               ContainsSubstring("--table: relation \"nowhere\" does not exist"));
    CHECK_THAT(refused({"-n", "nowhere"}),
               ContainsSubstring("--schema: schema \"nowhere\" does not exist"));
    CHECK_THAT(refused({"-f", "-Z"}), ContainsSubstring("--full and --analyze-only: "));
}
