// SPDX-License-Identifier: PostgreSQL
// Bytes, percent and time left while all that is known are estimates.
#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Approx;

namespace {

constexpr uint64_t kMega = 1'000'000;

double seconds(std::optional<Duration> duration) {
    return duration ? static_cast<double>(duration->count()) / 1e6 : -1;
}

/// What must hold after any event.
class Watcher {
public:
    void look(const RunState& state) {
        const double fraction = state.fraction();
        if (!(fraction >= 0 && fraction <= 1)) problem_ = "a fraction out of range";
        if (fraction < fraction_) problem_ = "the fraction went back";
        if (state.bytesDone() < bytes_) problem_ = "the bytes went back";
        if (state.expectedBytes() < state.bytesDone()) problem_ = "more bytes than there are";
        if (fraction == 1 && !state.finished()) problem_ = "it was whole before its end";
        const auto left = state.timeLeft();
        if (left && *left < 0s) problem_ = "time left below nothing";
        for (const SpanState& span : state.spans()) {
            const double part = state.spanFraction(span);
            if (!(part >= 0 && part <= 1)) problem_ = "a span's fraction out of range";
            if (span.running() && part == 1) problem_ = "a span was whole before its end";
        }
        fraction_ = fraction;
        bytes_ = state.bytesDone();
    }
    const std::string& problem() const { return problem_; }

private:
    double fraction_ = 0;
    uint64_t bytes_ = 0;
    std::string problem_;
};

}  // namespace

TEST_CASE("percent and time left follow the estimates while these are right") {
    RunBuilder run;
    run.plan(0, 300 * kMega);
    run.plan(1, 700 * kMega);
    CHECK(run.state.fraction() == 0);
    CHECK_FALSE(run.state.timeLeft());
    run.now = 2s;  // what went by before the first work is no measure
    run.start(0, 1, 300 * kMega);
    run.now = 3s;
    run.progress(0, 100 * kMega);
    CHECK(run.state.fraction() == Approx(0.1));
    CHECK(seconds(run.state.timeLeft()) == Approx(9));
    run.now = 5s;
    run.finish(0, 300 * kMega);
    run.start(1, 1, 700 * kMega);
    CHECK(run.state.fraction() == Approx(0.3));
    run.now = 9s;
    run.progress(1, 400 * kMega);
    CHECK(run.state.fraction() == Approx(0.7));
    CHECK(seconds(run.state.timeLeft()) == Approx(3));
    CHECK(run.state.rate() == Approx(100e6).epsilon(0.05));
    CHECK(run.state.expectedBytes() == 1000 * kMega);
}

TEST_CASE("estimates that are wrong by a common factor are corrected by what was seen") {
    const double factor = GENERATE(0.3, 1.0, 4.0);
    constexpr int kTables = 20;
    const auto real = static_cast<uint64_t>(100e6 * factor);
    RunBuilder run;
    Watcher watcher;
    for (uint32_t id = 0; id < kTables; ++id) run.plan(id, 100 * kMega);
    for (uint32_t id = 0; id < kTables; ++id) {
        run.start(id, 1, 100 * kMega);
        for (int step = 1; step <= 10; ++step) {
            run.now += 100ms;
            run.progress(id, real * static_cast<uint64_t>(step) / 10);
            watcher.look(run.state);
            const double truth = (id + step / 10.0) / kTables;
            INFO("factor " << factor << ", truth " << truth);
            if (id < 3) continue;
            CHECK(std::abs(run.state.fraction() - truth) < 0.02);
            CHECK(static_cast<double>(run.state.expectedBytes()) ==
                  Approx(static_cast<double>(real) * kTables).epsilon(0.12));
            const double left = (1 - truth) * kTables;
            CHECK(std::abs(seconds(run.state.timeLeft()) - left) < 0.1 * left + 0.5);
        }
        run.finish(id, real);
        watcher.look(run.state);
    }
    run.end(Outcome::Clean);
    watcher.look(run.state);
    CHECK(watcher.problem() == "");
    CHECK(run.state.bytesDone() == real * kTables);
}

