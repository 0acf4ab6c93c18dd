// SPDX-License-Identifier: PostgreSQL
// The connection that holds a run together: it locks the tables, exports the snapshot and stays.
//
// Order matters. Tables are locked first, in a transaction that has not looked at anything yet
// (LOCK TABLE takes no snapshot); the snapshot comes after, so no table of the list can have been
// dropped, truncated or rewritten between the two. What the snapshot shows beyond the list is
// locked late, and then its file must still be the one that the snapshot knows.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "core/dump/catalog.h"
#include "core/dump/dump_session.h"
#include "core/dump/lock_watch.h"
#include "core/events/event.h"
#include "core/options/dump_options.h"
#include "core/pg/connection.h"

namespace gantry::dump {

/// One thread at a time.
class Coordinator {
public:
    /// Connects and checks what can be checked. Throws Error{Connection, Preflight}.
    Coordinator(const options::DumpOptions& options, events::EventSink& events,
                const std::stop_token& stop);

    pg::Connection& connection() { return connection_; }
    bool isStandby() const { return standby_; }

    /// Locks the tables that are certain to be dumped (none if selection has to wait for the table
    /// of contents), and exports. Throws Error{Preflight} naming every table that this role may not
    /// read, unless its rows stay behind.
    void establishSnapshot();
    /// Lets go of every lock and of the snapshot, and establishes another.
    void establishAnew();
    /// What is to be known of those tables; to be asked once, when they have been locked.
    std::vector<TableFacts> readEarlyTables();
    const SharedSnapshot& snapshot() const { return snapshot_; }

    /// Locks tables that are not locked yet and returns the facts of all of them; they must be in
    /// the snapshot, in the file that it shows.
    std::vector<TableFacts> lockLate(const std::vector<LockTarget>& targets);

    /// True if rows of this table stay behind by option.
    bool isDataExcluded(const TableFacts& table) const;

    /// Throws what lossOf() says if the session is over.
    void checkStillThere();
    /// True if the server has closed the session or does so within `patience`. Asks nothing of it,
    /// so that any thread may look.
    bool hungUp(std::chrono::milliseconds patience) const;
    /// Who holds the run up; told about what this session waits for, to be told about others.
    LockWatch& lockWatch() { return lockWatch_; }
    /// What it means that pg_dump was not given a lock in time.
    Error lockRefused(const ErrorInfo& cause);
    /// Connections that the server has left for this run besides this one, by its own limits and
    /// those of the role and the database. Others may take them meanwhile.
    uint32_t connectionsLeft();

    /// What the end of this session means: the snapshot is gone, nothing can be repeated.
    static Error lossOf(const ErrorInfo& cause);

private:
    void begin();
    /// False if a table was dropped meanwhile, or a deadlock broken: the list has to be made again.
    /// On a standby their rows stay out, whatever the options say.
    void tellUnloggedOnStandby(std::vector<TableFacts> tables);
    bool isExcludedByName(Oid table) const;
    bool tryLock(const std::vector<LockTarget>& targets);
    void lock(const std::vector<LockTarget>& targets);
    void refuseUnreadable(const std::vector<LockTarget>& targets) const;
    static void refuseUnfit(const std::vector<TableFacts>& tables, bool rowSecurity);

    const options::DumpOptions& options_;
    events::EventSink& events_;
    std::stop_token stop_;
    pg::Connection connection_;
    LockWatch lockWatch_;
    std::vector<Oid> locked_;
    bool standby_ = false;
    bool unloggedTold_ = false;
    SharedSnapshot snapshot_;
    std::vector<Oid> excludedData_;
};

}  // namespace gantry::dump
