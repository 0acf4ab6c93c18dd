// SPDX-License-Identifier: PostgreSQL
// What a restore has brought about so far, entry by entry. Thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/sync.h"
#include "core/restore/restore_plan.h"

namespace gantry::restore {

class Ledger {
public:
    using Entry = archive::TocEntry;

    /// All that is to be brought about.
    void expect(const std::vector<Step>& steps);

    void done(const Entry& entry);
    void failed(const Entry& entry);
    /// A table stands that was not there before this run: it is empty, and may be emptied again.
    void created(const Entry& entry);
    /// The table of these rows holds them already, or others: it does not count as created, also
    /// if it is found to stand later.
    void filled(const Entry& rows);
    /// Its rows are being committed: after a lost connection nobody knows whether they were.
    void committing(const Entry& entry);
    /// The server refused that commit: they are not there.
    void notCommitted(const Entry& entry);

    bool isDone(const Entry& entry) const;
    bool hasFailed(const Entry& entry) const;
    bool isInDoubt(const Entry& entry) const;
    /// True if the run made one of the tables that `rows` depend on.
    bool createdTableOf(const Entry& rows) const;
    bool failedTableOf(const Entry& rows) const;
    std::set<DumpId> failures() const;
    /// True if an object came to stand. Rows do not count, their tables do.
    bool anyStands() const;

    /// Half of a constraint stands, which `undo` takes back; until finished() it must not be left
    /// behind silently.
    void half(const Entry& entry, std::string undo);
    void finished(const Entry& entry);
    struct Half {
        std::string object;
        std::string undo;
    };
    std::vector<Half> halves() const;

    /// A sentence each: what is there, what is not, and of which rows nobody knows; with names.
    std::string describe() const;

private:
    mutable Mutex mutex_;
    std::vector<const Entry*> expected_ GUARDED_BY(mutex_);
    std::set<DumpId> created_ GUARDED_BY(mutex_);
    std::set<DumpId> filled_ GUARDED_BY(mutex_);
    std::set<DumpId> done_ GUARDED_BY(mutex_);
    std::set<DumpId> failed_ GUARDED_BY(mutex_);
    std::set<DumpId> committing_ GUARDED_BY(mutex_);
    std::map<DumpId, Half> halves_ GUARDED_BY(mutex_);
};

}  // namespace gantry::restore
