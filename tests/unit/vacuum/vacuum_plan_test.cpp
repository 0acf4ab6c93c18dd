// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/vacuum_plan.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <string_view>

using namespace gantry;
using namespace gantry::vacuum;

namespace {

constexpr uint64_t kMb = uint64_t{1} << 20;

Survey surveyOf(std::vector<TableFacts> tables, int major = 18) {
    Survey survey;
    survey.server.version = major * 10000;
    survey.server.sharedBuffers = 512 * kMb;
    survey.server.maintenanceWorkMem = 64 * kMb;
    survey.server.mostHelpers = 4;
    survey.server.leastParallelIndex = 512 * 1024;
    survey.server.cores = 2;
    survey.server.freeConnections = 90;
    survey.databases = {"db"};
    survey.tables = std::move(tables);
    for (uint32_t i = 0; i < survey.tables.size(); ++i) survey.tables[i].oid = Oid{20000 + i};
    return survey;
}

TableFacts table(const std::string& name, uint64_t megabytes, int indexes = 0,
                 uint64_t indexMegabytes = 0) {
    TableFacts facts;
    facts.schema = "public";
    facts.name = name;
    facts.heapBytes = megabytes * kMb;
    facts.blocks = facts.heapBytes / 8192;
    facts.rows = 1e5 * static_cast<double>(megabytes);
    facts.liveRows = 100000 * megabytes;
    facts.deadRows = 10000 * megabytes;
    facts.lastAnalyze = "2026-01-01T00:00:00Z";
    for (int i = 0; i < indexes; ++i) {
        facts.indexes.push_back({.oid = Oid{static_cast<uint32_t>(30000 + i)},
                                 .name = name + "_" + std::to_string(i),
                                 .accessMethod = "btree",
                                 .bytes = indexMegabytes * kMb});
    }
    return facts;
}

options::VacuumOptions withJobs(uint32_t jobs) {
    options::VacuumOptions options;
    options.jobs = jobs;
    return options;
}

const Step& stepOf(const VacuumPlan& plan, std::string_view object) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        if (plan.graph.tasks[i].object == object) return plan.steps[i];
    }
    FAIL("no task " << object);
    return plan.steps.front();
}

}  // namespace

TEST_CASE("one table with eight large indexes uses parallel index vacuum") {
    const Survey survey = surveyOf({table("big", 1000, 8, 200)});
    CHECK(stepOf(planVacuum(survey, withJobs(2)), "public.big").helpers == 1);
    CHECK(stepOf(planVacuum(survey, withJobs(1)), "public.big").helpers == 1);
    CHECK(stepOf(planVacuum(survey, withJobs(4)), "public.big").helpers == 3);
    Survey many = survey;
    many.server.cores = 16;
    CHECK(stepOf(planVacuum(many, withJobs(2)), "public.big").helpers == 4);  // the server's limit
    options::VacuumOptions told = withJobs(2);
    told.parallel = 0;
    CHECK(stepOf(planVacuum(survey, told), "public.big").helpers == 0);
    told.parallel = 3;
    CHECK(stepOf(planVacuum(survey, told), "public.big").helpers == 3);
}

TEST_CASE("fifty similar tables go side by side instead") {
    std::vector<TableFacts> tables;
    for (int i = 0; i < 50; ++i) tables.push_back(table("t" + std::to_string(i), 100, 4, 30));
    const VacuumPlan plan = planVacuum(surveyOf(std::move(tables)), withJobs(2));
    for (const Step& step : plan.steps) CHECK(step.helpers == 0);
}

TEST_CASE("tables side by side share the workers that are idle") {
    const auto helpers = [](int tables, uint32_t jobs) {
        std::vector<TableFacts> facts;
        for (int i = 0; i < tables; ++i)
            facts.push_back(table("t" + std::to_string(i), 100, 7, 90));
        return stepOf(planVacuum(surveyOf(std::move(facts)), withJobs(jobs)), "public.t0").helpers;
    };
    CHECK(helpers(3, 4) == 0);
    CHECK(helpers(3, 6) == 1);
    CHECK(helpers(2, 6) == 2);
}

