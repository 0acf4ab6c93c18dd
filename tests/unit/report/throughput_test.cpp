// SPDX-License-Identifier: PostgreSQL
// Throughput over time: where bytes go, and what happens when the slots run out.
#include "core/report/throughput.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::report;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Approx;

TEST_CASE("bytes are spread over the time in which they came") {
    RunBuilder run;
    Throughput throughput;
    run.start(0, 1, 1000);
    throughput.observe(run.state);
    run.now = 250ms;
    run.progress(0, 1000);
    throughput.observe(run.state);
    REQUIRE(throughput.slots().size() == 3);
    CHECK(throughput.slots()[0].bytes == Approx(400));
    CHECK(throughput.slots()[1].bytes == Approx(400));
    CHECK(throughput.slots()[2].bytes == Approx(200));
    CHECK(throughput.bytesPerSecond(0) == Approx(4000));
    CHECK(throughput.bytesPerSecond(2) == Approx(4000));  // half of it has passed
    CHECK(throughput.bytesBetween(50ms, 150ms) == Approx(400));
}

TEST_CASE("compression is told where a span ended") {
    RunBuilder run;
    Throughput throughput;
    run.start(0, 1, 1000);
    throughput.observe(run.state);
    run.now = 150ms;
    run.finish(0, 1000);
    throughput.observe(run.state);
    throughput.observe(run.state);  // counts nothing twice
    REQUIRE(throughput.ratios().size() == 1);
    CHECK(throughput.ratios()[0].at == 150ms);
    CHECK(throughput.ratios()[0].value == Approx(4));
    // Most of it is still with the compressors: no leap.
    run.start(1, 1, 100);
    run.now = 350ms;
    run.post(TaskFinished{
        .span = {TaskId{1}, std::nullopt}, .bytes = 100, .rows = 1, .compressedBytes = 1});
    throughput.observe(run.state);
    REQUIRE(throughput.ratios().size() == 2);
    CHECK(throughput.ratios()[1].value == Approx(1100.0 / 251));
}

TEST_CASE("a long run has wider slots, and no byte is lost") {
    RunBuilder run;
    Throughput throughput;
    run.start(0, 1, 1);
    uint64_t bytes = 0;
    for (int second = 1; second <= 1000; ++second) {
        run.now = std::chrono::seconds(second);
        run.progress(0, bytes += 10);
        throughput.observe(run.state);
    }
    CHECK(throughput.slots().size() <= Throughput::kMostSlots);
    CHECK(throughput.slotWidth() == 1600ms);
    double sum = 0;
    for (const Throughput::Slot& slot : throughput.slots()) sum += slot.bytes;
    CHECK(sum == Approx(10'000));
    CHECK(throughput.peak() == Approx(10));
}
