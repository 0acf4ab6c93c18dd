// SPDX-License-Identifier: PostgreSQL
// Assumed rates brought to what past dumps came to.
#include "core/advise/measured_rates.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace gantry;
using namespace gantry::advise;
using Catch::Approx;

namespace {

constexpr uint64_t kGB = 1'000'000'000;

Surroundings twoCores() {
    Surroundings found;
    found.serverMajor = 18;
    found.localCores = 2;
    found.sameMachine = true;
    found.serverCores = 2;
    found.freeConnections = 50;
    return found;
}

MeasuredDump dumpOf(uint64_t bytes, uint32_t jobs, double seconds) {
    MeasuredDump dump;
    dump.workload.tables = {
        {.object = "public.t", .heapBlocks = bytes / 8192, .bytes = bytes, .divisible = true}};
    dump.workload.relations = 1;
    dump.jobs = jobs;
    dump.seconds = seconds;
    dump.archiveBytes = bytes / 5;
    return dump;
}

}  // namespace

TEST_CASE("at measured rates the model takes as long as the run did") {
    for (const double seconds : {2.0, 15.0, 400.0}) {
        const std::vector<MeasuredDump> dumps{dumpOf(2 * kGB, 2, seconds)};
        const DumpRates rates = measuredRates({}, twoCores(), dumps);
        CHECK(rates.measured);
        CHECK(rates.runs == 1);
        CHECK(rates.ratio == Approx(0.2));
        DumpQuestion question;
        question.workload = dumps.front().workload;
        question.surroundings = twoCores();
        question.rates = rates;
        CHECK(predictDump(question, 2).seconds == Approx(seconds).epsilon(0.02));
        CHECK(adviseDump(question).reason("jobs").ends_with(
            ", by what the last dump of this server came to"));
        // One proportion for all of it.
        CHECK(rates.readPerSecond / rates.compressPerSecond == Approx(150.0 / 250));
    }
}

TEST_CASE("of several dumps the middle one counts, and short ones do not") {
    const std::vector<MeasuredDump> dumps{dumpOf(2 * kGB, 2, 10), dumpOf(2 * kGB, 2, 200),
                                          dumpOf(2 * kGB, 2, 11), dumpOf(kGB / 1000, 2, 0.2),
                                          dumpOf(0, 2, 60)};
    const DumpRates rates = measuredRates({}, twoCores(), dumps);
    CHECK(rates.runs == 3);
    DumpQuestion question;
    question.workload = dumps.front().workload;
    question.surroundings = twoCores();
    question.rates = rates;
    CHECK(predictDump(question, 2).seconds == Approx(11).epsilon(0.02));
    CHECK(adviseDump(question).reason("jobs").ends_with(
        ", by what the last 3 dumps of this server came to"));
    CHECK_FALSE(measuredRates({}, twoCores(), std::span(dumps).subspan(3)).measured);
}
