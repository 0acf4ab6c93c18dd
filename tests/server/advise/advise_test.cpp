// SPDX-License-Identifier: PostgreSQL
// Advice and calibration against real servers: what they find out, that they end in time, wait for
// nobody and leave nothing behind.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/advise/advisor.h"
#include "core/advise/calibrate.h"
#include "core/advise/past_rates.h"
#include "core/advise/workload.h"
#include "core/dump/inventory.h"
#include "core/pg/connection.h"
#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::advise;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Seconds = std::chrono::duration<double>;

namespace {

constexpr const char* kTables =
    "CREATE TABLE plain AS SELECT g AS id, repeat(md5(g::text), 4) AS text"
    " FROM generate_series(1, 60000) g;"
    "ALTER TABLE plain ADD PRIMARY KEY (id); CREATE INDEX plain_text ON plain (text);"
    "CREATE TABLE wide (id int, document text);"
    "ALTER TABLE wide ALTER document SET STORAGE EXTERNAL;"
    "INSERT INTO wide SELECT g, repeat(md5(g::text), 400) FROM generate_series(1, 300) g;"
    "CREATE TABLE child (id int REFERENCES plain);"
    "CREATE TABLE secret AS SELECT 1 AS one; ANALYZE";

pg::Connection connectTo(const Cluster& cluster) {
    return pg::Connection::open(cluster.connection(), "test", {});
}

/// Sessions of calibration that are still there; those that end need a moment.
std::string sessionsLeft(const Cluster& cluster) {
    std::string left;
    for (int i = 0; i < 50; ++i) {
        left = cluster.value(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'gantry%'");
        if (left == "0") break;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return left;
}

}  // namespace

TEST_CASE("calibration measures in time, and leaves no session and no file") {
    const Cluster cluster;
    cluster.execute(kTables);
    const TemporaryFolder folder;
    const auto begin = std::chrono::steady_clock::now();
    const Calibration found = calibrate(
        {.connection = cluster.connection(), .destination = folder / "archive", .seconds = 10}, {});
    CHECK(Seconds(std::chrono::steady_clock::now() - begin).count() < 11);
    CHECK(found.database == "postgres");
    REQUIRE_FALSE(found.reading.empty());
    CHECK(found.reading.front().connections == 1);
    CHECK(found.reading.front().bytesPerSecond > 0);
    CHECK(found.copyRatio > 0.1);
    CHECK(found.copyRatio < 2);
    CHECK(found.roundTrip > 0);
    REQUIRE_FALSE(found.codecs.empty());
    for (const Calibration::Codec& codec : found.codecs) {
        CAPTURE(codec.compression);
        CHECK(codec.bytesPerSecond > 0);
        CHECK(codec.ratio < 1);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
    CHECK(sessionsLeft(cluster) == "0");
    CHECK(toJson(calibrationFrom(toJson(found))) == toJson(found));
}

TEST_CASE("calibration ends when its time is over, and at once when it is stopped") {
    const Cluster cluster;
    cluster.execute(kTables);
    auto begin = std::chrono::steady_clock::now();
    const Calibration found =
        calibrate({.connection = cluster.connection(), .destination = {}, .seconds = 0.8}, {});
    CHECK(Seconds(std::chrono::steady_clock::now() - begin).count() < 3);
    CHECK(found.codecs.size() < 7);
    std::stop_source stop;
    stop.request_stop();
    CHECK_THROWS_AS(calibrate({.connection = cluster.connection()}, stop.get_token()), Error);
    CHECK(sessionsLeft(cluster) == "0");
}

TEST_CASE("a table that somebody has for himself keeps neither calibration nor advice waiting") {
    const Cluster cluster;
    cluster.execute(kTables);
    pg::Connection other = connectTo(cluster);
    other.execute("BEGIN; LOCK TABLE plain IN ACCESS EXCLUSIVE MODE");
    const TemporaryFolder folder;
    history::History history(folder / "history");
    const auto begin = std::chrono::steady_clock::now();
    const Calibration found =
        calibrate({.connection = cluster.connection(), .destination = {}, .seconds = 10}, {});
    REQUIRE(found.notes.size() == 1);
    CHECK(found.notes.front() ==
          "1 table was left out, locked or not for us to read: public.plain.");
    options::DumpOptions dump;
    dump.connection = cluster.connection();
    const DumpQuestion question = questionFor(dump, history, {});
    CHECK(question.workload.tables.size() == 4);
    CHECK(question.workload.bytes() > 5'000'000);  // as the catalog remembers it
    options::RestoreOptions restore;
    restore.connection = cluster.connection();
    CHECK_FALSE(adviseOn(restore, history, {}).recommendations.empty());
    options::VacuumOptions vacuum;
    vacuum.connection = cluster.connection();
    CHECK_FALSE(adviseOn(vacuum, history, {}).recommendations.empty());
    pg::Connection looking = connectTo(cluster);
    const Oid schema{
        static_cast<uint32_t>(std::stoul(cluster.value("SELECT 'public'::regnamespace::oid")))};
    CHECK(dump::listRelations(looking, schema).size() == 4);
    CHECK(Seconds(std::chrono::steady_clock::now() - begin).count() < 60);
}

TEST_CASE("a role without rights gets what there is to get") {
    const Cluster cluster;
    cluster.execute(kTables);
    cluster.execute(
        "CREATE ROLE guest LOGIN; GRANT SELECT ON plain TO guest; GRANT USAGE ON SCHEMA public TO "
        "guest");
    options::ConnectionOptions guest = cluster.connection();
    guest.user = "guest";
    guest.database = "host=" + cluster.socketFolder().string() +
                     " port=" + std::to_string(cluster.port()) + " dbname=postgres";
    const Calibration found = calibrate({.connection = guest, .destination = {}, .seconds = 6}, {});
    CHECK_FALSE(found.reading.empty());
    pg::Connection connection = pg::Connection::open(guest, "test", {});
    pg::Connection superuser = connectTo(cluster);
    const Surroundings where = collectSurroundings(connection);
    CHECK_FALSE(where.busySessions);  // somebody is there whose work is hidden
    CHECK(where.maxConnections > 0);
    CHECK(where.freeConnections > 0);
    const TemporaryFolder folder;
    history::History history(folder / "history");
    options::DumpOptions dump;
    dump.connection = guest;
    CHECK(adviseOn(dump, history, {}).jobs() >= 1);
}

TEST_CASE("sessions in which Gantry itself looks are no load") {
    const Cluster cluster;
    pg::Connection connection = connectTo(cluster);
    std::vector<std::jthread> sleepers;
    const auto sleep = [&](const char* application) {
        sleepers.emplace_back([&cluster, application](const std::stop_token& stop) {
            pg::Connection session = pg::Connection::open(cluster.connection(), application, stop);
            try {
                session.execute("SELECT pg_sleep(600)");
            } catch (const Error&) {  // stopped
            }
        });
        while (cluster.value(std::string("SELECT count(*) FROM pg_stat_activity WHERE state = "
                                         "'active' AND application_name = '") +
                             application + "'") != "1") {
            std::this_thread::yield();
        }
    };
    sleep("gantry");
    sleep("gantry restore: check");
    CHECK(collectSurroundings(connection).busySessions == 0);
    sleep("gantry dump: worker 1");
    CHECK(collectSurroundings(connection).busySessions == 1);
}

TEST_CASE("surroundings are found on every version") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    const Cluster cluster(ClusterOptions{
        .major = major, .settings = {"max_parallel_workers = 6", "shared_buffers = 64MB"}});
    pg::Connection connection = connectTo(cluster);
    const Surroundings where = collectSurroundings(connection);
    CHECK(where.serverMajor == major);
    REQUIRE(where.serverCores);  // one that does not run here tells them itself
    CHECK(*where.serverCores >= 1);
    CHECK(where.serverCoresDoubt.empty());
    CHECK(where.sharedBuffers == 64ULL << 20);
    CHECK(where.busySessions == 0);
    CHECK_FALSE(where.standby);
    CHECK_FALSE(where.cluster.empty());
    CHECK(where.roundTrip > 0);
    CHECK(where.walLevel == cluster.value("SHOW wal_level"));
    cluster.execute(kTables);
    const Calibration found =
        calibrate({.connection = cluster.connection(), .destination = {}, .seconds = 1}, {});
    // On a machine that is busy with other things there may be no time for it, which is told.
    CHECK(found.reading.empty() == (found.sampledBytes == 0));
    CHECK((!found.reading.empty() || !found.notes.empty()));
}

TEST_CASE("what a restore would make of a database is read from its catalog") {
    const Cluster cluster;
    cluster.execute(kTables);
    pg::Connection connection = connectTo(cluster);
    const std::vector<StandingTable> tables = collectStandingTables(connection);
    REQUIRE(tables.size() == 4);
    CHECK(tables[0].name == "plain");
    REQUIRE(tables[0].keys.size() == 1);
    CHECK(tables[0].keys[0].name == "plain_pkey");
    CHECK(tables[0].keys[0].columns == "id");
    REQUIRE(tables[0].indexes.size() == 1);
    CHECK(tables[0].indexes[0].name == "plain_text");
    CHECK(tables[0].indexes[0].method == "btree");
    CHECK(tables[0].columns.find("    id integer") == 0);
    CHECK(tables[1].bytes > 3'000'000);  // TOAST counts
    REQUIRE(tables[2].foreignKeys.size() == 1);
    CHECK(tables[2].foreignKeys[0].target == 0);
}

TEST_CASE("gantryctl advise tells the same as text and as JSON, and -j auto follows it") {
    const Cluster cluster;
    cluster.execute(kTables);
    const TemporaryFolder folder;
    const std::map<std::string, std::string> environment{
        {"GANTRY_HISTORY_DIR", (folder / "history").string()}};
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.begin(), gantryctl().string());
        return runTool(words, environment);
    };
    const std::string tools = cluster.programs().binFolder.string();
    const auto advise = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"advise", "-d", cluster.conninfo()};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    const ToolResult before = advise({"--for", "dump", "--json"});
    REQUIRE(before.exitCode == 0);
    CHECK(nlohmann::json::parse(before.output).at("measured") == false);
    CHECK(nlohmann::json::parse(before.output).at("calibration").is_null());

    const ToolResult calibrated =
        advise({"--for", "dump", "--calibrate", "-f", (folder / "archive").string(), "--json"});
    INFO(calibrated.describe());
    REQUIRE(calibrated.exitCode == 0);
    CHECK_THAT(calibrated.errors, ContainsSubstring("reading over one connection"));
    const nlohmann::json json = nlohmann::json::parse(calibrated.output);
    CHECK(json.at("operation") == "dump");
    CHECK(json.at("measured") == true);
    CHECK(json.at("calibration").at("reading").size() >= 1);
    const auto jobs = json.at("jobs").get<uint32_t>();
    CHECK(json.at("curve").at(jobs - 1).at("jobs") == jobs);
    for (const auto& point : json.at("curve")) {
        CHECK(point.at("seconds") >= point.at("lower_bound_seconds"));
    }
    const ToolResult text = advise({"--for", "dump"});
    CHECK_THAT(text.output, ContainsSubstring("jobs = " + std::to_string(jobs)));
    CHECK_THAT(text.output, ContainsSubstring("<- advised"));

    const ToolResult dumped =
        run({"dump", "-d", cluster.conninfo(), "-f", (folder / "archive").string(), "--no-sync",
             "-v", "--pg-bindir", tools});
    INFO(dumped.describe());
    REQUIRE(dumped.exitCode == 0);
    CHECK_THAT(dumped.errors,
               ContainsSubstring(jobs == 1 ? "one job advised: "
                                           : std::to_string(jobs) + " jobs advised: "));

    cluster.createDatabase("target");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"advise", "-d", cluster.conninfo("target"), "--for", "restore",
                                   (folder / "archive").string(), "--json"},
          std::vector<std::string>{"advise", "-d", cluster.conninfo(), "--for", "restore",
                                   "--json"},
          std::vector<std::string>{"advise", "-d", cluster.conninfo(), "--for", "vacuum",
                                   "--json"}}) {
        const ToolResult result = run(words);
        INFO(result.describe());
        REQUIRE(result.exitCode == 0);
        CHECK(nlohmann::json::parse(result.output).at("recommendations").at(0).at("setting") ==
              "jobs");
    }
    const ToolResult restored =
        run({"restore", "-d", cluster.conninfo("target"), (folder / "archive").string(), "-v"});
    CHECK(restored.exitCode == 0);
    CHECK_THAT(restored.errors, ContainsSubstring(" advised: "));
    const ToolResult vacuumed = run({"vacuum", "-d", cluster.conninfo("target"), "-v"});
    CHECK(vacuumed.exitCode == 0);
    CHECK_THAT(vacuumed.errors, ContainsSubstring(" advised: "));
}

TEST_CASE("gantryctl advise refuses words that make no sense") {
    const auto refused = [](std::vector<std::string> words) {
        words.insert(words.begin(), {gantryctl().string(), "advise"});
        const ToolResult result = runTool(words);
        CHECK(result.exitCode == 2);
        return result.errors;
    };
    CHECK_THAT(refused({}),
               ContainsSubstring("Say for what: --for dump, --for restore or --for vacuum."));
    CHECK_THAT(refused({"--for", "lunch"}),
               ContainsSubstring("--for: \"lunch\" is none. Choose dump, restore or vacuum."));
    CHECK_THAT(
        refused({"--for", "dump", "archive"}),
        ContainsSubstring("\"archive\" is one word too many: an archive is for --for restore."));
    CHECK_THAT(refused({"--for", "vacuum", "-f", "x"}),
               ContainsSubstring("--file is where a dump is to go: it needs --for dump."));
}
