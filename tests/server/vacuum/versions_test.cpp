// SPDX-License-Identifier: PostgreSQL
// What each version tells of a vacuum under way: phases, blocks, passes, each index with the
// process that works on it, TOAST.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <map>
#include <set>

#include "tests/server/vacuum/vacuum_scene.h"

using namespace gantry;
using namespace gantry::test;

namespace {

constexpr int kParallel = 13;

struct Part {
    events::PartStarted started;
    std::optional<events::PartFinished> finished;
};

std::map<std::string, Part> partsOf(const EventRecord& record, events::PartKind kind) {
    std::map<std::pair<TaskId, uint32_t>, std::string> names;
    std::map<std::string, Part> parts;
    for (const auto& started : record.all<events::PartStarted>()) {
        if (started.kind != kind) continue;
        names[{started.span.task, started.part}] = started.object;
        parts[started.object].started = started;
    }
    for (const auto& finished : record.all<events::PartFinished>()) {
        const auto name = names.find({finished.span.task, finished.part});
        if (name != names.end()) parts[name->second].finished = finished;
    }
    return parts;
}

}  // namespace

TEST_CASE("what a vacuum is at is told as far as each version tells") {
    const int major = GENERATE(from_range(installedMajors()));
    INFO("server " << major);
    const Cluster cluster(quietServer(major));
    makeDirty(cluster, "postgres", "t", 40000);
    waitUntil("the dead rows are counted", [&] {
        return cluster.value("SELECT n_dead_tup FROM pg_stat_user_tables") == "4000";
    });

    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"t"};
    options.jobs = 1;
    slowDown(options);
    if (major >= kParallel) options.parallel = 2;
    EventRecord record;
    runVacuum(options, record);
    CHECK(record.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);

    const auto outcomes = record.all<events::VacuumOutcome>();
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].relation == "public.t");
    CHECK(outcomes[0].rowsRemoved == 4000);
    CHECK(outcomes[0].rowsKept == 0);
    CHECK(outcomes[0].bytesBefore == outcomes[0].bytesAfter);

    // Each index has its stretch, with its rows, and no process has two at a time.
    const auto parts = partsOf(record, events::PartKind::Index);
    REQUIRE(parts.size() == 3);
    std::set<uint32_t> helpers;
    for (const char* name : {"t_pkey", "t_a", "t_b"}) {
        INFO(name);
        REQUIRE(parts.contains(name));
        const auto& finished = parts.at(name).finished;
        REQUIRE(finished);
        CHECK(finished->rows == 4000);
        REQUIRE(finished->took);
        CHECK(finished->took->count() > 0);
        helpers.insert(finished->helper);
    }
    const auto launched = record.all<events::HelpersLaunched>();
    if (major >= kParallel) {
        REQUIRE(!launched.empty());
        CHECK(launched[0].phase == "vacuuming");
        CHECK(launched[0].planned == 2);
        CHECK(launched[0].launched == 2);
        CHECK(helpers.size() > 1);
        CHECK(*helpers.rbegin() <= 2);
    } else {
        CHECK(launched.empty());
        CHECK(helpers == std::set<uint32_t>{0});
    }

    std::set<std::string> phases;
    for (const auto& phase : record.all<events::TaskPhase>()) phases.insert(phase.phase);
    CHECK(phases.contains("scanning heap"));
    // With helpers it may be over between two looks; then their launch has told of it.
    CHECK((phases.contains("vacuuming indexes") || !launched.empty()));
    CHECK(phases.contains("vacuuming heap"));
    bool sawDead = false;
    for (const auto& progress : record.all<events::VacuumProgress>()) {
        if (progress.relation.starts_with("pg_toast.")) continue;  // empty, but it has its turn
        CHECK(progress.relation == "public.t");
        CHECK(progress.blocks > 0);
        CHECK(progress.blocksScanned <= progress.blocks);
        CHECK(progress.deadBytesMost > 0);
        sawDead = sawDead || (progress.deadRows > 0 && progress.deadBytes > 0);
        CHECK((progress.indexes == 0 || progress.indexes == 3));
    }
    CHECK(sawDead);

    // The heap's second visit is part of the work, and seen to get on.
    const uint64_t visitedOnce =
        std::stoull(cluster.value("SELECT pg_relation_size('t') + pg_indexes_size('t')"));
    const uint64_t planned = record.all<events::Plan>().at(0).tasks.at(0).estimatedBytes;
    CHECK(planned > visitedOnce);
    uint64_t most = 0;
    for (const auto& progress : record.all<events::TaskProgress>()) {
        most = std::max(most, progress.bytes);
    }
    CHECK(most > visitedOnce);
    CHECK(most <= planned);
}

TEST_CASE("a TOAST table has its place on the chart") {
    const int major = GENERATE(from_range(installedMajors()));
    INFO("server " << major);
    const Cluster cluster(quietServer(major));
    cluster.execute(
        "CREATE TABLE wide(id int PRIMARY KEY, t text); ALTER TABLE wide ALTER t SET STORAGE "
        "EXTERNAL; INSERT INTO wide SELECT g, repeat(md5(g::text), 200) FROM generate_series(1, "
        "500) g");
    cluster.execute("VACUUM ANALYZE wide");
    cluster.execute("DELETE FROM wide WHERE id % 2 = 0");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"wide"};
    EventRecord record;
    runVacuum(options, record);
    const auto parts = partsOf(record, events::PartKind::Toast);
    REQUIRE(parts.size() == 1);
    CHECK(parts.begin()->first.find("pg_toast.pg_toast_") != std::string::npos);
    CHECK(parts.begin()->second.finished);
    CHECK(record.all<events::VacuumOutcome>().at(0).rowsRemoved > 250);
}

TEST_CASE("tables written anew and statistics show their own phases") {
    const int major = GENERATE(from_range(installedMajors()));
    INFO("server " << major);
    const Cluster cluster(quietServer(major));
    makeDirty(cluster, "postgres", "t", 200000);
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"t"};
    options.work.full = true;
    EventRecord record;
    runVacuum(options, record);
    CHECK(record.all<events::VacuumOutcome>().at(0).rowsRemoved == 20000);
    CHECK(record.all<events::VacuumOutcome>().at(0).bytesAfter <
          record.all<events::VacuumOutcome>().at(0).bytesBefore);
    CHECK(noticeThatBegins(record, "VACUUM FULL locks one table against everybody") != "");

    options.work = {};
    options.work.analyzeOnly = true;
    slowDown(options);
    constexpr int kCheaperMisses = 14;  // vacuum_cost_page_miss: 10, then 2
    options.costLimit = major < kCheaperMisses ? 200 : 40;
    EventRecord analyzed;
    runVacuum(options, analyzed);
    CHECK(cluster.value("SELECT n_mod_since_analyze FROM pg_stat_user_tables") == "0");
    bool told = false;
    for (const auto& phase : analyzed.all<events::TaskPhase>()) {
        told = told || phase.phase == "analyzing: acquiring sample rows";
    }
    CHECK(told == (major >= 13));
}
