// SPDX-License-Identifier: PostgreSQL
// What the history knows of a server, as advice takes it.
#include "core/advise/past_rates.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/advise/advisor.h"
#include "core/history/forecast.h"
#include "core/vacuum/vacuum_plan.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/history/past_runs.h"

using namespace gantry;
using namespace gantry::advise;
using namespace gantry::test;
using Catch::Approx;

namespace {

Surroundings here() {
    Surroundings where;
    where.serverMajor = 18;
    where.localCores = 16;
    where.freeConnections = 50;
    where.cluster = "7001";
    where.serverVersion = "18.1";
    where.sharedBuffers = 1 << 27;
    return where;
}

Calibration sample() {
    Calibration c;
    c.takenAt = "2026-11-21T10:00:00Z";
    c.database = "shop";
    c.serverVersion = "18.1";
    c.sharedBuffers = 1 << 27;
    c.localCores = 16;
    c.roundTrip = 0.0002;
    c.copyRatio = 0.8;
    c.sampledBytes = 400'000'000;
    c.reading = {{.connections = 1, .bytesPerSecond = 100e6},
                 {.connections = 2, .bytesPerSecond = 190e6},
                 {.connections = 4, .bytesPerSecond = 200e6}};
    c.codecs = {{.compression = "zstd:3", .bytesPerSecond = 160e6, .ratio = 0.25},
                {.compression = "gzip:6", .bytesPerSecond = 24e6, .ratio = 0.28}};
    c.writing = {.folder = "/backup", .bytesPerSecond = 90e6};
    c.notes = {"One table was left out."};
    return c;
}

}  // namespace

TEST_CASE("a dump's rates are those of the last dumps of the server") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    Surroundings where = here();
    const auto format = archive::Format::Directory;
    const auto zstd = io::parseCompression("zstd");
    const DumpRates assumed = dumpRates(history, where, format, zstd);
    CHECK_FALSE(assumed.measured);
    CHECK_FALSE(std::filesystem::exists(folder / "history.db"));
    record(folder.path(), {});
    const DumpRates rates = dumpRates(history, where, format, zstd);
    CHECK(rates.measured);
    CHECK(rates.runs == 1);
    // The larger table's 1 GB over one connection took 10 s.
    CHECK(rates.readPerSecond == Approx(100e6).epsilon(0.05));
    CHECK(rates.ratio == Approx(0.25));
    CHECK_FALSE(dumpRates(history, where, format, io::parseCompression("gzip")).measured);
    CHECK_FALSE(dumpRates(history, where, format, zstd, "/dev/null").measured);
    record(folder.path(), {.seconds = 5, .file = "/dev/null"});
    CHECK(dumpRates(history, where, format, zstd, "/dev/null").readPerSecond ==
          Approx(200e6).epsilon(0.05));
    CHECK(dumpRates(history, where, format, zstd, "/backup/x").runs == 1);
    record(folder.path(), {.database = "another", .seconds = 40});
    where.database = "shop";
    CHECK(dumpRates(history, where, format, zstd).readPerSecond == Approx(rates.readPerSecond));
    where.database = "a new one";
    CHECK(dumpRates(history, where, format, zstd).runs == 2);
    where.cluster = "7002";
    CHECK_FALSE(dumpRates(history, where, format, zstd).measured);
}

TEST_CASE("what a dump waited for a lock is no part of its rates") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    record(folder.path(), {.seconds = 10, .waits = 20});
    CHECK(history.runs().front().elapsed == std::chrono::seconds(30));
    CHECK(history.runs().front().heldUp == std::chrono::seconds(20));
    const auto format = archive::Format::Directory;
    CHECK(dumpRates(history, here(), format, io::parseCompression("zstd")).readPerSecond ==
          Approx(100e6).epsilon(0.05));
}

