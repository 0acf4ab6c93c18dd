// SPDX-License-Identifier: PostgreSQL
// Says who holds a dump up that waits for a lock, and finds the circles that the server cannot see.
//
// A session that wants a table exclusively queues behind our locks, and everything else queues
// behind it: pg_dump, which has locks of its own to take, then waits for that session, that session
// for the coordinator, and the coordinator, in this program, for pg_dump. No deadlock detector sees
// the last step. Such a circle is given a few seconds, since careful sessions give up by
// themselves; then the dump lets go rather than hold up everybody who needs the table.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/events/event.h"
#include "core/options/connection_options.h"
#include "core/pg/connection.h"

namespace gantry::dump {

/// Of a row of pg_locks, under the alias "l", that no session has: the name of the prepared
/// transaction that has it, else NULL. It keeps the number that the session's transaction had.
inline constexpr std::string_view kPreparedHolder =
    "(SELECT x.gid FROM pg_catalog.pg_locks t"
    " JOIN pg_catalog.pg_prepared_xacts x ON x.transaction = t.transactionid"
    " WHERE l.pid IS NULL AND t.pid IS NULL AND t.virtualtransaction = l.virtualtransaction)";

/// "prepared transaction 'nightly'".
std::string describePrepared(std::string_view gid);
/// The next step where it is in the way: "COMMIT PREPARED 'nightly' or … ends it".
std::string howToEndPrepared(std::string_view gid);

/// Looks through a connection of its own, for a moment each time. One thread at a time.
class LockWatch {
public:
    /// `coordinator` is the pid of the session that holds the tables.
    LockWatch(const options::ConnectionOptions& options, events::EventSink& events,
              std::stop_token stop, int32_t coordinator);

    /// What pg_stat_activity calls the session in which this run's pg_dump works.
    std::string schemaDumpName() const;

    /// To be called about once a second while the coordinator waits for a lock: a notice when it is
    /// somebody new who is waited for. Throws Error{Server}, a deadlock by its SQLSTATE, when a
    /// circle has lasted too long.
    void coordinatorWaits();
    /// The same while pg_dump says nothing; it may just be at work.
    void schemaDumpWaits();

    /// What was seen is over, and the run begins anew: with less patience from now on.
    void forget();

    /// What it means that a lock was not to be had in time, with the table among `relations` and
    /// the session or prepared transaction that has it.
    Error refused(const ErrorInfo& cause, const std::vector<Oid>& relations);

private:
    struct Blocker {
        std::string relation;
        std::string who;       ///< a session or a prepared transaction
        std::string howToEnd;  ///< what else has to be done than to wait; empty for a session
        bool waitsForUs = false;
        bool operator==(const Blocker&) const = default;
    };

    void look(std::string_view waiter);
    std::optional<Blocker> whoBlocks(std::string_view waiter);

    const options::ConnectionOptions options_;
    events::EventSink& events_;
    const std::stop_token stop_;
    const int32_t coordinator_;
    std::optional<Blocker> last_;
    uint32_t seconds_ = 0;  ///< for which the circle has been seen
    uint32_t patience_;     ///< how long it may last, in seconds
};

}  // namespace gantry::dump