TEST_CASE("small indexes and those of other kinds have no helpers") {
    TableFacts facts = table("t", 1000, 3, 0);
    for (IndexFacts& index : facts.indexes) index.bytes = 100 * 1024;
    CHECK(stepOf(planVacuum(surveyOf({facts}), withJobs(4)), "public.t").helpers == 0);
    facts = table("t", 1000, 3, 100);
    facts.indexes[0].accessMethod = facts.indexes[1].accessMethod = "brin";
    CHECK(stepOf(planVacuum(surveyOf({facts}), withJobs(4)), "public.t").helpers == 0);
}

TEST_CASE("small tables share statements, from 11 on") {
    std::vector<TableFacts> tables;
    for (int i = 0; i < 1000; ++i) tables.push_back(table("t" + std::to_string(i), 1));
    VacuumPlan plan = planVacuum(surveyOf(tables, 15), withJobs(2));
    CHECK(plan.steps.size() == 20);
    CHECK(plan.steps.front().tables.size() == 50);
    CHECK(plan.graph.tasks.front().object == "public.t0 and 49 more");
    plan = planVacuum(surveyOf(tables, 10), withJobs(2));
    CHECK(plan.steps.size() == 1000);
    // Of each it is told what its plan would be, and why.
    for (TableFacts& facts : tables) facts.deadRows = 1000000;
    options::VacuumOptions dry = withJobs(2);
    dry.plan = "auto";
    dry.dryRun = true;
    plan = planVacuum(surveyOf(tables, 15), dry);
    CHECK(plan.steps.size() == 1000);
    CHECK(plan.steps.front().note.starts_with("vacuum: 1,000,000 dead rows"));
}

TEST_CASE("memory for dead rows is proposed so that indexes are read once") {
    // 60 million dead rows are 360 MB at six bytes.
    TableFacts facts = table("t", 6000, 2, 100);
    Survey survey = surveyOf({facts}, 15);
    survey.server.sharedBuffers = 4096 * kMb;
    VacuumPlan plan = planVacuum(survey, withJobs(2));
    REQUIRE(plan.proposals.memory);
    CHECK(*plan.proposals.memory == 430 * kMb);
    CHECK(plan.proposals.memoryWhy == "so that public.t needs one pass over its indexes");
    CHECK(stepOf(plan, "public.t").passes == 1);

    survey.server.sharedBuffers = 512 * kMb;
    plan = planVacuum(survey, withJobs(2));
    CHECK(*plan.proposals.memory == 128 * kMb);
    CHECK(plan.proposals.memoryWhy == "public.t could use 430MB, but shared_buffers allow no more");
    CHECK(stepOf(plan, "public.t").passes == 4);

    // From 17 on what is remembered takes less.
    survey.server.version = 170000;
    plan = planVacuum(survey, withJobs(2));
    CHECK_FALSE(plan.proposals.memory);
    CHECK(stepOf(plan, "public.t").passes == 1);

    options::VacuumOptions told = withJobs(2);
    told.maintenanceWorkMem = "1GB";
    CHECK(*planVacuum(survey, told).proposals.memory == 1024 * kMb);
}

TEST_CASE("a heap is visited again after its indexes, where rows are dead") {
    TableFacts facts = table("t", 1000, 2, 100);
    const auto again = [&facts] {
        const VacuumPlan plan = planVacuum(surveyOf({facts}), withJobs(2));
        const uint64_t visited = bytesVisitedAgain(stepOf(plan, "public.t"), facts);
        CHECK(plan.graph.tasks.front().bytes ==
              facts.heapBytes + visited + stepOf(plan, "public.t").passes * facts.indexBytes());
        return visited;
    };
    facts.deadRows = facts.blocks;
    CHECK(again() > 0);
    CHECK(again() < facts.heapBytes);
    facts.deadRows = facts.liveRows;
    CHECK(again() > facts.heapBytes / 2);
    facts.deadRows = 0;
    CHECK(again() == 0);
    facts.deadRows = facts.liveRows;
    facts.indexes.clear();
    CHECK(again() == 0);
}

TEST_CASE("sessions read for themselves where as many tables as processors are at work") {
    const auto reads = [](const Survey& survey, uint32_t jobs) {
        return planVacuum(survey, withJobs(jobs)).proposals.sessionsRead;
    };
    Survey survey = surveyOf({table("t", 100), table("u", 100)});
    survey.server.cacheSize = 200 * kMb;
    CHECK(reads(survey, 2));
    CHECK_FALSE(reads(survey, 1));
    survey.server.cacheSize -= 1;
    CHECK_FALSE(reads(survey, 2));
    Survey one = surveyOf({table("t", 100)});
    one.server.cacheSize = 200 * kMb;
    CHECK_FALSE(reads(one, 2));
    one.server.cores.reset();  // another machine
    CHECK_FALSE(reads(one, 64));
}

