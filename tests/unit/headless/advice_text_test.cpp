// SPDX-License-Identifier: PostgreSQL
// Advice as people and scripts read it.
#include "app/headless/advice_text.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace gantry;
using namespace gantry::headless;

namespace {

AdviceReport sample() {
    AdviceReport report;
    report.operation = "dump";
    report.database = "shop";
    advise::Advice& advice = report.advice;
    advice.curve.points = {
        {.jobs = 1, .seconds = 200, .lowerBound = 199, .limit = advise::Limit::Connections},
        {.jobs = 2, .seconds = 104, .lowerBound = 100, .limit = advise::Limit::Connections},
        {.jobs = 3, .seconds = 80, .lowerBound = 79, .limit = advise::Limit::ServerCpu},
        {.jobs = 4, .seconds = 80, .lowerBound = 79, .limit = advise::Limit::ServerCpu}};
    advice.curve.mostJobs = 3;
    advice.curve.findKnee();
    advice.recommendations = {{.setting = "jobs",
                               .value = "3",
                               .range = "2 to 4",
                               .reason = "the server's 3 cores are busy then, at about 450 MB/s",
                               .warning = "3 would leave no connection to anybody else."},
                              {.setting = "chunks", .value = "on", .reason = "one table is large"}};
    advice.archiveBytes = advise::Range{4.5e9, 14.4e9};
    advice.warnings = {"The server has only 4 free connections."};
    advice.facts = {"The server is PostgreSQL 17.2, on another machine, with 3 cores."};
    return report;
}

}  // namespace

TEST_CASE("advice reads as one would tell a colleague") {
    CHECK(
        renderAdvice(sample(), 80) ==
        "For a dump of shop:\n"
        "\n"
        "  jobs = 3   (or 2 to 4)\n"
        "    the server's 3 cores are busy then, at about 450 MB/s\n"
        "    Mind: 3 would leave no connection to anybody else.\n"
        "  chunks = on\n"
        "    one table is large\n"
        "\n"
        "Predicted:\n"
        "\n"
        "    jobs          time  speed-up  efficiency   lower bound  limited by\n"
        "       1    3 min 20 s      1.0x        100%    3 min 19 s  connections\n"
        "       2    1 min 44 s      1.9x         96%    1 min 40 s  connections\n"
        "       3    1 min 20 s      2.5x         83%    1 min 19 s  server CPU   <- advised\n"
        "       4    1 min 20 s      2.5x         62%    1 min 19 s  server CPU   (no room for so "
        "many connections)\n"
        "\n"
        "  These times may be half or twice as long: rates are those of a usual\n"
        "  machine, since nothing like it was measured on this server yet.\n"
        "  The archive will be about 4.50 GB to 14.4 GB.\n"
        "  Mind: The server has only 4 free connections.\n"
        "\n"
        "It goes by this:\n"
        "\n"
        "  The server is PostgreSQL 17.2, on another machine, with 3 cores.\n");
    AdviceReport measured = sample();
    measured.advice.curve.measured = true;
    AdviceReport outdated = sample();
    outdated.advice.curve.outdated = true;
    CHECK(renderAdvice(outdated, 100)
              .find("half or twice as long: what was measured may no longer hold.\n") !=
          std::string::npos);
    CHECK(renderAdvice(measured, 80).find("  With 3 jobs it takes 1 min 8 s to 1 min 36 s.\n") !=
          std::string::npos);
}

TEST_CASE("advice as JSON says the same") {
    AdviceReport report = sample();
    nlohmann::json json = nlohmann::json::parse(adviceJson(report));
    CHECK(json.at("operation") == "dump");
    CHECK(json.at("database") == "shop");
    CHECK(json.at("measured") == false);
    CHECK(json.at("jobs") == 3);
    CHECK(json.at("most_jobs") == 3);
    CHECK(json.at("recommendations").size() == 2);
    CHECK(json.at("recommendations").at(0).at("reason") ==
          "the server's 3 cores are busy then, at about 450 MB/s");
    CHECK(json.at("curve").size() == 4);
    CHECK(json.at("curve").at(2).at("limit") == "server CPU");
    CHECK(json.at("curve").at(1).at("seconds_high") == 208);
    CHECK(json.at("archive_bytes").at("high") == 14.4e9);
    CHECK(json.at("warnings").size() == 1);
    CHECK(json.at("calibration").is_null());
    report.advice.archiveBytes.reset();
    report.calibration.emplace();
    report.calibration->database = "shop";
    json = nlohmann::json::parse(adviceJson(report));
    CHECK(json.at("archive_bytes").is_null());
    CHECK(json.at("calibration").at("database") == "shop");
}

TEST_CASE("names cannot play tricks on the terminal, and long curves are thinned out") {
    AdviceReport report = sample();
    report.advice.recommendations.front().reason = "t\x1b[31m is large";
    CHECK(renderAdvice(report, 80).find('\x1b') == std::string::npos);
    report.advice.curve.points.clear();
    for (uint32_t jobs = 1; jobs <= 64; ++jobs) {
        report.advice.curve.points.push_back({.jobs = jobs, .seconds = 640.0 / jobs});
    }
    report.advice.curve.mostJobs = 64;
    report.advice.curve.findKnee();
    const std::string text = renderAdvice(report, 80);
    CHECK(std::count(text.begin(), text.end(), 'x') < 20);
    CHECK(text.find("<- advised") != std::string::npos);
}