TEST_CASE("a calibration comes back from the history as it was kept") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    CHECK_FALSE(findCalibration(history, "7001"));
    history.keepCalibration("7001", "2026-11-20T10:00:00Z", "{}");
    CHECK_FALSE(findCalibration(history, "7001"));  // not one of ours
    history.keepCalibration("7001", sample().takenAt, toJson(sample()));
    const auto found = findCalibration(history, "7001");
    REQUIRE(found);
    CHECK(toJson(*found) == toJson(sample()));
    CHECK_FALSE(findCalibration(history, "7002"));
    CHECK(serverKey(here()) == "7001");
    Surroundings silent = here();
    silent.cluster.clear();
    silent.server = "db1:5432";
    CHECK(serverKey(silent) == "db1:5432");
    CHECK_THROWS(calibrationFrom(R"({"taken_at": 1})"));
}

TEST_CASE("rates of a calibration are those of the database's bytes") {
    const auto rates = ratesOf(sample(), io::parseCompression("zstd:3"));
    REQUIRE(rates);
    CHECK(rates->readPerSecond == Approx(100e6));
    CHECK(rates->readTotal == Approx(200e6));
    CHECK(rates->compressPerSecond == Approx(200e6));
    CHECK(rates->ratio == Approx(0.2));
    CHECK(rates->measured);
    CHECK(rates->sampledAt == "2026-11-21T10:00:00Z");
    // A level beside the measured one is as much slower as it usually is.
    CHECK(ratesOf(sample(), io::parseCompression("zstd:6"))->compressPerSecond == Approx(80e6));
    CHECK(ratesOf(sample(), {})->ratio == Approx(0.8));
    Calibration nothing = sample();
    nothing.reading.clear();
    CHECK_FALSE(ratesOf(nothing, {}));
    CHECK(sample().scaledTo() == 2);
    CHECK(codecsOf(sample(), 17).size() == 2);
    CHECK(codecsOf(sample(), 15).size() == 1);
}

TEST_CASE("a calibration goes stale visibly") {
    const std::string now = "2026-11-22T00:00:00Z";
    CHECK(staleness(sample(), here(), now).empty());
    CHECK(staleness(sample(), here(), "2026-12-21T00:00:00Z").empty());
    CHECK(staleness(sample(), here(), "2026-12-22T00:00:00Z") == "it is 31 days old");
    Surroundings where = here();
    where.serverVersion = "18.2";
    CHECK(staleness(sample(), where, now) == "the server was 18.1 then, and is 18.2 now");
    where = here();
    where.sharedBuffers *= 2;
    CHECK(staleness(sample(), where, now) == "shared_buffers was 128MB then, and is 256MB now");
    where = here();
    where.localCores = 4;
    CHECK(staleness(sample(), where, now) ==
          "we could use 16 of this machine's cores then, and 4 now");
}

TEST_CASE("a dump's rates are a calibration's until there was a dump") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    history.keepCalibration("7001", sample().takenAt, toJson(sample()));
    const auto format = archive::Format::Directory;
    const auto zstd = io::parseCompression("zstd");
    CHECK(dumpRates(history, here(), format, zstd).readPerSecond == Approx(100e6));
    record(folder.path(), {.seconds = 20});
    const DumpRates rates = dumpRates(history, here(), format, zstd);
    CHECK(rates.runs == 1);
    CHECK(rates.readPerSecond == Approx(50e6).epsilon(0.05));
}

TEST_CASE("an archive's size goes by dumps of the database, or samples of it, not of another") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    history.keepCalibration("7001", sample().takenAt, toJson(sample()));  // of "shop"
    record(folder.path(), {.database = "orders", .options = {{"compress", "auto"}}});
    const auto sizeOf = [&](const char* database) {
        DumpQuestion question;
        question.surroundings = here();
        question.surroundings.database = database;
        question.workload.tables = {
            {.object = "public.t", .heapBlocks = 122'070, .bytes = 1'000'000'000}};
        recall(question, {}, history);
        CHECK(question.rates.runs == 1);
        return *adviseDump(question).archiveBytes;
    };
    CHECK(sizeOf("orders").low == Approx(0.9 * 0.25e9));
    CHECK(sizeOf("orders").high == Approx(1.1 * 0.25e9));
    CHECK(sizeOf("shop").high == Approx(1.1 * 0.2e9));
    // Of this one nothing is known.
    CHECK(sizeOf("a new one").low == Approx(0.5 * 0.25e9));
    CHECK(sizeOf("a new one").high == Approx(1.6 * 0.25e9));
}