TEST_CASE("a share of the cache is proposed, and half of it left to others") {
    Survey survey = surveyOf({table("t", 100), table("u", 100)});
    CHECK(planVacuum(survey, withJobs(2)).proposals.ring == 64 * kMb);
    Survey more = surveyOf(std::vector<TableFacts>(8, table("t", 100)));
    CHECK(planVacuum(more, withJobs(8)).proposals.ring == 32 * kMb);
    // Jobs without work take no share.
    CHECK(planVacuum(survey, withJobs(60)).proposals.ring == 64 * kMb);
    survey.server.version = 150000;
    CHECK_FALSE(planVacuum(survey, withJobs(2)).proposals.ring);
}

TEST_CASE("as many tables at a time as there are processors, connections and tables") {
    Survey survey = surveyOf({table("a", 10), table("b", 10), table("c", 10)});
    const auto jobs = [&] { return planVacuum(survey, {}).proposals; };
    CHECK(jobs().jobs == 2);
    CHECK(jobs().jobsWhy == "the server has 2 processors");
    survey.server.cores = std::nullopt;
    CHECK(jobs().jobs == 3);
    CHECK(jobs().jobsWhy == "there are no more tables");
    survey.server.freeConnections = 3;
    CHECK(jobs().jobs == 1);
    CHECK(jobs().jobsWhy == "the server has no more free connections");
}

TEST_CASE("a plan of its own does what is needed and no more") {
    TableFacts calm = table("calm", 100);
    calm.deadRows = 0;
    calm.allVisible = calm.blocks;
    TableFacts stale = calm;
    stale.name = "stale";
    stale.modifiedRows = 1'000'000'000;
    TableFacts foreign = table("foreign", 100);
    foreign.permitted = false;
    const Survey survey = surveyOf({table("dirty", 100), calm, stale, foreign});
    options::VacuumOptions options = withJobs(2);
    options.plan = "auto";
    const VacuumPlan plan = planVacuum(survey, options);
    REQUIRE(plan.steps.size() == 3);
    const Step& dirty = stepOf(plan, "public.dirty");
    CHECK(dirty.vacuum);
    CHECK_FALSE(dirty.analyze);
    CHECK(dirty.note == "vacuum: 1,000,000 dead rows, 9% of all");
    const Step& analyzed = stepOf(plan, "public.stale");
    CHECK_FALSE(analyzed.vacuum);
    CHECK(analyzed.analyze);
    CHECK(stepOf(plan, "database db").kind == Step::Kind::Database);
    CHECK(plan.graph.tasks.back().after == std::vector<TaskId>{TaskId{0}});
}

TEST_CASE("in a window, what autovacuum will soon be forced to do goes before what takes longer") {
    Survey survey = surveyOf({table("large", 1000), table("old", 10), table("small", 1)});
    survey.tables[1].xidAge = 190'000'000;
    options::VacuumOptions options = withJobs(1);
    const auto isUrgent = [&](const char* name) {
        const VacuumPlan plan = planVacuum(survey, options);
        for (const plan::Task& task : plan.graph.tasks) {
            if (task.object == name) return task.urgent;
        }
        FAIL("no task " << name);
        return false;
    };
    CHECK_FALSE(isUrgent("public.old"));
    options.budget = "1h";
    CHECK(isUrgent("public.old"));
    CHECK_FALSE(isUrgent("public.large"));
    survey.tables[1].heapBytes = kMb;
    CHECK(isUrgent("public.old"));
    CHECK_FALSE(isUrgent("public.small"));
}

