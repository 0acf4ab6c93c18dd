// SPDX-License-Identifier: PostgreSQL
// The runs of the past, of either program: what they were told, what they did, how they ended.
//
//   FOLDER/               $GANTRY_HISTORY_DIR, or gantry/ in the user's state folder
//     history.db          SQLite: runs, tasks, spans
//     runs/LOG.jsonl      the events of a run under way, locked by who writes it
//     runs/LOG.jsonl.zst  the events of one that is over
//
// The logs hold all that the database does. A database that is found damaged is renamed and a new
// one begun, which settle() fills again from the logs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/events/run_state.h"
#include "core/history/database.h"
#include "core/history/past_run.h"

namespace gantry::history {

/// By the XDG base directory specification: $XDG_STATE_HOME, or .local/state in the home folder.
std::filesystem::path usualFolder();

/// What is empty does not matter.
struct Filter {
    std::string database{};
    std::string operation{};
    std::string cluster{};
    std::optional<Status> status{};
    std::string since{};  ///< ISO 8601; that day or instant counts
    std::optional<std::size_t> most{};
};

struct PruneRule {
    std::string before{};  ///< runs that began before this time, ISO 8601; empty: none
    std::optional<uint64_t> keepBytes{};  ///< the oldest go until the rest needs no more than this
};
struct Pruned {
    std::size_t runs = 0;
    uint64_t bytes = 0;                       ///< of their logs
    std::vector<std::filesystem::path> logs;  ///< as they were called while they were written
};

/// One thread at a time; several processes may be at the same folder. Opened by the first call.
/// Throws Error{Io}, and Error{Preflight} for the file of a newer Gantry.
class History {
public:
    /// `tell` gets what the user should know, in sentences.
    explicit History(std::filesystem::path folder,
                     std::function<void(const std::string&)> tell = {});

    const std::filesystem::path& folder() const { return folder_; }
    /// Whether anything was ever kept. Makes nothing.
    bool exists() const;

    /// The last one first.
    std::vector<PastRun> runs(const Filter& filter = {});
    std::optional<PastRun> run(int64_t id);
    /// In order of their numbers.
    std::vector<PastTask> tasks(int64_t run);
    /// The latest restore of this archive into this database, by events::Identity.
    std::optional<PastRun> latestRestore(const events::Identity& identity);

    /// What was measured on a server on purpose, as text; replaces what was kept of it before.
    void keepCalibration(const std::string& server, const std::string& takenAt,
                         const std::string& result);
    std::optional<std::string> calibration(const std::string& server);

    /// The file of its events; throws Error{Preflight} if it is gone.
    std::filesystem::path logOf(const PastRun& run) const;
    /// Of its events' file; 0 if it is gone.
    uint64_t logBytes(const PastRun& run) const;

    /// Takes in what nobody did: runs whose process was killed end here, and logs that no run knows
    /// are read. Logs that cannot be read are left out.
    void settle(const std::stop_token& stop = {});
    /// Removes runs that are over, with their logs. What settle() would take in is taken in first.
    Pruned prune(const PruneRule& rule);
    /// Removes those of these runs that are over, with their logs.
    Pruned remove(const std::vector<int64_t>& ids);

    // For the recorder.
    std::filesystem::path logFolder() const { return folder_ / "runs"; }
    /// Returns its number.
    int64_t add(const std::string& log, const events::RunStarted& started);
    void identify(int64_t run, const events::Identity& identity);
    /// Writes what it came to; a state without an end is one of an interrupted run.
    void finish(int64_t run, const events::RunState& state);
    /// Replaces a log that nobody writes any more by a compressed one.
    void compress(const std::string& log);

private:
    template <class Action>
    auto attempt(Action action);
    Database& database();
    void setAside(const std::string& reason);
    void settleLog(const std::string& log);
    void remove(const PastRun& run, Pruned& pruned);
    std::filesystem::path openLog(const std::string& log) const;    ///< while it is written
    std::filesystem::path closedLog(const std::string& log) const;  ///< afterwards

    const std::filesystem::path folder_;
    const std::function<void(const std::string&)> tell_;
    std::optional<Database> database_;
    uint64_t inode_ = 0;  ///< of the file that database_ has open
};

}  // namespace gantry::history