TEST_CASE("costs of restores are those of the last ones on the server") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    CHECK_FALSE(costFactors(history, here(), "restore").measured());
    record(folder.path(), {.operation = "restore"});
    const CostFactors factors = costFactors(history, here(), "restore");
    CHECK(factors.runs == 1);
    REQUIRE(factors.byKind.size() == 1);
    plan::TaskGraph graph;
    plan::Task rows;
    rows.cost = 1;
    graph.add(rows);
    rows.kind = plan::TaskKind::Index;
    graph.add(rows);
    factors.apply(graph);
    CHECK(graph.tasks[0].cost == Approx(factors.byKind.begin()->second));
    CHECK(graph.tasks[1].cost == Approx(graph.tasks[0].cost));
    CHECK_FALSE(costFactors(history, here(), "vacuum").measured());
}

TEST_CASE("tasks of a kind never met cost by what all others took, the long ones first of all") {
    history::Experience past;
    const auto add = [&](std::string kind, double estimatedMs, Duration busy) {
        history::PastTask& task = past.tasks.emplace_back();
        task.kind = std::move(kind);
        task.status = "done";
        task.estimatedMs = estimatedMs;
        task.busy = busy;
    };
    add("table data", 10'000, std::chrono::seconds(20));
    add("definitions", 1, std::chrono::milliseconds(100));
    const history::CostRatios ratios = history::costRatios({past});
    // A moment's work says what a statement costs, not how fast the server is.
    CHECK_FALSE(ratios.byKind.contains("definitions"));
    CHECK(ratios.all == Approx(2));
    const CostFactors factors{.byKind = ratios.byKind, .ofOthers = ratios.all, .runs = 1};
    plan::TaskGraph graph;
    plan::Task objects;
    objects.kind = plan::TaskKind::LargeObjects;
    objects.cost = 3;
    graph.add(objects);
    factors.apply(graph);
    CHECK(graph.tasks[0].cost == Approx(6).epsilon(0.01));
}

TEST_CASE("of vacuums only those tell that did the same work") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    options::VacuumOptions options;
    const auto runs = [&] {
        return costFactors(history, here(), "vacuum", vacuum::toldOptions(options)).runs;
    };
    record(folder.path(), {.operation = "vacuum"});
    CHECK(runs() == 1);
    options.plan = "auto";
    CHECK(runs() == 0);
    record(folder.path(), {.operation = "vacuum", .options = {{"plan", "auto"}, {"jobs", "4"}}});
    CHECK(runs() == 1);
    options.costDelay = 5;
    CHECK(runs() == 0);
}

TEST_CASE("a short run tells of its server as long as there is no longer one") {
    const TemporaryFolder folder;
    history::History history(folder.path());
    record(folder.path(), {.operation = "vacuum", .seconds = 0.01});
    CHECK_FALSE(costFactors(history, here(), "vacuum").measured());
    record(folder.path(), {.operation = "vacuum", .seconds = 0.3});
    const CostFactors ofShort = costFactors(history, here(), "vacuum");
    CHECK(ofShort.runs == 1);
    record(folder.path(), {.operation = "vacuum", .seconds = 30});
    const CostFactors ofLong = costFactors(history, here(), "vacuum");
    CHECK(ofLong.runs == 1);
    CHECK(ofLong.byKind.begin()->second > 10 * ofShort.byKind.begin()->second);
}
