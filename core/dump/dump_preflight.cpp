// SPDX-License-Identifier: PostgreSQL
#include "core/dump/dump_preflight.h"

#include <fmt/format.h>

#include "core/dump/lock_watch.h"
#include "core/options/pg_dump_arguments.h"
#include "core/pg/client_tools.h"
#include "core/pg/connection_room.h"

namespace gantry::dump {
namespace {

using Kind = DumpFindingKind;

DumpFinding lookForPgDump(int serverMajor, const options::DumpOptions& options) {
    try {
        const pg::ClientTool tool =
            pg::chooseForServer(pg::findInstallations(options.clientToolsFolder), serverMajor,
                                "pg_dump", options::neededPgDump(options));
        return {Kind::Good, fmt::format("pg_dump {} found for the definitions", tool.version), {}};
    } catch (const Error& error) {
        return {Kind::Blocker, error.info().message, error.info().hint};
    }
}

/// A pooler gives its own process number at the beginning of a session.
DumpFinding lookForPooler(pg::Connection& connection) {
    const pg::Result result = connection.query("SELECT pg_catalog.pg_backend_pid()");
    if (static_cast<int32_t>(result.number(0, 0)) == connection.backendPid()) {
        return {Kind::Good, "connections can share a snapshot: no pooler is in between", {}};
    }
    return {Kind::Blocker,
            "a connection pooler is in between, which hands out other sessions' connections",
            "Give the server's own host and port: a dump's connections have to share a snapshot."};
}

DumpFinding lookForRoom(pg::Connection& connection) {
    constexpr uint32_t kFewest = 2;  // pg_dump's and one worker's
    const uint32_t room = pg::connectionsLeft(connection);
    if (room >= kFewest) {
        return {Kind::Good, fmt::format("{} more connections are free", room), {}};
    }
    return {Kind::Blocker,
            fmt::format("a dump needs three connections, and besides the first the server has room "
                        "for {}",
                        room),
            "Run it when fewer sessions are there, or raise max_connections."};
}

/// Who holds an exclusive lock on a table, or queues for one: reading would queue behind.
void lookForLocks(pg::Connection& connection, std::vector<DumpFinding>& found) {
    constexpr int kMostShown = 3;
    const pg::Result result = connection.query(fmt::format(
        "SELECT l.pid, n.nspname || '.' || c.relname, l.granted, {} FROM pg_catalog.pg_locks l"
        " JOIN pg_catalog.pg_class c ON c.oid = l.relation"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " JOIN pg_catalog.pg_database d ON d.oid = l.database"
        " WHERE l.mode = 'AccessExclusiveLock' AND d.datname = pg_catalog.current_database()"
        " AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'"
        " AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid() ORDER BY l.granted, 2, l.pid",
        kPreparedHolder));
    for (int row = 0; row < result.rows() && row < kMostShown; ++row) {
        const bool prepared = !result.isNull(row, 3);
        found.push_back(
            {Kind::Warning,
             fmt::format("{} {} an exclusive lock on {}; the dump would wait for it",
                         prepared ? describePrepared(result.text(row, 3))
                                  : fmt::format("session {}", result.text(row, 0)),
                         result.boolean(row, 2) ? "holds" : "waits for", result.text(row, 1)),
             prepared ? howToEndPrepared(result.text(row, 3)) + "."
                      : "Wait for it to end, or give --lock-wait-timeout."});
    }
    if (result.rows() > kMostShown) {
        found.push_back({Kind::Warning,
                         fmt::format("{} more exclusive locks on tables of this database",
                                     result.rows() - kMostShown),
                         {}});
    }
}

}  // namespace

std::vector<DumpFinding> inspectDump(pg::Connection& connection,
                                     const options::DumpOptions& options) {
    std::vector<DumpFinding> found;
    found.push_back(lookForPgDump(connection.serverMajor(), options));
    found.push_back(lookForPooler(connection));
    found.push_back(lookForRoom(connection));
    if (connection.query("SELECT pg_catalog.pg_is_in_recovery()").boolean(0, 0)) {
        found.push_back({Kind::Warning,
                         "this is a standby, which may cancel long reads that hold recovery up",
                         "Raise max_standby_streaming_delay there, or dump from the primary."});
    }
    lookForLocks(connection, found);
    return found;
}

}  // namespace gantry::dump
