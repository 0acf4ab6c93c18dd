// SPDX-License-Identifier: PostgreSQL
#include "core/history/schema.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace gantry::history {
namespace {

// Times are UTC in ISO 8601, durations microseconds; options, versions and environment are JSON
// objects of texts, as in RunStarted.
constexpr std::string_view kFirst = R"(
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    log TEXT NOT NULL UNIQUE,
    operation TEXT NOT NULL,
    database TEXT NOT NULL,
    server TEXT NOT NULL,
    cluster TEXT NOT NULL,
    started_at TEXT NOT NULL,
    workers INTEGER NOT NULL,
    options TEXT NOT NULL,
    versions TEXT NOT NULL,
    environment TEXT NOT NULL,
    archive_identity TEXT NOT NULL DEFAULT '',
    database_identity TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'running',
    error TEXT NOT NULL DEFAULT '',
    verdict TEXT NOT NULL DEFAULT '',
    elapsed INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    compressed_bytes INTEGER NOT NULL DEFAULT 0,
    rows INTEGER NOT NULL DEFAULT 0,
    relations INTEGER NOT NULL DEFAULT 0,
    large_objects INTEGER NOT NULL DEFAULT 0,
    ignored_errors INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX run_by_time ON run (started_at, id);
CREATE TABLE task (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    task INTEGER NOT NULL,
    kind TEXT NOT NULL,
    object TEXT NOT NULL,
    status TEXT NOT NULL,
    divisible INTEGER NOT NULL,
    estimated_bytes INTEGER NOT NULL,
    estimated_ms REAL NOT NULL,
    PRIMARY KEY (run, task)
) WITHOUT ROWID;
CREATE TABLE span (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    span INTEGER NOT NULL,
    task INTEGER NOT NULL,
    chunk INTEGER,
    worker INTEGER NOT NULL,
    backend_pid INTEGER NOT NULL,
    begin INTEGER NOT NULL,
    end INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    compressed_bytes INTEGER NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (run, span)
) WITHOUT ROWID;
)";

// What forecasts go by, and what was forecast; "after" holds numbers of tasks between commas.
constexpr std::string_view kForecasts = R"(
ALTER TABLE run ADD COLUMN predicted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN predicted_by INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN after TEXT NOT NULL DEFAULT '';
)";

// What was measured on a server on purpose, by its system identifier, or where it does not tell
// that, its host and port; "result" is JSON.
constexpr std::string_view kCalibrations = R"(
CREATE TABLE calibration (
    server TEXT PRIMARY KEY,
    taken_at TEXT NOT NULL,
    result TEXT NOT NULL
) WITHOUT ROWID;
)";

// Of a span's time, what it waited for locks of others.
constexpr std::string_view kWaits = R"(
ALTER TABLE span ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;
)";

// Of a run's time, what it waited for locks of others or was paused: all of it, or some workers.
constexpr std::string_view kHeldUp = R"(
ALTER TABLE run ADD COLUMN held_up INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN partly_held_up INTEGER NOT NULL DEFAULT 0;
)";

int versionOf(Database& database) {
    Statement statement = database.prepare("PRAGMA user_version");
    statement.step();
    return static_cast<int>(statement.integer(0));
}

}  // namespace

const std::vector<std::string_view>& schemaSteps() {
    static const std::vector<std::string_view> steps{kFirst, kForecasts, kCalibrations, kWaits,
                                                     kHeldUp};
    return steps;
}

void migrate(Database& database) {
    const int newest = static_cast<int>(schemaSteps().size());
    if (versionOf(database) == newest) return;
    Transaction transaction(database);
    // Another process may have been at it meanwhile.
    const int version = versionOf(database);
    if (version > newest) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("the history of runs is of a newer Gantry (its version is {}, this "
                                "program knows {})",
                                version, newest),
                    {}, "Use that Gantry, or name another folder with GANTRY_HISTORY_DIR.");
    }
    for (int step = version; step < newest; ++step) {
        database.execute(std::string(schemaSteps()[static_cast<std::size_t>(step)]));
    }
    database.execute(fmt::format("PRAGMA user_version = {}", newest));
    transaction.commit();
}

}  // namespace gantry::history