TEST_CASE("a partitioned table is left to its partitions but for the statistics of all") {
    Survey survey = surveyOf({table("part", 10), table("whole", 0)});
    survey.tables[1].relkind = 'p';
    survey.tables[1].rows = -1;
    survey.tables[1].blocks = 1000;
    const auto tasks = [&](const options::VacuumOptions& options) {
        std::vector<std::string> names;
        for (const plan::Task& task : planVacuum(survey, options).graph.tasks) {
            if (task.kind != plan::TaskKind::Statistics) names.push_back(task.object);
        }
        return names;
    };
    survey.tables[1].liveRows = 1000;
    using Names = std::vector<std::string>;
    options::VacuumOptions options = withJobs(2);
    CHECK(tasks(options) == Names{"public.part"});
    options.work.analyzeOnly = true;
    CHECK(tasks(options) == Names{"public.part", "public.whole"});
    survey.server.version = 170000;
    CHECK(tasks(options) == Names{"public.part"});
    options.work.analyzeOnly = false;
    options.plan = "auto";
    CHECK(tasks(options) == Names{"public.part", "public.whole"});
    // Which analyzes its partitions as well there.
    CHECK(planVacuum(survey, options).graph.tasks.at(1).after == std::vector<TaskId>{TaskId{0}});
    // Nor beside who rebuilds an index of one: each would wait for the other.
    survey.tables[0].indexes = {{.oid = Oid{30000},
                                 .name = "part_a",
                                 .accessMethod = "btree",
                                 .bytes = 200 * kMb,
                                 .rows = 100,
                                 .entryBytes = 8}};
    const plan::TaskGraph graph = planVacuum(survey, options).graph;
    REQUIRE(graph.tasks.size() >= 3);
    CHECK(graph.tasks[1].object == "public.part_a");
    CHECK(graph.tasks[2].after == std::vector<TaskId>{TaskId{0}, TaskId{1}});
    survey.tables[0].indexes.clear();
    survey.server.version = 180000;
    CHECK(planVacuum(survey, options).graph.tasks.at(1).after.empty());
}

TEST_CASE("a partitioned table that was named is vacuumed partition by partition") {
    Survey survey = surveyOf({table("part", 10), table("whole", 0)});
    survey.tables[0].named = survey.tables[0].ofNamed = survey.tables[0].underWhole = true;
    survey.tables[1].named = true;
    survey.tables[1].relkind = 'p';
    options::VacuumOptions options = withJobs(2);
    options.selection.tables = {"whole"};
    options.work.full = true;
    const VacuumPlan full = planVacuum(survey, options);
    REQUIRE(stepOf(full, "public.part").full);
    CHECK(full.steps.size() == 2);  // and the database's own
    options.work.full = false;
    options.work.analyze = true;
    const VacuumPlan both = planVacuum(survey, options);
    CHECK(stepOf(both, "public.part").analyze);
    CHECK_FALSE(stepOf(both, "public.whole").vacuum);
    CHECK(stepOf(both, "public.whole").analyze);
    // Where the whole is analyzed along with all below it, no partition is twice.
    survey.server.version = 170000;
    const VacuumPlan before18 = planVacuum(survey, options);
    CHECK_FALSE(stepOf(before18, "public.part").analyze);
    CHECK(stepOf(before18, "public.whole").analyze);
    CHECK(before18.graph.tasks[1].after == std::vector<TaskId>{TaskId{0}});
    // Nobody else does it if the whole is not analyzed.
    survey.tables.pop_back();
    survey.tables[0].underWhole = false;
    CHECK(stepOf(planVacuum(survey, options), "public.part").analyze);
}

TEST_CASE("there are no more sessions than there is work") {
    const VacuumPlan plan = planVacuum(surveyOf({table("t", 1000)}), withJobs(60));
    CHECK(plan.proposals.jobs == plan.steps.size());
}

TEST_CASE("catalogs are written anew one after the other, behind all others") {
    TableFacts one = table("pg_class", 10);
    one.schema = "pg_catalog";
    one.catalog = true;
    TableFacts other = one;
    other.name = "pg_type";
    options::VacuumOptions options = withJobs(2);
    options.work.full = true;
    const VacuumPlan plan = planVacuum(surveyOf({one, table("t", 10), other}), options);
    REQUIRE(plan.graph.tasks.size() == 4);
    CHECK(plan.graph.tasks[0].object == "public.t");
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(plan.graph.tasks[i].kind == plan::TaskKind::VacuumFull);
    }
    CHECK(plan.graph.tasks[1].after == std::vector<TaskId>{TaskId{0}});
    CHECK(plan.graph.tasks[2].after == std::vector<TaskId>{TaskId{1}});
    CHECK(plan.steps[0].note.find("locked against everybody for about") != std::string::npos);
}

