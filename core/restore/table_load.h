// SPDX-License-Identifier: PostgreSQL
// The rows of one table on their way in, over one connection or several at once.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/sync.h"
#include "core/restore/restore_session.h"
#include "core/restore/row_feed.h"
#include "core/restore/row_source.h"
#include "core/run/executor.h"

namespace gantry::restore {

struct LoadSettings {
    bool fresh = false;   ///< created in this run and empty: it may be emptied again, and several
                          ///< connections do not get in each other's way
    bool freeze = false;  ///< COPY FREEZE, where it is loaded over one connection
    bool binary = true;   ///< rows go in binary form, where that is known to mean the same
    bool disableTriggers = false;
    std::string superuser;
};

/// All or nothing: connections that share a table commit only when every row of it has been taken
/// by the server, and their number is what the manifest says.
class TableLoad {
public:
    /// `reader` and `entry` must outlive it.
    TableLoad(const archive::ArchiveReader& reader, const archive::DataMember& member,
              const archive::TocEntry& entry, LoadSettings settings);

    using Progress = std::function<void(uint64_t bytes, uint64_t rows)>;
    /// What is told of a connection's part, in its thread.
    struct Telling {
        RowFeed::OnStatement statement;
        Progress progress;
    };

    /// One connection's part; called by several threads at once if the load is shared. Who comes
    /// when all rows have been handed out does nothing. If one fails, it throws and the others
    /// take their part back. After a lost connection or a deadlock a repeated call (`attempt` > 0)
    /// begins anew, as far as that cannot bring rows twice.
    run::TaskResult run(RestoreSession& session, uint32_t attempt, const Telling& telling,
                        const std::stop_token& stop);

    const archive::TocEntry& entry() const { return entry_; }
    /// True for one who asks once all rows were taken and committed, and nobody is at it any more.
    bool takeWhole() {
        const MutexLock lock(mutex_);
        return whole_ && !failed_ && active_ == 0 && !std::exchange(told_, true);
    }

private:
    bool join(uint32_t attempt, const std::stop_token& stop);
    RowFeed begin(RestoreSession& session, bool again, const RowFeed::OnStatement& onStatement);
    run::TaskResult copy(RowFeed& feed, const Progress& progress);
    /// Waits until all have come to their end; true if the rows are to stay.
    bool agree(uint64_t rows, const std::stop_token& stop);
    /// True for the first failure: that one is told.
    bool fail(bool repeatable);
    bool isRepeatable(const Error& error);
    /// The damage of the member, if that is why the server refused a row; else the refusal.
    Error causeOf(const Error& refusal, const std::stop_token& stop);
    void beginCommit();
    void leave();

    const archive::ArchiveReader& reader_;
    const archive::DataMember member_;
    const archive::TocEntry& entry_;
    const LoadSettings settings_;

    Mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<RowSource> source_ GUARDED_BY(mutex_);
    uint32_t active_ GUARDED_BY(mutex_) = 0;   ///< connections that are at it
    uint32_t arrived_ GUARDED_BY(mutex_) = 0;  ///< of them: at their end
    uint64_t rows_ GUARDED_BY(mutex_) = 0;
    bool drained_ GUARDED_BY(mutex_) = false;
    bool failed_ GUARDED_BY(mutex_) = false;
    bool repeatable_ GUARDED_BY(mutex_) = false;
    bool alone_ GUARDED_BY(mutex_) = false;
    bool wrongCount_ GUARDED_BY(mutex_) = false;
    bool committing_ GUARDED_BY(mutex_) = false;
    bool whole_ GUARDED_BY(mutex_) = false;
    bool told_ GUARDED_BY(mutex_) = false;
};

}  // namespace gantry::restore
