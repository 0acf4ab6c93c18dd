// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_records.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "core/base/error.h"
#include "core/history/past_run.h"
#include "core/history/recorder.h"
#include "tests/support/temporary_folder.h"

namespace gantry::ui {
namespace {

/// Leaves a run in the history that was killed.
void record(const std::filesystem::path& folder, const char* database, const char* startedAt,
            bool ofSweep = false) {
    class Deaf final : public events::EventSink {
        void post(events::Payload) override {}
    } deaf;
    events::RunStarted started;
    started.operation = "dump";
    started.database = database;
    started.startedAt = startedAt;
    if (ofSweep) started.options[history::kSweepOption] = "1";
    const events::Event event{Duration{}, started};
    history::Recorder(folder, deaf).take(std::span(&event, 1));
}

TEST_CASE("run records: the latest first, and none whose file is gone") {
    const test::TemporaryFolder folder;
    CHECK(listRecords(folder / "none", 2).empty());
    CHECK_FALSE(std::filesystem::exists(folder / "none"));
    record(folder.path(), "a", "2026-11-18T14:02:03Z");
    record(folder.path(), "b", "2026-11-19T14:02:03Z");
    record(folder.path(), "c", "2026-11-20T14:02:03Z");
    record(folder.path(), "measured", "2026-11-21T14:02:03Z", true);
    const std::vector<RunRecord> records = listRecords(folder.path(), 2);
    REQUIRE(records.size() == 2);
    CHECK(records[0].database == "c");
    CHECK(records[0].operation == "dump");
    CHECK(records[1].database == "b");
    CHECK(readRecord(records[0].path).startedAt == "2026-11-20T14:02:03Z");
    std::filesystem::remove(records[0].path);
    CHECK(listRecords(folder.path(), 3).size() == 2);
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
