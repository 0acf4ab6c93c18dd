// SPDX-License-Identifier: PostgreSQL
// One statement's messages as events: its tables, their TOAST tables, each index with the process
// that works on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/sync.h"
#include "core/events/event.h"
#include "core/pg/connection.h"
#include "core/vacuum/index_passes.h"
#include "core/vacuum/vacuum_plan.h"
#include "core/vacuum/verbose.h"

namespace gantry::vacuum {

/// What a statement came to, table by table.
struct Removed {
    std::size_t table = 0;  ///< of Survey::tables
    uint64_t rows = 0;
    uint64_t kept = 0;
    uint32_t indexPasses = 0;
    bool told = true;  ///< by VERBOSE; otherwise the statistics tell it when the run is over
};

/// A table that the statement passed over or warned of.
struct SkippedTable {
    Skipped said;
    std::optional<std::size_t> table;  ///< of Survey::tables; empty if the message fits several
};

/// hear() is called on the connection's thread, found() on the one that watches.
class Telling {
public:
    Telling(const Step& step, const Survey& survey, events::Span span, events::EventSink& events,
            const Clock& clock);

    void hear(const pg::ServerNotice& notice);
    /// The server was in this phase, as its progress views call it, when it was asked, which began
    /// at `asked` of the clock. `ofTable`: of its vacuum, not of its TOAST table's or an analyze.
    void found(const std::string& phase, bool ofTable, Duration asked);

    /// How many indexes of the table the pass under way has behind it, as the messages tell, and
    /// how many there are; nothing between passes.
    std::optional<std::pair<std::size_t, std::size_t>> indexesDone() const;

    /// After the statement.
    std::vector<Removed> removed() const;
    std::vector<SkippedTable> skipped() const;

private:
    void on(const TableBegun& told) REQUIRES(mutex_);
    void on(const TableDone& told) REQUIRES(mutex_);
    void on(const IndexDone& told) REQUIRES(mutex_);
    void on(const HelpersBegun& told) REQUIRES(mutex_);
    void on(const Skipped& told) REQUIRES(mutex_);

    void enter(const std::string& phase) REQUIRES(mutex_);
    void beginTable(std::size_t table) REQUIRES(mutex_);
    void beginToast(const std::string& name) REQUIRES(mutex_);
    void endPart() REQUIRES(mutex_);
    void post(const std::vector<IndexPasses::Stretch>& stretches, uint64_t rows,
              const std::string& phase) REQUIRES(mutex_);
    std::optional<std::size_t> tableNamed(const std::string& name) const REQUIRES(mutex_);
    std::optional<std::size_t> whichIsMeant(const Skipped& told) REQUIRES(mutex_);

    const Step& step_;
    const Survey& survey_;
    const events::Span span_;
    events::EventSink& events_;
    const Clock& clock_;
    const bool several_;  ///< tables in one statement

    mutable Mutex mutex_;
    std::map<std::string, std::size_t> names_ GUARDED_BY(mutex_);
    std::optional<IndexPasses> passes_ GUARDED_BY(mutex_);
    std::map<uint32_t, uint32_t> partOf_ GUARDED_BY(mutex_);  ///< by the stretch's number
    std::optional<uint32_t> openPart_ GUARDED_BY(mutex_);     ///< the table's or the TOAST table's
    bool inToast_ GUARDED_BY(mutex_) = false;
    std::optional<std::size_t> current_ GUARDED_BY(mutex_);
    std::size_t next_ GUARDED_BY(mutex_) = 0;  ///< of Step::tables; those before are over or begun
    uint32_t nextPart_ GUARDED_BY(mutex_) = 0;
    std::string phase_ GUARDED_BY(mutex_);
    Duration entered_ GUARDED_BY(mutex_){};  ///< when that was told
    Duration since_ GUARDED_BY(mutex_){};    ///< what comes next did not begin before
    std::map<std::size_t, Removed> removed_ GUARDED_BY(mutex_);
    std::vector<SkippedTable> skipped_ GUARDED_BY(mutex_);
};

}  // namespace gantry::vacuum
