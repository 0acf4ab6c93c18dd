// SPDX-License-Identifier: PostgreSQL
// Sweeps for real: what they measure, what they leave in the history, and nothing on the server.
#include "core/tune/tune.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <mutex>

#include "core/dump/dump.h"
#include "core/history/history.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;

namespace {

class Quiet final : public events::EventSink {
public:
    void post(events::Payload) override {}
};

/// Keeps what a sweep says; `onProgress` hears of each look at a run.
class Listener final : public tune::Observer {
public:
    void step(const std::string&) override {}
    void tell(const std::string& sentence) override { told.push_back(sentence); }
    void changed(const tune::Report&) override {}
    void begins(const tune::Report&, const tune::Sweep::Measurement& now, std::size_t) override {
        rounds.push_back(now.round);
    }
    void progress(const events::RunState& run) override {
        if (onProgress) onProgress(run);
    }

    std::vector<std::string> told;
    std::vector<uint32_t> rounds;
    std::function<void(const events::RunState&)> onProgress;
};

constexpr const char* kShop =
    "CREATE TABLE a (id int PRIMARY KEY, double int GENERATED ALWAYS AS (id * 2) STORED, note "
    "text);"
    "INSERT INTO a (id, note) SELECT i, 'note ' || i FROM generate_series(1, 20000) i;"
    "CREATE TABLE b (id int GENERATED ALWAYS AS IDENTITY, a int REFERENCES a ON DELETE CASCADE);"
    "INSERT INTO b (a) SELECT i FROM generate_series(1, 5000) i;";

/// Of a shop that is there already.
struct Scene {
    Cluster cluster;
    TemporaryFolder folder;
    std::filesystem::path history = folder / "history";
    Listener listener;

    Scene() {
        cluster.createDatabase("shop");
        cluster.execute(kShop, "shop");
    }
    options::TuneOptions sweepOf(options::TuneOperation operation) const {
        options::TuneOptions options;
        options.connection = cluster.connection("shop");
        options.clientToolsFolder = clientToolsFor(cluster.major()).binFolder;
        options.operation = operation;
        options.jobs = {1, 2};
        options.rounds = 2;
        options.folder = folder.path();
        return options;
    }
    tune::Report carryOut(const options::TuneOptions& options, const std::stop_token& stop = {}) {
        return tune::tune(options, history, listener, stop);
    }
    std::filesystem::path archive() const {
        options::DumpOptions dump;
        dump.connection = cluster.connection("shop");
        dump.output = folder / "shop.dump";
        dump.clientToolsFolder = clientToolsFor(cluster.major()).binFolder;
        dump.format = archive::Format::Custom;
        Quiet quiet;
        dump::dump(dump, quiet, {});
        return dump.output;
    }
    void checkNothingIsLeft() const {
        CHECK(cluster.value("SELECT count(*) FROM pg_database WHERE datname LIKE 'gantry%'") ==
              "0");
        CHECK(cluster.value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE"
                            " 'gantry%'") == "0");
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            CHECK_FALSE(entry.path().filename().string().starts_with("gantry-tune"));
        }
    }
};

void checkMeasured(const tune::Report& report, std::size_t times) {
    CHECK(report.over);
    CHECK_FALSE(report.stopped);
    CHECK_FALSE(report.error);
    for (const tune::Point& point : report.points) {
        REQUIRE(point.samples.size() == times);
        for (const tune::Sample& sample : point.samples) {
            CHECK(sample.seconds > 0);
            CHECK(sample.ignoredErrors == 0);
            CHECK(std::filesystem::exists(sample.record));
        }
    }
    CHECK(tune::advisedPoint(report).has_value());
}

}  // namespace

TEST_CASE("a sweep of dumps to nowhere measures, and keeps its runs as parts of it") {
    Scene scene;
    const tune::Report report = scene.carryOut(scene.sweepOf(options::TuneOperation::Dump));
    checkMeasured(report, 2);
    CHECK(scene.listener.rounds == std::vector<uint32_t>{0, 1, 1, 2, 2});
    CHECK(report.where.database == "shop");
    CHECK(report.points[0].predicted > 0);
    CHECK(report.points[0].samples[0].archiveBytes > 0);
    history::History history(scene.history);
    const std::vector<history::PastRun> runs = history.runs();
    REQUIRE(runs.size() == 5);
    for (const history::PastRun& run : runs) {
        CHECK(run.options.at(history::kSweepOption) == report.sweep);
        CHECK(run.options.at("file") == "/dev/null");
        CHECK(run.rows == 25000);
    }
    scene.checkNothingIsLeft();
}

