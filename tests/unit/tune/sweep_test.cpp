// SPDX-License-Identifier: PostgreSQL
// A sweep in virtual time: in which order it measures, when it is enough, what it leaves out.
#include "core/tune/sweep.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <random>

using namespace gantry;
using namespace gantry::tune;
using Catch::Approx;

namespace {

using Jobs = std::vector<uint32_t>;

std::vector<Point> pointsFor(const Jobs& jobs) {
    std::vector<Point> points;
    for (const uint32_t count : jobs) points.push_back({.setting = {.jobs = count}});
    return points;
}

/// Lets a sweep run its course; `seconds` says what a measurement takes.
struct FakeBench {
    std::function<double(const Setting&, uint32_t round)> seconds;
    double overhead = 0;
    double elapsed = 0;
    std::vector<std::pair<uint32_t, uint32_t>> done{};  ///< jobs, round
    std::vector<double> estimates{};                    ///< 0: none
    std::vector<double> begun{};

    void carryOut(Sweep& sweep) {
        while (const auto next = sweep.next(elapsed)) {
            const Setting& setting = sweep.points()[next->point].setting;
            estimates.push_back(sweep.estimate(next->point).value_or(0));
            begun.push_back(elapsed);
            const double took = seconds(setting, next->round);
            elapsed += took + overhead;
            done.emplace_back(setting.jobs, next->round);
            sweep.done(*next, {.seconds = took}, took + overhead);
        }
    }
    Jobs jobsOf(uint32_t round) const {
        Jobs jobs;
        for (const auto& [count, in] : done) {
            if (in == round) jobs.push_back(count);
        }
        return jobs;
    }
};

/// Two cores: what is beyond them gains nothing.
double twoCores(const Setting& setting, uint32_t) { return setting.jobs == 1 ? 8 : 4.4; }

uint32_t advisedJobs(const Sweep& sweep) {
    const auto knee = kneeOf(sweep.points(), seriesOf(sweep.points()).front());
    return sweep.points()[knee->advised].setting.jobs;
}

}  // namespace

TEST_CASE("rounds go there and back, after a run that does not count") {
    Sweep sweep(pointsFor({4, 1, 2}), {.rounds = 3, .everything = true});
    FakeBench bench{.seconds = [](const Setting& s, uint32_t) { return 8.0 / s.jobs; }};
    bench.carryOut(sweep);
    CHECK(bench.jobsOf(0) == Jobs{4});
    CHECK(bench.jobsOf(1) == Jobs{1, 2, 4});
    CHECK(bench.jobsOf(2) == Jobs{4, 2, 1});
    CHECK(bench.jobsOf(3) == Jobs{1, 2, 4});
    for (const Point& point : sweep.points()) CHECK(point.samples.size() == 3);
}

TEST_CASE("what drifts evenly favours no point") {
    Sweep sweep(pointsFor({1, 2, 4}), {.rounds = 2, .everything = true, .warmUp = false});
    FakeBench bench;
    // Every measurement is 0.1 s slower than the one before, whatever it measures.
    bench.seconds = [&](const Setting&, uint32_t) {
        return 10 + 0.1 * static_cast<double>(bench.done.size());
    };
    bench.carryOut(sweep);
    for (const Point& point : sweep.points()) CHECK(point.median() == Approx(10.25));
}

TEST_CASE("two steps up that gain nothing: those above are left out") {
    Sweep sweep(pointsFor({1, 2, 4, 8, 12, 16}), {.rounds = 2, .warmUp = false});
    FakeBench bench{.seconds = twoCores};
    bench.carryOut(sweep);
    CHECK(bench.jobsOf(1) == Jobs{1, 2, 4, 8});
    CHECK(bench.jobsOf(2) == Jobs{8, 4, 2, 1});
    CHECK(sweep.points()[4].leftOut == LeftOut::NoGain);
    CHECK(sweep.points()[5].leftOut == LeftOut::NoGain);
    CHECK(advisedJobs(sweep) == 2);
}

