// SPDX-License-Identifier: PostgreSQL
// What contradicts what among the options of a vacuum, and how amounts are read.
#include <catch2/catch_test_macros.hpp>

#include "core/options/validate.h"

using namespace gantry;
using namespace gantry::options;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {

Lines described(const VacuumOptions& options) {
    Lines lines;
    for (const Problem& problem : validate(options)) lines.push_back(problem.describe());
    return lines;
}

}  // namespace

TEST_CASE("a plain vacuum is sound") { CHECK(validate(VacuumOptions()).empty()); }

TEST_CASE("what concerns a vacuum is nothing for an analyze alone") {
    VacuumOptions options;
    options.work.analyzeOnly = true;
    options.work.full = true;
    CHECK(described(options) ==
          Lines{"--full and --analyze-only: it concerns a vacuum, and none takes place. Give "
                "--full or --analyze-only."});
    options.work.full = false;
    options.parallel = 2;
    CHECK(validate(options).front().options == Lines{"parallel", "analyze-only"});
    options.parallel.reset();
    options.work.analyzeInStages = true;
    CHECK(described(options) ==
          Lines{"--analyze-only: the stages of --analyze-in-stages are nothing else. Leave it "
                "out."});
    CHECK_FALSE(hasErrors(validate(options)));  // as vacuumdb
    for (bool VacuumWork::*flag :
         {&VacuumWork::freeze, &VacuumWork::disablePageSkipping, &VacuumWork::noIndexCleanup,
          &VacuumWork::forceIndexCleanup, &VacuumWork::noTruncate, &VacuumWork::noProcessMain,
          &VacuumWork::noProcessToast}) {
        VacuumOptions one;
        one.work.analyzeOnly = true;
        CHECK(validate(one).empty());
        one.work.*flag = true;
        CHECK(validate(one).size() == 1);
        one.work.analyzeOnly = false;
        CHECK(validate(one).empty());
        one.work.reindexConcurrently = true;
        CHECK(validate(one).size() == 1);
    }
}

TEST_CASE("a table that is written anew leaves nothing to choose") {
    VacuumOptions options;
    options.work.full = true;
    CHECK(validate(options).empty());
    options.parallel = 0;
    CHECK(described(options) == Lines{"--full and --parallel: it builds indexes anew instead of "
                                      "cleaning them. Give --full or --parallel."});
    options.parallel.reset();
    options.work.noIndexCleanup = true;
    CHECK(described(options) == Lines{"--no-index-cleanup: --full builds all indexes anew, "
                                      "whatever this says. Leave it out."});
    CHECK_FALSE(hasErrors(validate(options)));
    options.work.noIndexCleanup = false;
    options.bufferUsageLimit = "1GB";
    CHECK(validate(options).size() == 1);
    options.work.analyze = true;
    CHECK(validate(options).empty());
}

TEST_CASE("tables are named in one way") {
    VacuumOptions options;
    options.selection.tables = {"t"};
    options.selection.schemas = {"s"};
    CHECK(described(options) ==
          Lines{"--table and --schema: each names the tables. Give --table or --schema."});
    options.selection.schemas.clear();
    options.selection.excludeSchemas = {"s"};
    CHECK(validate(options).size() == 1);
    options.selection.excludeSchemas.clear();
    options.selection.tables = {"t(a, b)"};
    CHECK(described(options) ==
          Lines{"--table: \"t(a, b)\" names columns, and nothing is analyzed. Add --analyze or "
                "--analyze-only, or leave the columns out."});
    options.work.analyze = true;
    CHECK(validate(options).empty());
    options.selection.missingStatsOnly = true;
    CHECK(described(options) ==
          Lines{"--missing-stats-only: it says which tables are analyzed, and none is. Add "
                "--analyze-only or --analyze-in-stages."});
}

TEST_CASE("numbers have their ranges") {
    VacuumOptions options;
    options.jobs = 0;
    options.costDelay = 101;
    options.costLimit = 0;
    options.selection.minXidAge = 0;
    options.selection.minMxidAge = -1;
    CHECK(described(options) ==
          Lines{"--jobs: 0 is out of range. Choose 1 to 512, or auto.",
                "--cost-delay: 101 is out of range. Choose 0 to 100.",
                "--cost-limit: 0 is out of range. Choose 1 to 10000.",
                "--min-xid-age: 0 is out of range. Choose 1 to 2147483647.",
                "--min-mxid-age: -1 is out of range. Choose 1 to 2147483647."});
}

TEST_CASE("amounts of memory and time are checked before anything begins") {
    VacuumOptions options;
    options.bufferUsageLimit = "much";
    options.maintenanceWorkMem = "100kB";
    options.budget = "soon";
    options.plan = "none";
    CHECK(described(options) ==
          Lines{"--buffer-usage-limit: \"much\" is no amount between 128 kB and 16 GB. Give one, "
                "as in 256MB, or 0 for no limit.",
                "--maintenance-work-mem: \"100kB\" is no amount of at least 1 MB. Give one, as in "
                "512MB.",
                "--plan: \"none\" is no plan. Give --plan=auto, or leave it out.",
                "--for: \"soon\" is no time. Give one, as in 2h, 45min or 1h30m."});
    options = {};
    options.bufferUsageLimit = "0";
    options.maintenanceWorkMem = "1 GB";
    options.budget = "1h30m";
    options.plan = "auto";
    CHECK(validate(options).empty());
    options.work.analyzeOnly = true;
    CHECK(validate(options).size() == 1);
}

TEST_CASE("all databases are named by none") {
    VacuumOptions options;
    options.allDatabases = true;
    options.connection.database = "shop";
    CHECK(described(options) == Lines{"--all and --dbname: one names all databases, the other one "
                                      "of them. Give --all or --dbname."});
    options.connection.database = "host=db port=5433";
    CHECK(validate(options).empty());
    options.allDatabases = false;
    options.maintenanceDatabase = "postgres";
    CHECK(described(options) == Lines{"--maintenance-db: only a run over --all databases begins "
                                      "there. Add --all, or leave it out."});
    CHECK_FALSE(hasErrors(validate(options)));
}

TEST_CASE("times as people write them") {
    CHECK(parseDuration("90s") == 90s);
    CHECK(parseDuration("45min") == 45min);
    CHECK(parseDuration("2h") == 2h);
    CHECK(parseDuration("1h30m") == 90min);
    CHECK(parseDuration("1 d 2 hours") == 26h);
    for (const char* wrong : {"", "0s", "2", "2x", "h", "-1h", "99999999999d", "1h30"}) {
        CHECK_FALSE(parseDuration(wrong));
    }
}

TEST_CASE("memory as the server reads it") {
    CHECK(parseMemory("2048") == 2048 * 1024);
    CHECK(parseMemory("256MB") == uint64_t{256} << 20);
    CHECK(parseMemory("1 GB") == uint64_t{1} << 30);
    CHECK(parseMemory("0") == 0);
    for (const char* wrong : {"", "MB", "1mb", "1.5GB", "-1MB", "99999999999999999TB"}) {
        CHECK_FALSE(parseMemory(wrong));
    }
}