TEST_CASE("a sweep of formats and codecs writes archives and removes them") {
    Scene scene;
    options::TuneOptions options = scene.sweepOf(options::TuneOperation::Dump);
    options.formats = {archive::Format::Directory, archive::Format::Custom, archive::Format::Plain};
    options.compressions = {io::parseCompression("none"), io::parseCompression("gzip:1")};
    options.rounds = 1;
    const tune::Report report = scene.carryOut(options);
    REQUIRE(report.points.size() == 12);
    checkMeasured(report, 1);
    CHECK(report.points[0].samples[0].archiveBytes > report.points[2].samples[0].archiveBytes);
    scene.checkNothingIsLeft();
}

TEST_CASE("a sweep of restores leaves the server as it was") {
    Scene scene;
    options::TuneOptions options = scene.sweepOf(options::TuneOperation::Restore);
    options.archive = scene.archive();
    checkMeasured(scene.carryOut(options), 2);
    scene.checkNothingIsLeft();
}

TEST_CASE("a vacuum of a copy finds the same work each time, and the database stays as it is") {
    Scene scene;
    const std::string before =
        scene.cluster.value("SELECT md5(string_agg(a::text || ctid, '')) FROM a", "shop");
    options::TuneOptions options = scene.sweepOf(options::TuneOperation::Vacuum);
    options.copy = true;
    const tune::Report report = scene.carryOut(options);
    checkMeasured(report, 2);
    history::History history(scene.history);
    for (const history::PastRun& run : history.runs()) {
        CHECK(run.database.starts_with("gantry_tune_"));
        const auto tasks = history.tasks(run.id);
        CHECK(run.status == history::Status::Clean);
        CHECK_FALSE(tasks.empty());
    }
    CHECK(scene.cluster.value("SELECT md5(string_agg(a::text || ctid, '')) FROM a", "shop") ==
          before);
    scene.checkNothingIsLeft();
}

TEST_CASE("a vacuum in place says what it measured") {
    Scene scene;
    options::TuneOptions options = scene.sweepOf(options::TuneOperation::Vacuum);
    options.inPlace = true;
    const tune::Report report = scene.carryOut(options);
    checkMeasured(report, 2);
    REQUIRE(report.remarks.size() == 1);
    CHECK(report.remarks[0].starts_with("The first vacuum took away what dead rows there were."));
}

TEST_CASE("a sweep that is stopped leaves no session and no database, and tells what it has") {
    Scene scene;
    std::stop_source stop;
    options::TuneOptions options = scene.sweepOf(options::TuneOperation::Restore);
    options.archive = scene.archive();
    std::mutex mutex;
    int runs = 0;
    std::string last;
    scene.listener.onProgress = [&](const events::RunState& run) {
        const std::lock_guard lock(mutex);
        if (!run.started()) return;
        if (std::exchange(last, run.started()->database) != last) ++runs;
        if (runs == 2) stop.request_stop();
    };
    const tune::Report report = scene.carryOut(options, stop.get_token());
    CHECK(report.stopped);
    CHECK(report.over);
    CHECK(report.points[0].measured());
    CHECK(report.points[1].leftOut == tune::LeftOut::Stopped);
    scene.checkNothingIsLeft();
}

TEST_CASE("what cannot be measured at all is refused before anything is made") {
    Scene scene;
    options::TuneOptions options = scene.sweepOf(options::TuneOperation::Dump);
    options.connection.database = "nowhere";
    CHECK_THROWS_AS(scene.carryOut(options), Error);
    options = scene.sweepOf(options::TuneOperation::Vacuum);
    CHECK_THROWS_AS(scene.carryOut(options), Error);
    options = scene.sweepOf(options::TuneOperation::Restore);
    options.archive = scene.folder / "missing";
    CHECK_THROWS_AS(scene.carryOut(options), Error);
    CHECK(scene.listener.rounds.empty());
    scene.checkNothingIsLeft();
}

TEST_CASE("what an earlier sweep left behind is told") {
    Scene scene;
    scene.cluster.createDatabase("gantry_tune_dead");
    scene.cluster.execute(
        "COMMENT ON DATABASE gantry_tune_dead IS 'scratch database of a gantry "
        "sweep; gone when that is over'");
    scene.cluster.createDatabase("gantry_tune_0123abcd");
    options::TuneOptions restore = scene.sweepOf(options::TuneOperation::Restore);
    restore.archive = scene.archive();
    for (options::TuneOptions options : {scene.sweepOf(options::TuneOperation::Dump), restore}) {
        options.rounds = 1;
        scene.listener.told.clear();
        scene.carryOut(options);
        CHECK(
            scene.listener.told ==
            std::vector<std::string>{
                "An earlier sweep left a database behind: DROP DATABASE \"gantry_tune_0123abcd\";",
                "An earlier sweep left a database behind: DROP DATABASE \"gantry_tune_dead\";"});
    }
}