TEST_CASE("a large TOAST table is vacuumed beside its table") {
    TableFacts facts = table("t", 100);
    facts.toast = Oid{777};
    facts.toastName = "pg_toast_20000";
    facts.toastBytes = 500 * kMb;
    facts.toastPermitted = true;
    VacuumPlan plan = planVacuum(surveyOf({facts}), withJobs(2));
    CHECK(stepOf(plan, "public.t (TOAST)").toastAlone);
    CHECK_FALSE(stepOf(plan, "public.t").withToast);
    const double whole = stepOf(plan, "public.t (TOAST)").seconds;
    CHECK(stepOf(plan, "public.t").seconds ==
          Catch::Approx(estimateVacuum(facts, {.toast = false, .passes = 1})));
    SECTION("of which what is visible to all is skipped") {
        facts.toastVisible = facts.toastBytes / 8192;
        facts.toastDead = 4000;
        plan = planVacuum(surveyOf({facts}), withJobs(2));
        const double some = stepOf(plan, "public.t (TOAST)").seconds;
        CHECK(some < whole / 10);
        facts.toastDead = 0;
        plan = planVacuum(surveyOf({facts}), withJobs(2));
        CHECK(stepOf(plan, "public.t (TOAST)").seconds < some);
    }
    facts.toastPermitted = false;
    plan = planVacuum(surveyOf({facts}), withJobs(2));
    CHECK(stepOf(plan, "public.t").withToast);
    CHECK(plan.steps.size() == 2);  // with the database's own
}

TEST_CASE("an empty TOAST table is passed over unless more is asked for") {
    TableFacts facts = table("t", 100);
    facts.toast = Oid{777};
    facts.toastEmpty = true;
    const auto passedOver = [&](const options::VacuumOptions& options, int major = 18) {
        return !stepOf(planVacuum(surveyOf({facts}, major), options), "public.t").withToast;
    };
    const options::VacuumOptions usual = withJobs(2);
    CHECK(passedOver(usual));
    CHECK_FALSE(passedOver(usual, 13));
    options::VacuumOptions more = usual;
    SECTION("freezing") { more.work.freeze = true; }
    SECTION("rewriting") { more.work.full = true; }
    SECTION("every page") { more.work.disablePageSkipping = true; }
    SECTION("the TOAST table alone") { more.work.noProcessMain = true; }
    SECTION("chosen by age") { more.selection.minXidAge = 1; }
    SECTION("chosen by multixact age") { more.selection.minMxidAge = 1; }
    SECTION("rows in it") { facts.toastEmpty = false; }
    CHECK_FALSE(passedOver(more));
}

TEST_CASE("small tables share a statement with those whose TOAST table needs the same") {
    std::vector<TableFacts> tables;
    for (int i = 0; i < 60; ++i) {
        tables.push_back(table("t" + std::to_string(i), 0));
        if (i % 3 > 0) tables.back().toast = Oid{static_cast<uint32_t>(50000 + i)};
        tables.back().toastEmpty = i % 3 == 1;
    }
    const Survey survey = surveyOf(tables);
    std::size_t met = 0;
    for (const Step& step : planVacuum(survey, withJobs(2)).steps) {
        for (const std::size_t place : step.tables) {
            const bool filled = place % 3 == 2;
            CHECK(step.withToast == filled);
            ++met;
        }
    }
    CHECK(met == tables.size());
}

TEST_CASE("stages follow each other") {
    options::VacuumOptions options = withJobs(2);
    options.work.analyzeInStages = true;
    const VacuumPlan plan = planVacuum(surveyOf({table("a", 10), table("b", 10)}), options);
    REQUIRE(plan.graph.tasks.size() == 8);
    CHECK(plan.graph.tasks[0].object == "public.a, stage 1");
    CHECK(plan.graph.tasks[2].object == "stage 1");
    CHECK(plan.graph.tasks[2].after == std::vector<TaskId>{TaskId{0}, TaskId{1}});
    CHECK(plan.graph.tasks[3].after == std::vector<TaskId>{TaskId{2}});
    CHECK(plan.steps[7].stage == 3);
}

