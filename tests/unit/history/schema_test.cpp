// SPDX-License-Identifier: PostgreSQL
// Files of older versions are brought up, files of newer ones are left alone.
#include "core/history/schema.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"
#include "core/history/history.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/history/past_runs.h"

using namespace gantry;
using namespace gantry::test;
using namespace gantry::history;

TEST_CASE("a file of every older version is brought to the newest with what it holds") {
    for (std::size_t version = 1; version <= schemaSteps().size(); ++version) {
        CAPTURE(version);
        const TemporaryFolder folder;
        {
            Database database(folder / "history.db");
            for (std::size_t step = 0; step < version; ++step) {
                database.execute(std::string(schemaSteps()[step]));
            }
            database.execute(fmt::format("PRAGMA user_version = {}", version));
            // As that version wrote it.
            database.execute(
                "INSERT INTO run (log, operation, database, server, cluster, started_at, workers,"
                " options, versions, environment, status) VALUES ('one', 'dump', 'shop',"
                " 'db1:5432', '7001', '2026-01-02T03:04:05Z', 4, '{\"jobs\":\"4\"}', '{}', '{}',"
                " 'clean'); INSERT INTO task (run, task, kind, object, status, divisible,"
                " estimated_bytes, estimated_ms) VALUES (1, 0, 'table data', 't', 'done', 0, 100, "
                "1)");
        }
        CHECK(record(folder.path(), {}).empty());
        History history(folder.path());
        const std::vector<PastRun> runs = history.runs();
        REQUIRE(runs.size() == 2);
        CHECK(runs[1].database == "shop");
        CHECK(runs[1].options.at("jobs") == "4");
        CHECK(runs[1].status == Status::Clean);
        CHECK(runs[1].predictedBy == 0);
        CHECK(history.tasks(runs[1].id).at(0).object == "t");
        CHECK(history.tasks(runs[1].id).at(0).after.empty());
        CHECK_FALSE(history.calibration("7001"));
        history.keepCalibration("7001", "2026-01-03T00:00:00Z", "{}");
        history.keepCalibration("7001", "2026-01-04T00:00:00Z", "{\"a\": 1}");
        CHECK(history.calibration("7001") == "{\"a\": 1}");
    }
}

TEST_CASE("the history of a newer Gantry is left as it is") {
    const TemporaryFolder folder;
    {
        Database database(folder / "history.db");
        database.execute("CREATE TABLE run (tomorrow); PRAGMA user_version = 999");
    }
    const std::vector<std::string> told = record(folder.path(), {});
    REQUIRE(told.size() == 1);
    CHECK(told.front() ==
          fmt::format("the history of runs was not written: the history of runs is of a newer "
                      "Gantry (its version is 999, this program knows {}). Use that Gantry, or "
                      "name another folder with GANTRY_HISTORY_DIR.",
                      schemaSteps().size()));
    Database database(folder / "history.db");
    CHECK_NOTHROW(database.execute("SELECT tomorrow FROM run"));
}
