// SPDX-License-Identifier: PostgreSQL
// Runs as rows of the history's tables, and back. Errors as Database says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/events/run_state.h"
#include "core/history/database.h"
#include "core/history/history.h"

namespace gantry::history {

std::vector<PastRun> readRuns(Database& database, const Filter& filter);
std::optional<PastRun> readRun(Database& database, int64_t id);
std::optional<PastRun> readRunOfLog(Database& database, const std::string& log);
std::optional<PastRun> readLatestRestore(Database& database, const events::Identity& identity);
std::vector<PastTask> readTasks(Database& database, int64_t run);

int64_t insertRun(Database& database, const std::string& log, const events::RunStarted& started);
void updateIdentity(Database& database, int64_t run, const events::Identity& identity);
/// With all its tasks and spans.
void updateOutcome(Database& database, int64_t run, const events::RunState& state);
void deleteRun(Database& database, int64_t run);

}  // namespace gantry::history
