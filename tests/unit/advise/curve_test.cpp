// SPDX-License-Identifier: PostgreSQL
// The knee, speed-up and efficiency of curves, predicted (every number of jobs) and measured
// (some).
#include "core/advise/curve.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace gantry::advise;

TEST_CASE("the knee is the fewest jobs within five percent of the best") {
    Curve curve;
    curve.points = {{.jobs = 1, .seconds = 100},
                    {.jobs = 2, .seconds = 52},
                    {.jobs = 4, .seconds = 31},
                    {.jobs = 8, .seconds = 30},
                    {.jobs = 12, .seconds = 33}};
    curve.mostJobs = 12;
    curve.findKnee();
    CHECK(curve.knee == 4);
    curve.mostJobs = 3;
    curve.findKnee();
    CHECK(curve.knee == 2);
    CHECK(curve.speedUp(4) == Catch::Approx(100.0 / 31));
    CHECK(curve.efficiency(4) == Catch::Approx(100.0 / 31 / 4));
}

TEST_CASE("between the points of a curve the one with fewer jobs is meant") {
    Curve curve;
    curve.points = {{.jobs = 2, .seconds = 50}, {.jobs = 8, .seconds = 20}};
    CHECK(curve.at(1).jobs == 2);
    CHECK(curve.at(7).jobs == 2);
    CHECK(curve.at(8).jobs == 8);
    CHECK(curve.at(100).jobs == 8);
    CHECK(curve.efficiency(8) == Catch::Approx(50.0 / 20 * 2 / 8));
}

TEST_CASE("advice is found by its setting") {
    Advice advice;
    advice.recommendations = {{.setting = "jobs", .value = "4", .reason = "four cores"}};
    REQUIRE(advice.find("jobs") != nullptr);
    CHECK(advice.find("jobs")->value == "4");
    CHECK(advice.reason("jobs") == "four cores");
    CHECK(advice.find("compress") == nullptr);
    CHECK(advice.reason("compress").empty());
}
