// SPDX-License-Identifier: PostgreSQL
// What is made of measurements: speed-up, efficiency, the choice, and the words for it.
#include "core/tune/report.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/tune/sample_report.h"

using namespace gantry;
using namespace gantry::tune;
using Catch::Approx;
using Words = std::vector<std::string>;

namespace {

Point point(uint32_t jobs, const char* codec, double seconds, uint64_t bytes) {
    Point made{.setting = {.jobs = jobs, .compression = io::parseCompression(codec)}};
    made.samples.push_back({.seconds = seconds, .archiveBytes = bytes});
    return made;
}

}  // namespace

TEST_CASE("speed-up and efficiency are those of the medians") {
    const Report report = test::sampleReport();
    const std::vector<Row> rows = rowsOf(report);
    REQUIRE(rows.size() == 5);
    CHECK(rows[0].speedUp == 1);
    CHECK(rows[0].efficiency == 1);
    CHECK(rows[1].speedUp == Approx(8.0 / 4.4));
    CHECK(rows[1].efficiency == Approx(8.0 / 4.4 / 2));
    CHECK(rows[1].advised);
    CHECK(rows[1].knee);
    CHECK(rows[1].error == Approx(4.2 / 4.4 - 1));
    CHECK(rows[1].note == "advised");
    CHECK(rows[2].note == "");
    CHECK(rows[4].speedUp == 0);
    CHECK(rows[4].note == "spared: fewer gained nothing");
}

TEST_CASE("a sweep from two jobs on is measured against two") {
    Report report = test::sampleReport();
    report.points.erase(report.points.begin());
    const std::vector<Row> rows = rowsOf(report);
    CHECK(rows[0].speedUp == 1);
    CHECK(rows[0].efficiency == 1);
    CHECK(rows[1].efficiency == Approx(0.5));
}

TEST_CASE("the advice is what a DBA would tell a colleague") {
    CHECK(adviceInWords(test::sampleReport()) ==
          Words{"Take 2 jobs: the dump takes 4.40 s, 45% less than with one job (8.00 s).",
                "More gain nothing: 4 jobs 4.40 s and 8 jobs 4.60 s.",
                "What limits it there is the processors, which the server and Gantry share.",
                "Predicted were 4.20 s, 5% too short.",
                "Each was measured 3 times, in turns; repeats of one differ by 4% at most.",
                "12 jobs were not measured: two steps before had gained nothing."});
}

TEST_CASE("where one job is best nothing is promised of more") {
    Report report = test::sampleReport();
    report.points.resize(2);
    for (Point& each : report.points) {
        each.samples = {{.seconds = 3}};
        each.predicted.reset();
        each.limit.reset();
    }
    CHECK(adviceInWords(report) ==
          Words{"Take one job: the dump takes 3.00 s.", "More gain nothing: 2 jobs 3.00 s.",
                "Each was measured once: do not rely on small differences before it is repeated."});
}

TEST_CASE("where the last step still gained, more are to be tried") {
    Report report = test::sampleReport();
    report.points.resize(2);
    const Words words = adviceInWords(report);
    CHECK(words[1] ==
          "That is the most that was tried, and it still gained: try more than 2 jobs.");
}

TEST_CASE("codecs are told apart by time and size") {
    Report report = test::sampleReport();
    report.points = {point(1, "zstd:1", 8, 300'000'000), point(2, "zstd:1", 4, 300'000'000),
                     point(1, "gzip", 20, 280'000'000), point(2, "gzip", 11, 280'000'000)};
    CHECK(advisedPoint(report) == 1);
    const Words words = adviceInWords(report);
    CHECK(
        words[0] ==
        "Take 2 jobs, zstd:1: the dump takes 4.00 s, 2.0 times as fast as with one job (8.00 s).");
    CHECK(words[2] == "2 jobs, gzip take 2.8 times as long (11.0 s) for 280 MB instead of 300 MB.");
    const std::vector<Row> rows = rowsOf(report);
    CHECK(rows[3].knee);
    CHECK_FALSE(rows[3].advised);
}

TEST_CASE("formats that need the same room are not compared by it") {
    Report report = test::sampleReport();
    report.points = {point(2, "zstd:1", 4, 1'220'000'000), point(2, "gzip", 11, 1'221'000'000)};
    CHECK(adviceInWords(report)[1] ==
          "2 jobs, gzip take 2.8 times as long (11.0 s) for 1.2 GB as well.");
}

TEST_CASE("of two codecs about as fast the first is taken") {
    Report report = test::sampleReport();
    report.points = {point(1, "none", 4, 900'000'000), point(1, "lz4", 3.9, 400'000'000)};
    CHECK(advisedPoint(report) == 0);
    report.points[1].samples[0].seconds = 3.5;
    CHECK(advisedPoint(report) == 1);
}

TEST_CASE("a sweep that ended early says why and what it has") {
    Report report = test::sampleReport();
    report.points[4].leftOut = LeftOut::Stopped;
    report.stopped = true;
    CHECK(adviceInWords(report).back() == "12 jobs were not measured: the sweep was stopped.");
    report.stopped = false;
    report.error.emplace().message = "the server went away";
    CHECK(adviceInWords(report).back() == "The sweep ended early: the server went away");
    report.points.resize(1);
    report.points[0].samples.clear();
    report.points[0].leftOut = LeftOut::Stopped;
    CHECK(adviceInWords(report).front() ==
          "Nothing was measured to its end, so there is no advice.");
}

TEST_CASE("what has to be known is said at the end") {
    Report report = test::sampleReport();
    report.remarks = {"It rained."};
    CHECK(adviceInWords(report).back() == "It rained.");
}

TEST_CASE("a sweep as JSON has every figure of the table") {
    const nlohmann::json json = nlohmann::json::parse(toJson(test::sampleReport()));
    CHECK(json["operation"] == "dump");
    CHECK(json["to"] == "nowhere");
    CHECK(json["database"] == "shop");
    CHECK(json["local_cores"] == 2);
    REQUIRE(json["points"].size() == 5);
    const nlohmann::json& second = json["points"][1];
    CHECK(second["jobs"] == 2);
    CHECK(second["median"] == 4.4);
    CHECK(second["seconds"] == nlohmann::json{4.4, 4.5, 4.4});
    CHECK(second["predicted"] == 4.2);
    CHECK(second["limit"] == "shared CPU");
    CHECK(second["advised"] == true);
    CHECK(json["points"][4]["left_out"] == "spared: fewer gained nothing");
    CHECK_FALSE(json["points"][4].contains("median"));
    CHECK(json["advice"].size() == 6);
}

TEST_CASE("times have the digits that mean something") {
    CHECK(secondsText(0.2345) == "0.23 s");
    CHECK(secondsText(9.99) == "9.99 s");
    CHECK(secondsText(12.34) == "12.3 s");
    CHECK(secondsText(125) == "2:05");
}