TEST_CASE("bloated indexes are built anew, one of a table at a time, leftovers dropped before") {
    TableFacts facts = table("t", 100, 4, 80);
    for (IndexFacts& index : facts.indexes) {
        index.rows = 900000;
        index.entryBytes = 8;
    }
    facts.indexes[1].name = "t_0_ccnew";
    facts.indexes[1].valid = false;
    facts.indexes[2].bytes = 20 * kMb;
    options::VacuumOptions options = withJobs(2);
    options.work.reindexConcurrently = true;
    const VacuumPlan plan = planVacuum(surveyOf({facts}), options);
    REQUIRE(plan.steps.size() == 3);
    CHECK(plan.steps[0].kind == Step::Kind::DropIndex);
    CHECK(plan.steps[0].note == "drop: an interrupted rebuild left it, and it cannot be used");
    CHECK(plan.graph.tasks[0].object == "public.t_0_ccnew");
    CHECK(plan.steps[1].kind == Step::Kind::Reindex);
    CHECK(plan.graph.tasks[1].object == "public.t_0");
    CHECK(plan.graph.tasks[1].after == std::vector<TaskId>{TaskId{0}});
    CHECK(plan.graph.tasks[2].object == "public.t_3");
    CHECK(plan.graph.tasks[1].locks.front().key == plan.graph.tasks[2].locks.front().key);
    facts.indexes[1].workedOn = true;
    CHECK(planVacuum(surveyOf({facts}), options).steps[0].note ==
          "drop, unless the session that is at work on its table is building it");
}

TEST_CASE("a throttle's pauses are part of the estimate") {
    Survey survey = surveyOf({table("t", 800, 1, 80)});
    options::VacuumOptions options = withJobs(1);
    const double free = stepOf(planVacuum(survey, options), "public.t").seconds;
    options.costDelay = 10;
    options.costLimit = 200;
    // 102,400 blocks of the table and 10,240 of its index, read for 2 each: 11 s asleep at least.
    const double throttled = stepOf(planVacuum(survey, options), "public.t").seconds;
    CHECK(throttled > free + 11);
    options.costLimit = 2000;
    CHECK(stepOf(planVacuum(survey, options), "public.t").seconds - free ==
          Catch::Approx((throttled - free) / 10));
    options.costDelay.reset();
    CHECK(stepOf(planVacuum(survey, options), "public.t").seconds == free);
    survey.server.costDelay = 10;  // the role's or the database's own setting
    CHECK(stepOf(planVacuum(survey, options), "public.t").seconds > free);
}

TEST_CASE("indexes take longer than rows do, byte by byte") {
    const double rows = estimateVacuum(table("rows", 400), {.passes = 1});
    const double indexes = estimateVacuum(table("indexes", 100, 6, 50), {.passes = 1});
    CHECK(indexes > 1.3 * rows);
    CHECK(estimateVacuum(table("indexes", 100, 6, 50), {.passes = 1, .helpers = 5}) < indexes / 2);
    CHECK(estimateVacuum(table("clean", 100, 6, 50), {.passes = 0}) < indexes / 4);
}

TEST_CASE("a vacuum reads what changed since the last one, and what lies between") {
    TableFacts facts = table("t", 800);
    facts.deadRows = 0;
    const double never = estimateVacuum(facts, {});
    facts.allVisible = facts.blocks;
    const double clean = estimateVacuum(facts, {});
    CHECK(clean < never / 100);
    CHECK(estimateVacuum(facts, {.everyBlock = true}) == never);
    // New rows lie together at the end.
    facts.insertedRows = facts.liveRows / 10;
    CHECK(estimateVacuum(facts, {}) < never / 5);
    facts.insertedRows = 0;
    facts.deadRows = 10;
    CHECK(estimateVacuum(facts, {}) < never / 10);
    // The server skips nothing less than 32 blocks in a row.
    facts.deadRows = facts.liveRows / 20;
    CHECK(estimateVacuum(facts, {}) > never);
}

TEST_CASE("dead rows change fewer blocks than there are of them") {
    TableFacts facts = table("t", 800);
    const auto cleaning = [&](uint64_t dead) {
        facts.deadRows = 0;
        const double reading = estimateVacuum(facts, {});
        facts.deadRows = dead;
        return estimateVacuum(facts, {}) - reading;
    };
    const double all = cleaning(facts.liveRows * 20);
    CHECK(cleaning(facts.liveRows / 10) < all / 2);
    CHECK(cleaning(facts.liveRows / 10) > all / 10);
    CHECK(cleaning(facts.liveRows / 100) < cleaning(facts.liveRows / 10));
}