TEST_CASE("small steps that add up are a gain") {
    Sweep sweep(pointsFor({1, 2, 3, 4, 5, 6}), {.rounds = 1, .warmUp = false});
    FakeBench bench{.seconds = [](const Setting& s, uint32_t) { return 10 - 0.35 * s.jobs; }};
    bench.carryOut(sweep);
    CHECK(bench.jobsOf(1) == Jobs{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a second round that agrees spares the third") {
    Sweep sweep(pointsFor({1, 2, 4}), {.rounds = 5, .warmUp = false});
    FakeBench bench{.seconds = twoCores};
    bench.carryOut(sweep);
    CHECK(bench.done.size() == 6);
    const auto knee = kneeOf(sweep.points(), seriesOf(sweep.points()).front());
    CHECK(knee->clear);
    CHECK(knee->margin == 0.05);
}

TEST_CASE("a measurement that contradicts asks for more rounds") {
    Sweep sweep(pointsFor({1, 2, 4}), {.rounds = 3, .warmUp = false});
    // Two jobs are as fast as four in one round and not in the others.
    FakeBench bench{.seconds = [](const Setting& s, uint32_t round) {
        if (s.jobs == 1) return 8.0;
        return s.jobs == 4 || round == 2 ? 4.0 : 4.6;
    }};
    bench.carryOut(sweep);
    CHECK(bench.done.size() == 9);
}

TEST_CASE("all that was asked for is measured on demand, clear or not") {
    Sweep sweep(pointsFor({1, 2, 4, 8, 12}), {.rounds = 4, .everything = true, .warmUp = false});
    FakeBench bench{.seconds = twoCores};
    bench.carryOut(sweep);
    CHECK(bench.done.size() == 20);
}

TEST_CASE("noise of a few per cent moves neither the end nor the advice") {
    for (uint32_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> noise(0.98, 1.02);
        Sweep sweep(pointsFor({1, 2, 4, 8, 12}), {.rounds = 3});
        FakeBench bench{.seconds = [&](const Setting& s, uint32_t) {
            const std::map<uint32_t, double> truth{
                {1, 16}, {2, 8.4}, {4, 4.5}, {8, 4.5}, {12, 4.6}};
            return truth.at(s.jobs) * noise(random);
        }};
        bench.carryOut(sweep);
        CHECK(advisedJobs(sweep) == 4);
        CHECK(sweep.points()[2].samples.size() >= 2);
    }
}

TEST_CASE("nothing is begun that will not fit, but two points are measured in any case") {
    for (const double budget : {1.0, 15.0, 20.0, 30.0, 45.0, 60.0}) {
        CAPTURE(budget);
        Sweep sweep(pointsFor({1, 2, 4, 8}), {.rounds = 3, .budget = budget, .warmUp = false});
        FakeBench bench{.seconds = [](const Setting& s, uint32_t) { return 8.0 / s.jobs + 1; },
                        .overhead = 0.5};
        bench.carryOut(sweep);
        REQUIRE(bench.done.size() >= 2);
        CHECK(bench.done[0].first == 1);
        CHECK(bench.done[1].first == 2);
        for (std::size_t i = 2; i < bench.done.size(); ++i) {
            CHECK(bench.estimates[i] > 0);
            CHECK(bench.begun[i] + bench.estimates[i] <= budget);
        }
        for (const Point& point : sweep.points()) {
            CHECK(point.measured() == (point.leftOut == LeftOut::No));
        }
    }
    Sweep tight(pointsFor({1, 2, 4, 8}), {.rounds = 3, .budget = 1, .warmUp = false});
    FakeBench bench{.seconds = twoCores};
    bench.carryOut(tight);
    CHECK(bench.done.size() == 2);
    CHECK(tight.points()[2].leftOut == LeftOut::Budget);
}

TEST_CASE("estimates follow the advisor's, corrected by what was measured") {
    std::vector<Point> points = pointsFor({1, 2, 4});
    points[0].predicted = 10;
    points[1].predicted = 5;
    points[2].predicted = 3;
    Sweep sweep(points, {.rounds = 1, .warmUp = false});
    CHECK(sweep.estimate(2) == 3);
    const auto first = sweep.next(0);
    sweep.done(*first, {.seconds = 20}, 21);
    CHECK(sweep.estimate(0) == 21);
    CHECK(sweep.estimate(1) == Approx(11));  // twice as slow as predicted, and a second beside it
    CHECK(sweep.estimate(2) == Approx(7));
}

TEST_CASE("a first run that would eat the budget is spared") {
    const auto firstRound = [](double budget) {
        std::vector<Point> points = pointsFor({1, 2});
        points[1].predicted = 5;
        Sweep sweep(points, {.budget = budget});
        return sweep.next(0)->round;
    };
    CHECK(firstRound(60) == 0);
    CHECK(firstRound(10) == 1);
}

TEST_CASE("codecs are series of their own, measured side by side") {
    std::vector<Point> points;
    for (const char* codec : {"none", "gzip"}) {
        for (const uint32_t jobs : {1U, 2U}) {
            points.push_back(
                {.setting = {.jobs = jobs, .compression = io::parseCompression(codec)}});
        }
    }
    CHECK(seriesOf(points) == std::vector<std::vector<std::size_t>>{{0, 1}, {2, 3}});
    Sweep sweep(points, {.rounds = 1, .warmUp = false});
    std::vector<std::size_t> order;
    while (const auto next = sweep.next(0)) {
        order.push_back(next->point);
        sweep.done(*next, {.seconds = 1}, 1);
    }
    CHECK(order == std::vector<std::size_t>{0, 2, 1, 3});
}

TEST_CASE("what the server has no room for is not tried again") {
    Sweep sweep(pointsFor({1, 2, 4, 8}), {.rounds = 2, .warmUp = false});
    FakeBench bench{.seconds = twoCores};
    const auto first = sweep.next(0);
    sweep.done(*first, {.seconds = 8}, 8);
    sweep.noRoom(4);
    bench.carryOut(sweep);
    CHECK(bench.jobsOf(1) == Jobs{2});
    CHECK(sweep.points()[2].leftOut == LeftOut::NoRoom);
    CHECK(sweep.points()[3].leftOut == LeftOut::NoRoom);
}

TEST_CASE("a sweep that is stopped keeps what it has") {
    Sweep sweep(pointsFor({1, 2}), {.rounds = 2, .warmUp = false});
    const auto first = sweep.next(0);
    sweep.done(*first, {.seconds = 8}, 8);
    sweep.stop();
    CHECK_FALSE(sweep.next(8));
    CHECK(sweep.points()[0].leftOut == LeftOut::No);
    CHECK(sweep.points()[1].leftOut == LeftOut::Stopped);
    CHECK_FALSE(kneeOf(sweep.points(), {1}));
}
