// SPDX-License-Identifier: PostgreSQL
// Past runs as text and as JSON.
#include "app/headless/runs_text.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/history/history.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/history/past_runs.h"

using namespace gantry;
using namespace gantry::headless;
using namespace gantry::test;

namespace {

/// Times of a known zone, for a scope.
class Greenwich {
public:
    Greenwich() {
        if (const char* before = std::getenv("TZ")) before_ = before;
        ::setenv("TZ", "UTC", 1);
        ::tzset();
    }
    ~Greenwich() {
        before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
        ::tzset();
    }
    Greenwich(const Greenwich&) = delete;
    Greenwich& operator=(const Greenwich&) = delete;

private:
    std::optional<std::string> before_;
};

RunDetails details(const SampleRun& sample) {
    const TemporaryFolder folder;
    record(folder.path(), sample);
    history::History history(folder.path());
    RunDetails found;
    found.run = history.runs().front();
    found.tasks = history.tasks(found.run.id);
    found.state.emplace();
    for (const events::Event& event : sample.events()) found.state->apply(event);
    return found;
}

}  // namespace

TEST_CASE("a list of runs is a table, and an array for programs") {
    const Greenwich zone;
    const TemporaryFolder folder;
    record(folder.path(), {});
    record(folder.path(), {.operation = "restore",
                           .database = "a_rather_long_name\x1b[2J",
                           .startedAt = "2026-11-21T08:00:00Z",
                           .seconds = 125,
                           .outcome = events::Outcome::Failed});
    history::History history(folder.path());
    CHECK(
        renderRunList(history.runs()) ==
        "  Run  Began             What       Database                      Took       Data    On "
        "disk  Outcome\n"
        "    2  2026-11-21 08:00  restore    a_rather_long_name?[2J   2 min 5 s    1.50 GB     375 "
        "MB  failed\n"
        "    1  2026-11-20 14:02  dump       shop                          10 s    1.50 GB     375 "
        "MB  clean\n");
    CHECK(renderRunList({}) == "No run is kept that fits.\n");
    const nlohmann::json json = nlohmann::json::parse(runListJson(history.runs()));
    REQUIRE(json.size() == 2);
    CHECK(json[0]["status"] == "failed");
    CHECK(json[0]["error"] == "it broke");
    CHECK(json[1]["run"] == 1);
    CHECK(json[1]["seconds"] == 10.0);
    CHECK(json[1]["options"]["compress"] == "zstd");
    CHECK(runListJson({}) == "[]\n");
}

TEST_CASE("a run is shown with its options, verdict, longest tasks and critical path") {
    const Greenwich zone;
    RunDetails found = details({});
    CHECK(renderRun(found, 1) ==
          "Run 1: dump of \"shop\" on db1:5432 (PostgreSQL 18.1)\n"
          "  Began:    2026-11-20 14:02, took 10 s over 2 workers\n"
          "  Outcome:  clean\n"
          "  Data:     1.50 GB, 375 MB on disk, 2,000 rows in 2 tables\n"
          "  Options:  --compress=zstd --format=directory --jobs=2\n"
          "  Verdict:  " +
              found.run.verdict +
              "\n"
              "Tasks that kept workers busy longest:\n"
              "        10 s  table data         public.large, 1.00 GB\n"
              "  and 1 more (--verbose lists all)\n"
              "What the run's length came from, step by step:\n"
              "        10 s  table data         public.large  (began with the run)\n");
    const nlohmann::json json = nlohmann::json::parse(runJson(found));
    CHECK(json["tasks"].size() == 2);
    CHECK(json["tasks"][1]["busy"] == 5.0);
    CHECK(json["critical_path"][0]["object"] == "public.large");

    const Error ignored(ErrorKind::Server, "it is there", "TABLE public.a");
    found.state->apply({Duration(0), events::ErrorIgnored{.span = {}, .error = ignored.info()}});
    CHECK(renderRun(found, 1).find("Errors that were ignored:\n"
                                   "  it is there\n"
                                   "      TABLE public.a\n"
                                   "Tasks that kept") != std::string::npos);

    found.run.predicted = std::chrono::seconds(9);
    found.run.predictedBy = 3;
    CHECK(
        renderRun(found, 1).find("  Forecast: 9.0 s by the last 3 runs like it, 10% too short\n") !=
        std::string::npos);
    found.run.predicted = std::chrono::seconds(10);
    found.run.predictedBy = 1;
    CHECK(renderRun(found, 1).find("  Forecast: 10 s by the last run like it, which is what it "
                                   "took\n") != std::string::npos);
    CHECK(nlohmann::json::parse(runJson(found))["predicted_seconds"] == 10.0);

    found.state.reset();
    CHECK(renderRun(found, 9).ends_with(
        "       5.0 s  table data         public.small, 500 MB\n"
        "The record of its events is gone, and with it what held what up.\n"));
    CHECK_FALSE(nlohmann::json::parse(runJson(found)).contains("critical_path"));
}

TEST_CASE("two runs side by side say which task became slower") {
    const Greenwich zone;
    const RunDetails before = details({});
    RunDetails after = details({.startedAt = "2026-11-21T14:00:00Z", .seconds = 14});
    after.run.id = 2;
    after.run.options["jobs"] = "4";
    const auto changes = history::compareTasks(before.tasks, after.tasks);
    CHECK(renderComparison(before.run, after.run, changes, 9) ==
          "      1  2026-11-20 14:02  dump  10 s over 2 workers, 1.50 GB, 375 MB on disk, clean\n"
          "      2  2026-11-21 14:00  dump  14 s over 2 workers, 1.50 GB, 375 MB on disk, clean\n"
          "Run 2 took 4.0 s more than run 1.\n"
          "  --jobs: 2, then 4\n"
          "Time that workers were busy, by task:\n"
          "       run 1       run 2      change  task\n"
          "        10 s        14 s      +4.0 s  table data         public.large\n"
          "       5.0 s       7.0 s      +2.0 s  table data         public.small\n");
    const nlohmann::json json =
        nlohmann::json::parse(comparisonJson(before.run, after.run, changes));
    CHECK(json["tasks"][0]["difference"] == 4.0);
    CHECK(json["after"]["run"] == 2);
}
