// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_records.h"

#include "core/events/run_log.h"
#include "core/history/history.h"

namespace gantry::ui {
namespace {

/// Runs for each that is listed: a sweep leaves dozens.
constexpr std::size_t kLookedAt = 50;

}  // namespace

RunRecord readRecord(const std::filesystem::path& path) {
    const events::RunStarted started = events::readRunStarted(path);
    return {path, started.operation, started.database, started.startedAt};
}

std::vector<RunRecord> listRecords(const std::filesystem::path& folder, std::size_t most) {
    std::vector<RunRecord> records;
    history::History history(folder);
    if (!history.exists()) return records;
    history.settle();
    for (const history::PastRun& run : history.runs({.most = most * kLookedAt})) {
        if (records.size() == most) break;
        if (run.ofSweep() || history.logBytes(run) == 0) continue;
        records.push_back({history.logOf(run), run.operation, run.database, run.startedAt});
    }
    return records;
}

}  // namespace gantry::ui
