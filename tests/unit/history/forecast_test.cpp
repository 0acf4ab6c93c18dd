// SPDX-License-Identifier: PostgreSQL
// What past runs say of the next one.
#include "core/history/forecast.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/recording.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/history/past_runs.h"

using namespace gantry;
using namespace gantry::test;
using namespace gantry::history;
using Catch::Approx;

namespace {

/// What a recorder posts for this run; its time in seconds, or 0.
double forecastFor(const std::filesystem::path& folder, const SampleRun& run) {
    Notices notices;
    Recording recorder(folder, notices);
    recorder.take(run.events());
    CHECK(notices.messages.empty());
    return notices.forecasts.empty() ? 0 : notices.forecasts.front().ms / 1000;
}

}  // namespace

TEST_CASE("the next run of a database takes as long as the last ones, by its size") {
    const TemporaryFolder folder;
    CHECK(forecastFor(folder.path(), {.startedAt = "2026-11-01T00:00:00Z"}) == 0);
    CHECK(forecastFor(folder.path(), {.startedAt = "2026-11-02T00:00:00Z"}) ==
          Approx(10).epsilon(0.01));
    // Twice the data.
    CHECK(forecastFor(folder.path(), {.startedAt = "2026-11-03T00:00:00Z",
                                      .seconds = 25,
                                      .bytes = 2'000'000'000}) == Approx(20).epsilon(0.01));
    // By the median: one odd run does not move it.
    CHECK(forecastFor(folder.path(), {.startedAt = "2026-11-04T00:00:00Z"}) ==
          Approx(10).epsilon(0.15));
}

TEST_CASE("a moment's work tells nothing of an hour's") {
    const TemporaryFolder folder;
    record(folder.path(), {.seconds = 10});
    CHECK(forecastFor(folder.path(), {.bytes = 30'000'000'000}) == 0);
}

TEST_CASE("what a run waited for a lock, the next one need not") {
    const TemporaryFolder folder;
    record(folder.path(), {.seconds = 10, .waits = 20});
    CHECK(forecastFor(folder.path(), {}) == Approx(10).epsilon(0.01));
}

TEST_CASE("what a forecast was, and by what, is kept with the run") {
    const TemporaryFolder folder;
    record(folder.path(), {.startedAt = "2026-11-01T00:00:00Z", .seconds = 8});
    std::vector<events::Event> events = SampleRun().events();
    Notices notices;
    Recording recorder(folder.path(), notices);
    recorder.take(std::span(events).first(2));
    REQUIRE(notices.forecasts.size() == 1);
    events.insert(events.begin() + 2, events::Event{{}, notices.forecasts.front()});
    recorder.take(std::span(events).subspan(2));
    const PastRun run = History(folder.path()).runs().front();
    CHECK(run.predictedBy == 1);
    CHECK(static_cast<double>(run.predicted.count()) == Approx(8e6).epsilon(0.01));
}

TEST_CASE("runs of another server, kind or codec, short ones and failed ones teach nothing") {
    const TemporaryFolder folder;
    record(folder.path(), {.operation = "restore"});
    record(folder.path(), {.cluster = "7002"});
    record(folder.path(), {.outcome = events::Outcome::Failed});
    record(folder.path(), {.seconds = 0.5});
    CHECK(forecastFor(folder.path(), {}) == 0);
    // Another database of the server is better than nothing, its own is better than that.
    const TemporaryFolder second;
    record(second.path(), {.database = "other", .seconds = 30});
    CHECK(forecastFor(second.path(), {}) == Approx(30).epsilon(0.01));
    CHECK(forecastFor(second.path(), {}) == Approx(10).epsilon(0.01));
}

TEST_CASE("a dump to nowhere tells nothing of one to the disk, and the other way round") {
    const TemporaryFolder folder;
    record(folder.path(), {.seconds = 4, .file = "/dev/null"});
    CHECK(forecastFor(folder.path(), {}) == 0);
    CHECK(forecastFor(folder.path(), {.seconds = 5, .file = "/dev/null"}) ==
          Approx(4).epsilon(0.01));
}

TEST_CASE("a dry run is told the forecast, and leaves no run") {
    const TemporaryFolder folder;
    record(folder.path(), {});
    std::vector<events::Event> events = SampleRun().events();
    std::get<events::RunStarted>(events.front().payload).options["dry-run"] = "";
    Notices notices;
    Recording recorder(folder.path(), notices);
    recorder.take(std::span(events).first(2));
    CHECK(notices.forecasts.size() == 1);
    CHECK(History(folder.path()).runs().size() == 1);
}
