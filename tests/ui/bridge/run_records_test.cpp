// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_records.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "core/base/error.h"
#include "core/events/event_json.h"
#include "tests/support/temporary_folder.h"

namespace gantry::ui {
namespace {

void record(const std::filesystem::path& path, const char* database) {
    events::RunStarted started;
    started.operation = "dump";
    started.database = database;
    started.startedAt = "2026-11-20T14:02:03Z";
    std::ofstream(path) << events::toJson({Duration{}, started}) << '\n';
}

TEST_CASE("run records: the latest first, others' files left out, the oldest removed") {
    const test::TemporaryFolder folder;
    record(folder / "2026-11-18.jsonl", "a");
    record(folder / "2026-11-19.jsonl", "b");
    record(folder / "2026-11-20.jsonl", "c");
    std::ofstream(folder / "2026-11-21.jsonl") << "{\n";
    const std::vector<RunRecord> records = listRecords(folder.path(), 2, 3);
    REQUIRE(records.size() == 2);
    CHECK(records[0].database == "c");
    CHECK(records[0].operation == "dump");
    CHECK(records[1].database == "b");
    CHECK_FALSE(std::filesystem::exists(folder / "2026-11-18.jsonl"));
    CHECK(listRecords(folder / "none", 2, 3).empty());
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
