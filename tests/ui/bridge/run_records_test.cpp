// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_records.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "core/base/error.h"
#include "core/history/past_run.h"
#include "tests/support/recording.h"
#include "tests/support/temporary_folder.h"

namespace gantry::ui {
namespace {

/// Leaves a run in the history; without an outcome one that was killed.
void record(const std::filesystem::path& folder, const char* database, const char* startedAt,
            std::map<std::string, std::string> options = {},
            std::optional<events::Outcome> outcome = {}) {
    class Deaf final : public events::EventSink {
        void post(events::Payload) override {}
    } deaf;
    events::RunStarted started;
    started.operation = "dump";
    started.database = database;
    started.startedAt = startedAt;
    started.options = std::move(options);
    std::vector<events::Event> events{{Duration{}, started}};
    if (outcome) {
        events::RunFinished finished;
        finished.outcome = *outcome;
        events.push_back({Duration{1}, finished});
    }
    test::Recording(folder, deaf).take(events);
}

TEST_CASE("run records: the latest first, and none whose file is gone") {
    const test::TemporaryFolder folder;
    CHECK(listRecords(folder / "none", 2).empty());
    CHECK_FALSE(std::filesystem::exists(folder / "none"));
    record(folder.path(), "a", "2026-11-18T14:02:03Z");
    record(folder.path(), "b", "2026-11-19T14:02:03Z");
    record(folder.path(), "c", "2026-11-20T14:02:03Z");
    record(folder.path(), "measured", "2026-11-21T14:02:03Z", {{history::kSweepOption, "1"}});
    const std::vector<RunRecord> records = listRecords(folder.path(), 2);
    REQUIRE(records.size() == 2);
    CHECK(records[0].database == "c");
    CHECK(records[0].operation == "dump");
    CHECK(records[1].database == "b");
    CHECK(readRecord(records[0].path).startedAt == "2026-11-20T14:02:03Z");
    std::filesystem::remove(records[0].path);
    CHECK(listRecords(folder.path(), 3).size() == 2);
}

TEST_CASE("run records: archives that were made, the latest first, each once") {
    const test::TemporaryFolder folder;
    CHECK(listArchives(folder / "none", 2).empty());
    const auto made = [&folder](const char* name, const char* startedAt,
                                events::Outcome outcome = events::Outcome::Clean) {
        const std::filesystem::path path = folder / name;
        std::ofstream(path) << "rows";
        record(folder.path(), "shop", startedAt, {{"file", path.string()}}, outcome);
        return path;
    };
    const auto monday = made("monday", "2026-11-16T14:02:03Z");
    const auto tuesday = made("tuesday", "2026-11-17T14:02:03Z");
    made("tuesday", "2026-11-18T14:02:03Z");
    made("failed", "2026-11-19T14:02:03Z", events::Outcome::Failed);
    std::filesystem::remove(made("gone", "2026-11-20T14:02:03Z"));
    record(folder.path(), "shop", "2026-11-21T14:02:03Z", {{"file", "relative"}},
           events::Outcome::Clean);
    record(folder.path(), "shop", "2026-11-22T14:02:03Z", {{"file", monday.string()}});
    const std::vector<MadeArchive> archives = listArchives(folder.path(), 5);
    REQUIRE(archives.size() == 2);
    CHECK(archives[0].path == tuesday);
    CHECK(archives[0].startedAt == "2026-11-18T14:02:03Z");
    CHECK(archives[1].path == monday);
    CHECK(listArchives(folder.path(), 1).size() == 1);
}

TEST_CASE("run records: what is none says so") {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "plan.jsonl") << R"({"t_ms":0,"type":"run_finished"})" << '\n';
    try {
        readRecord(folder / "plan.jsonl");
        FAIL("it was read");
    } catch (const Error& error) {
        CHECK(error.info().message == "this is not the record of a run");
    }
}

}  // namespace
}  // namespace gantry::ui