TEST_CASE("of a divided table its own chunks say how large it is, of another the others") {
    RunBuilder run(3);
    run.plan(1, 1000 * kMega, true);
    run.plan(2, 1000 * kMega);
    run.start(1, 1, 500 * kMega, 0);
    run.progress(1, 125 * kMega, 0);
    CHECK(run.state.expectedBytes() == 2000 * kMega);
    run.finish(1, 250 * kMega, 0, false);  // half of what was thought
    CHECK(run.state.fraction() == Approx(0.25));
    CHECK(static_cast<double>(run.state.expectedBytes()) == Approx(1000e6).epsilon(0.06));
    run.start(1, 1, 500 * kMega, 1);
    run.progress(1, 125 * kMega, 1);
    CHECK(run.state.spanFraction(run.state.spans()[1]) == Approx(0.5));
    run.start(2, 2, 1000 * kMega);
    run.progress(2, 100 * kMega);
    CHECK(run.state.spanFraction(run.state.spans()[2]) == Approx(0.2).epsilon(0.06));
    run.finish(2, 2000 * kMega);  // twice, but that says nothing of the first
    CHECK(run.state.spanFraction(run.state.spans()[1]) == Approx(0.5));
    CHECK(run.state.estimatedBytes() == 2000 * kMega);
}

TEST_CASE("what a span is expected to come to fits its percent, which does not fall") {
    RunBuilder run(2);
    run.plan(1, 1000 * kMega);
    run.plan(2, 100 * kMega);
    run.start(2, 2, 100 * kMega);
    run.start(1, 1, 1000 * kMega);
    run.progress(1, 400 * kMega);
    CHECK(run.state.expectedBytes(run.state.spans()[1]) == 1000 * kMega);
    run.finish(2, 50 * kMega);
    const double corrected = run.state.spanFraction(run.state.spans()[1]);
    CHECK(corrected > 0.6);
    CHECK(static_cast<double>(run.state.expectedBytes(run.state.spans()[1])) ==
          Approx(400e6 / corrected));
    CHECK(run.state.expectedBytes(run.task(1)) == run.state.expectedBytes(run.state.spans()[1]));
    run.plan(3, 200 * kMega);
    run.start(3, 2, 200 * kMega);
    run.finish(3, 400 * kMega);  // so that the first may be larger after all
    CHECK(run.state.spanFraction(run.state.spans()[1]) == Approx(corrected));
    CHECK(run.state.expectedBytes(run.state.spans()[1]) > 1000 * kMega);
    run.progress(1, 800 * kMega);
    run.finish(1, 1100 * kMega);
    CHECK(run.state.spanFraction(run.state.spans()[1]) == 1);
    CHECK(run.state.expectedBytes(run.task(1)) == 1100 * kMega);
}

