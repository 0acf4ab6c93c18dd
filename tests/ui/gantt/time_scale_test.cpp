// SPDX-License-Identifier: PostgreSQL
// The time axis: zoom, pan, what is followed, and where ticks are.
#include "ui/gantt/time_scale.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::ui;
using namespace std::chrono_literals;
using Catch::Approx;

namespace {

TimeScale scaleOf(double width, Duration now, Duration end) {
    TimeScale scale;
    scale.setWidth(width);
    scale.setRun(now, end);
    return scale;
}

std::vector<std::string> labels(const TimeScale& scale, double spacing) {
    std::vector<std::string> all;
    for (const Tick& tick : scale.ticks(spacing)) all.push_back(tick.label);
    return all;
}

}  // namespace

TEST_CASE("a new axis shows the whole run and goes on doing so") {
    TimeScale scale = scaleOf(1000, 10s, 60s);
    CHECK(scale.begin() == 0s);
    CHECK(scale.x(60s) == Approx(980));
    scale.setRun(20s, 120s);
    CHECK(scale.x(120s) == Approx(980));
    scale.setWidth(500);
    CHECK(scale.x(120s) == Approx(490));
}

TEST_CASE("zooming keeps what is under the cursor") {
    TimeScale scale = scaleOf(1000, 60s, 60s);
    const Duration under = scale.at(300);
    scale.zoom(4, 300);
    CHECK(scale.mode() == TimeScale::Mode::Free);
    CHECK(scale.x(under) == Approx(300).margin(0.01));
    scale.zoom(0.5, 300);
    CHECK(scale.x(under) == Approx(300).margin(0.01));
    CHECK(scale.microsPerPixel() == Approx(60e6 / 980 / 2));
}

TEST_CASE("the axis goes neither below a microsecond a pixel nor far away from the run") {
    TimeScale scale = scaleOf(1000, 60s, 60s);
    for (int i = 0; i < 100; ++i) scale.zoom(2, 500);
    CHECK(scale.microsPerPixel() == Approx(1));
    for (int i = 0; i < 100; ++i) scale.zoom(0.5, 500);
    CHECK(scale.microsPerPixel() == Approx(240e6 / 1000));
    scale.pan(1e9);
    CHECK(scale.x(60s) >= 0);
    scale.pan(-1e9);
    CHECK(scale.x(0s) <= 1000);
}

TEST_CASE("panning ends following, and following comes back") {
    TimeScale scale = scaleOf(1000, 100s, 100s);
    scale.zoom(10, 0);
    scale.follow();
    CHECK(scale.x(100s) == Approx(800));
    scale.setRun(130s, 140s);
    CHECK(scale.x(130s) == Approx(800));
    scale.zoom(2, 400);
    CHECK(scale.mode() == TimeScale::Mode::Follow);
    CHECK(scale.x(130s) == Approx(800));
    scale.pan(-50);
    CHECK(scale.mode() == TimeScale::Mode::Free);
    const Duration begin = scale.begin();
    scale.setRun(150s, 160s);
    CHECK(scale.begin() == begin);
    scale.fit();
    CHECK(scale.begin() == 0s);
}

TEST_CASE("a stretch is revealed with as little movement as possible") {
    TimeScale scale = scaleOf(1000, 100s, 100s);
    scale.show(20s, 30s);
    scale.reveal(22s, 24s);
    CHECK(scale.begin() == 20s);
    scale.reveal(40s, 41s);
    CHECK(scale.x(41s) == Approx(950).margin(0.01));
    CHECK(scale.end() - scale.begin() == 10s);
    scale.reveal(10s, 11s);
    CHECK(scale.x(10s) == Approx(50).margin(0.01));
    scale.reveal(20s, 60s);
    CHECK(scale.begin() == 18s);
    CHECK(scale.end() == 62s);
}

TEST_CASE("begin and end of the run are reached with the length kept") {
    TimeScale scale = scaleOf(1000, 100s, 100s);
    scale.show(20s, 30s);
    scale.goToEnd();
    CHECK(scale.x(100s) == Approx(980).margin(0.01));
    scale.goToBegin();
    CHECK(scale.begin() == 0s);
    CHECK(scale.end() == 10s);
}

TEST_CASE("ticks are at round times") {
    CHECK(tickStep(1, 80) == 100us);
    CHECK(tickStep(1000, 80) == 100ms);
    CHECK(tickStep(2000, 80) == 200ms);
    CHECK(tickStep(10'000, 80) == 1s);
    CHECK(tickStep(40'000, 80) == 5s);
    CHECK(tickStep(100'000, 80) == 10s);
    CHECK(tickStep(140'000, 80) == 15s);
    CHECK(tickStep(200'000, 80) == 30s);
    CHECK(tickStep(500'000, 80) == 1min);
    CHECK(tickStep(1e9, 80) == 24h);
    CHECK(tickStep(2e9, 80) == 48h);
    const TimeScale scale = scaleOf(1000, 100s, 100s);
    CHECK(labels(scale, 150) == std::vector<std::string>{"00:00", "00:30", "01:00", "01:30"});
}

TEST_CASE("tick labels have as many digits as their step needs") {
    CHECK(tickLabel(90s, 30s) == "01:30");
    CHECK(tickLabel(3725s, 1s) == "1:02:05");
    CHECK(tickLabel(2500ms, 500ms) == "00:02.5");
    CHECK(tickLabel(2520ms, 20ms) == "00:02.52");
    CHECK(tickLabel(1us, 1us) == "00:00.000001");
}
