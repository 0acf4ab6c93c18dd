// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/statement.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::vacuum;

namespace {

Survey surveyOf(int major) {
    Survey survey;
    survey.server.version = major * 10000;
    survey.databases = {"db"};
    TableFacts table;
    table.schema = "public";
    table.name = "Odd t";
    table.columns = "(a, b)";
    table.toastName = "pg_toast_7";
    table.indexes = {{.oid = Oid{1}, .name = "i"}};
    survey.tables = {table, table};
    survey.tables[1].name = "u";
    survey.tables[1].columns.clear();
    return survey;
}

Step vacuumStep() {
    Step step;
    step.tables = {0};
    step.vacuum = true;
    return step;
}

std::string statement(const Step& step, int major, const options::VacuumOptions& options = {},
                      const Proposals& proposals = {}) {
    return statementOf(step, surveyOf(major), options, proposals);
}

}  // namespace

TEST_CASE("a vacuum in the words of each version") {
    Step step = vacuumStep();
    step.helpers = 2;
    CHECK(statement(step, 10) == R"(VACUUM (VERBOSE) "public"."Odd t")");
    CHECK(statement(step, 13) == R"(VACUUM (VERBOSE, PARALLEL 2) "public"."Odd t")");
    Proposals proposals;
    proposals.ring = 64 << 20;
    CHECK(statement(step, 15, {}, proposals) == R"(VACUUM (VERBOSE, PARALLEL 2) "public"."Odd t")");
    CHECK(statement(step, 16, {}, proposals) ==
          R"(VACUUM (VERBOSE, SKIP_DATABASE_STATS, PARALLEL 2, BUFFER_USAGE_LIMIT '65536kB') )"
          R"("public"."Odd t")");
    step.withToast = false;
    CHECK(statement(step, 14) ==
          R"(VACUUM (VERBOSE, PROCESS_TOAST FALSE, PARALLEL 2) "public"."Odd t")");
    step.toastAlone = true;
    CHECK(statement(step, 14) == R"(VACUUM (VERBOSE, PARALLEL 2) "pg_toast"."pg_toast_7")");
}

TEST_CASE("all that vacuumdb can say is said") {
    options::VacuumOptions o;
    o.work.disablePageSkipping = o.work.skipLocked = o.work.noTruncate = true;
    o.work.forceIndexCleanup = o.work.noProcessMain = true;
    Step step = vacuumStep();
    step.freeze = step.analyze = true;
    CHECK(statement(step, 18, o) ==
          R"(VACUUM (FREEZE, VERBOSE, ANALYZE, DISABLE_PAGE_SKIPPING, SKIP_LOCKED, )"
          R"(INDEX_CLEANUP TRUE, TRUNCATE FALSE, PROCESS_MAIN FALSE, SKIP_DATABASE_STATS, )"
          R"(PARALLEL 0) "public"."Odd t"(a, b))");
    o = {};
    o.work.noIndexCleanup = true;
    CHECK(statement(vacuumStep(), 12, o) ==
          R"(VACUUM (VERBOSE, INDEX_CLEANUP FALSE) "public"."Odd t")");
    step = vacuumStep();
    step.full = true;
    CHECK(statement(step, 15) == R"(VACUUM (FULL, VERBOSE) "public"."Odd t")");
}

TEST_CASE("several tables share a statement") {
    Step step = vacuumStep();
    step.tables = {0, 1};
    CHECK(statement(step, 12) == R"(VACUUM (VERBOSE) "public"."Odd t", "public"."u")");
    // Where the statistics are up to date at once, no table has to be told.
    CHECK(statement(step, 15) == R"(VACUUM (PARALLEL 0) "public"."Odd t", "public"."u")");
    step.vacuum = false;
    step.analyze = true;
    CHECK(statement(step, 15) == R"(ANALYZE "public"."Odd t"(a, b), "public"."u")");
}

TEST_CASE("an analyze in the words of each version") {
    Step step;
    step.tables = {0};
    step.analyze = true;
    options::VacuumOptions o;
    CHECK(statement(step, 10, o) == R"(ANALYZE VERBOSE "public"."Odd t"(a, b))");
    o.work.skipLocked = true;
    Proposals proposals;
    proposals.ring = 0;
    CHECK(statement(step, 12, o, proposals) ==
          R"(ANALYZE (VERBOSE, SKIP_LOCKED) "public"."Odd t"(a, b))");
    CHECK(statement(step, 16, o, proposals) ==
          R"(ANALYZE (VERBOSE, SKIP_LOCKED, BUFFER_USAGE_LIMIT '0kB') "public"."Odd t"(a, b))");
}

TEST_CASE("a partitioned table is analyzed as a whole, one that was named with its partitions") {
    Survey survey = surveyOf(18);
    survey.tables[1].relkind = 'p';
    Step step;
    step.tables = {1};
    step.analyze = true;
    CHECK(statementOf(step, survey, {}, {}) == R"(ANALYZE (VERBOSE) ONLY "public"."u")");
    survey.tables[1].named = true;
    options::VacuumOptions options;
    options.work.analyzeOnly = true;
    CHECK(statementOf(step, survey, options, {}) == R"(ANALYZE (VERBOSE) "public"."u")");
}

TEST_CASE("indexes and databases have statements of their own") {
    Step step;
    step.tables = {0};
    step.kind = Step::Kind::Reindex;
    CHECK(statement(step, 12) == R"(REINDEX INDEX CONCURRENTLY "public"."i")");
    step.kind = Step::Kind::DropIndex;
    CHECK(statement(step, 12) == R"(DROP INDEX CONCURRENTLY IF EXISTS "public"."i")");
    step.kind = Step::Kind::Database;
    CHECK(statement(step, 16) == "VACUUM (ONLY_DATABASE_STATS)");
    step.kind = Step::Kind::Barrier;
    CHECK(statement(step, 16).empty());
}

TEST_CASE("the session is told the stage and the memory") {
    Step step;
    step.stage = 1;
    CHECK(settingsFor(step, {}) == "SET default_statistics_target = 1; SET vacuum_cost_delay = 0;");
    step.stage = 0;
    Proposals proposals;
    proposals.memory = 128 << 20;
    CHECK(settingsFor(step, proposals) == "SET maintenance_work_mem = '131072kB';");
    proposals.memory.reset();
    proposals.sessionsRead = true;
    step.vacuum = true;
    CHECK(settingsFor(step, proposals) == "SET maintenance_io_concurrency = 0;");
    step.analyze = true;
    CHECK(settingsFor(step, proposals) == "RESET maintenance_io_concurrency;");
}

TEST_CASE("what a server is too old for is refused, all of it at once") {
    options::VacuumOptions o;
    CHECK(serverGates(o, 10).empty());
    o.work.skipLocked = true;
    o.parallel = 2;
    o.bufferUsageLimit = "1GB";
    const auto problems = serverGates(o, 12);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].describe() ==
          "--parallel: PostgreSQL has it from version 13 on, and the server is of 12. Leave it "
          "out.");
    CHECK(problems[1].options.front() == "buffer-usage-limit");
    CHECK(serverGates(o, 16).empty());
    CHECK(serverGates(o, 10).size() == 3);
}