TEST_CASE("too small a sample corrects nothing") {
    RunBuilder run(2);
    run.plan(1, 100'000);
    run.plan(2, 100);
    run.start(2, 1, 100);
    run.finish(2, 1);
    run.start(1, 2, 100'000);
    run.progress(1, 50'000);
    CHECK(run.state.spanFraction(run.state.spans()[1]) == Approx(0.5).epsilon(0.06));
    RunBuilder unknown;
    unknown.start(1, 1);
    unknown.progress(1, 10);
    CHECK(unknown.state.spanFraction(unknown.state.spans()[0]) == 0);
    CHECK(unknown.state.fraction() == 0);
    CHECK(unknown.state.expectedBytes() == 10);
}

TEST_CASE("one table that is larger than it seemed nears its end without reaching it") {
    RunBuilder run;
    run.plan(0, 100 * kMega);
    run.start(0, 1, 100 * kMega);
    double before = 0;
    for (uint64_t megabytes = 10; megabytes <= 300; megabytes += 10) {
        run.now += 1s;
        run.progress(0, megabytes * kMega);
        const double now = run.state.fraction();
        CHECK(now >= before);
        if (megabytes <= 130) CHECK(now > before);
        CHECK(now < 1);
        before = now;
        CHECK(run.state.expectedBytes() == std::max<uint64_t>(100, megabytes) * kMega);
    }
    CHECK(run.state.spanFraction(run.state.spans()[0]) == Approx(0.999));
    run.finish(0, 300 * kMega);
    CHECK(run.state.spanFraction(run.state.spans()[0]) == 1);
    CHECK(run.state.fraction() < 1);
}

TEST_CASE("what one kind of work was wrongly estimated at does not become another's") {
    RunBuilder run;
    // Rows take four times as long as estimated, indexes as long.
    run.planMs(0, 10'000, plan::TaskKind::TableData);
    run.planMs(1, 10'000, plan::TaskKind::Index);
    run.planMs(2, 10'000, plan::TaskKind::Index);
    run.start(0, 1);
    run.now = 40s;
    run.finish(0, 0);
    // As slow as the rows, or as estimated: in between.
    CHECK(seconds(run.state.timeLeft()) == Approx(40));
    run.start(1, 1);
    run.now = 50s;
    run.finish(1, 0);
    CHECK(seconds(run.state.timeLeft()) == Approx(10));
}

TEST_CASE("what has to be repeated takes nothing back from the display") {
    RunBuilder run;
    run.plan(0, 100 * kMega);
    run.plan(1, 100 * kMega);
    run.start(0, 1, 100 * kMega);
    run.now = 8s;
    run.progress(0, 80 * kMega);
    run.fail(0, true);
    CHECK(run.state.bytesDone() == 80 * kMega);
    CHECK(run.state.fraction() == Approx(0.4));
    run.start(0, 1, 100 * kMega);
    run.now = 10s;
    run.progress(0, 20 * kMega);
    CHECK(run.state.bytesDone() == 80 * kMega);
    CHECK(run.state.fraction() == Approx(0.4));
    CHECK(seconds(run.state.timeLeft()) == Approx(90));  // the truth: a tenth in ten seconds
    run.finish(0, 100 * kMega);
    CHECK(run.state.bytesDone() == 100 * kMega);
    CHECK(run.state.fraction() == Approx(0.5));
    CHECK(run.state.expectedBytes() == 200 * kMega);
}

TEST_CASE("what is given up counts neither as done nor as left") {
    RunBuilder run(2);
    run.plan(0, 600 * kMega, true);
    run.plan(1, 400 * kMega);
    run.start(0, 1, 100 * kMega, 0);
    run.finish(0, 100 * kMega, 0, false);
    run.start(0, 1, 100 * kMega, 1);
    run.fail(0, false, 1);
    CHECK(run.state.expectedBytes() == 500 * kMega);
    CHECK(run.state.fraction() == Approx(0.2));
    run.start(1, 2, 400 * kMega);
    run.finish(1, 400 * kMega);
    CHECK(run.state.fraction() == Approx(0.999));
}

TEST_CASE("work that comes to light late does not turn the display back") {
    RunBuilder run;
    run.plan(0, 100 * kMega);
    run.start(0, 1, 100 * kMega);
    run.progress(0, 80 * kMega);
    CHECK(run.state.fraction() == Approx(0.8));
    run.plan(1, 300 * kMega);
    CHECK(run.state.fraction() == Approx(0.8));
    CHECK(run.state.expectedBytes() == 400 * kMega);
    run.finish(0, 100 * kMega);
    CHECK(run.state.fraction() == Approx(0.8));
    run.start(1, 1, 300 * kMega);
    run.progress(1, 240 * kMega);
    CHECK(run.state.fraction() == Approx(0.85));
}

TEST_CASE("tasks without bytes count by the time that they take") {
    RunBuilder run(2);
    for (uint32_t id = 0; id < 4; ++id) run.planMs(id, 10'000);
    run.start(0, 1);
    run.now = 5s;
    run.idle(2, IdleCause::Lock, "t0");
    CHECK(run.state.fraction() == Approx(0.125));
    CHECK(seconds(run.state.timeLeft()) == Approx(35));
    run.now = 20s;
    run.finish(0, 0);  // took twice as long
    CHECK(run.state.fraction() == Approx(0.25));
    run.start(1, 1);
    run.now = 30s;
    run.idle(2, IdleCause::Lock, "t1");
    CHECK(run.state.fraction() == Approx(0.375).epsilon(0.01));
}

TEST_CASE("chunks without bytes count by their share") {
    RunBuilder run;
    run.planMs(0, 1000, plan::TaskKind::LargeObjects);
    run.start(0, 1, 0, 0, 0.25);
    run.finish(0, 10, 0, false);
    CHECK(run.state.fraction() == Approx(0.25));
    run.start(0, 1, 0, 1, 0.75);
    run.finish(0, 10, 1, true);
    CHECK(run.state.fraction() == Approx(0.999));
}

TEST_CASE("one long task at the end is what the time left is about") {
    RunBuilder run(10);
    for (uint32_t id = 0; id < 10; ++id) run.plan(id, 100 * kMega);
    for (uint32_t id = 0; id < 10; ++id) run.start(id, id + 1, 100 * kMega);
    run.now = 10s;
    for (uint32_t id = 1; id < 10; ++id) run.finish(id, 100 * kMega);
    run.progress(0, 20 * kMega);  // 92 percent of all is done, but a fifth of this
    CHECK(run.state.fraction() == Approx(0.92));
    CHECK(seconds(run.state.timeLeft()) == Approx(40));
}

TEST_CASE("whatever a run does, the display makes sense") {
    for (uint32_t seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](uint32_t limit) {
            return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
        };
        RunBuilder run(4);
        Watcher watcher;
        uint32_t known = 0;
        std::vector<uint32_t> ready;
        std::vector<std::pair<uint32_t, uint64_t>> running;
        const auto discover = [&] {
            run.plan(known, below(50) * kMega);
            ready.push_back(known++);
        };
        for (int i = 0; i < 20; ++i) discover();
        for (int step = 0; step < 400; ++step) {
            run.now += std::chrono::milliseconds(below(300));
            const uint32_t dice = below(20);
            if (dice == 0) {
                discover();
            } else if (dice < 6 && !ready.empty()) {
                const uint32_t id = ready.back();
                ready.pop_back();
                run.start(id, 1 + below(4), run.task(id).estimatedBytes);
                running.emplace_back(id, 0);
            } else if (!running.empty()) {
                const std::size_t index = below(static_cast<uint32_t>(running.size()));
                auto& [id, bytes] = running[index];
                bytes += below(8) * kMega;
                const uint32_t fate = below(30);
                if (fate > 3) {
                    run.progress(id, bytes);
                    watcher.look(run.state);
                    continue;
                }
                if (fate == 0) run.fail(id, false);
                if (fate == 1) {
                    run.fail(id, true);
                    ready.push_back(id);
                }
                if (fate > 1) run.finish(id, bytes);
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(index));
            }
            watcher.look(run.state);
        }
        run.end(seed % 2 == 0 ? Outcome::Clean : Outcome::Cancelled);
        watcher.look(run.state);
        INFO("seed " << seed);
        REQUIRE(watcher.problem() == "");
    }
}

TEST_CASE("a run that ended early keeps what it would have come to") {
    RunBuilder run(2);
    run.plan(0, 100 * kMega);
    run.plan(1, 200 * kMega);
    run.plan(2, 300 * kMega);
    run.start(0, 1, 100 * kMega);
    run.start(1, 2, 200 * kMega);
    run.now = 1s;
    run.finish(0, 100 * kMega);
    run.now = 2s;
    run.progress(1, 50 * kMega);
    Outcome outcome = Outcome::Cancelled;
    SECTION("cancelled") {}
    SECTION("failed") {
        outcome = Outcome::Failed;
        TaskFailed failed;
        failed.span.task = TaskId{1};
        run.post(failed);
    }
    run.end(outcome);
    CHECK(run.state.bytesDone() == 150 * kMega);
    CHECK(run.state.expectedBytes() == 600 * kMega);
}
