// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_records.h"

#include <algorithm>
#include <system_error>

#include "core/events/run_log.h"
#include "core/history/history.h"

namespace gantry::ui {
namespace {

/// Runs for each that is listed: a sweep leaves dozens.
constexpr std::size_t kLookedAt = 50;

}  // namespace

RunRecord readRecord(const std::filesystem::path& path) {
    const events::RunStarted started = events::readRunStarted(path);
    return {std::filesystem::canonical(path),
            started.operation,
            started.database,
            started.startedAt,
            {}};
}

std::vector<RunRecord> listRecords(const std::filesystem::path& folder, std::size_t most) {
    std::vector<RunRecord> records;
    history::History history(folder);
    if (!history.exists()) return records;
    history.settle();
    for (const history::PastRun& run : history.runs({.most = most * kLookedAt})) {
        if (records.size() == most) break;
        if (run.ofSweep() || history.logBytes(run) == 0) continue;
        records.push_back(
            {history.logOf(run), run.operation, run.database, run.startedAt, run.status});
    }
    return records;
}

std::vector<MadeArchive> listArchives(const std::filesystem::path& folder, std::size_t most) {
    std::vector<MadeArchive> archives;
    history::History history(folder);
    if (!history.exists()) return archives;
    for (const history::PastRun& run : history.runs({.operation = "dump"})) {
        if (archives.size() == most) break;
        const auto file = run.options.find("file");
        if (file == run.options.end() || run.ofSweep() || !run.cameToItsEnd()) continue;
        const std::filesystem::path path = file->second;
        const auto known = [&path](const MadeArchive& one) { return one.path == path; };
        std::error_code unreadable;
        if (!path.is_absolute() || std::ranges::any_of(archives, known) ||
            !std::filesystem::exists(path, unreadable)) {
            continue;
        }
        archives.push_back({path, run.startedAt});
    }
    return archives;
}

}  // namespace gantry::ui
