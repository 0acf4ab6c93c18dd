// SPDX-License-Identifier: PostgreSQL
// A connection that reads under the run's snapshot.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/options/dump_options.h"
#include "core/pg/connection.h"
#include "core/pg/session.h"

namespace gantry::dump {

/// What all connections of a run have in common; fixed before the first worker starts.
struct SharedSnapshot {
    std::string id;        ///< what pg_export_snapshot() returned
    std::string contents;  ///< pg_current_snapshot() of the coordinator
    std::string lsn;       ///< WAL position near it; empty if the server does not say
    std::string encoding;  ///< client_encoding of every connection
};

/// Whether rows of foreign tables are asked for, by option or in a filter file.
bool includesForeignData(const options::DumpOptions& options);

pg::DumpSessionSettings sessionSettings(const options::DumpOptions& options);

/// A worker's session. It keeps few locks: after a number of tables it begins a new transaction
/// under the same snapshot. Relations are held by the coordinator meanwhile, so nothing can change
/// beneath it; it never waits long for a lock of its own, since somebody queued for an exclusive
/// one would wait for the coordinator and hold us up, which no deadlock detector sees.
class DumpSession {
public:
    /// Connects and takes the snapshot over. Throws Error{Preflight} where connections end up on
    /// different servers, as behind a pooler or a balancer.
    DumpSession(const options::DumpOptions& options, const SharedSnapshot& snapshot,
                bool readsForItself, std::string_view application, const std::stop_token& stop);

    pg::Connection& connection() { return connection_; }

    /// To be called before each relation.
    void beginRelation();
    /// After an error that left the transaction aborted.
    void restart();

private:
    void importSnapshot();

    const SharedSnapshot& snapshot_;
    pg::Connection connection_;
    uint32_t relationsInTransaction_ = 0;
};

/// Throws Error{Preflight} if what answers is not the backend that libpq was introduced to: a
/// pooler in between, behind which a snapshot cannot be shared.
void refusePooler(pg::Connection& connection);

}  // namespace gantry::dump
