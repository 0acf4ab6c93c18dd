// SPDX-License-Identifier: PostgreSQL
// The session that every connection of a dump works in: the settings that pg_dump makes, in its
// order, so that all of them print the same value the same way.
#pragma once

#include <optional>
#include <string>

#include "core/pg/connection.h"

namespace gantry::pg {

struct DumpSessionSettings {
    std::string encoding;  ///< empty: as libpq connected
    std::string role;
    std::optional<int> extraFloatDigits;  ///< empty: 3
    bool quoteAllIdentifiers = false;
    bool rowSecurity = false;  ///< true: filter; false: an error rather than fewer rows
    bool foreignData = false;  ///< foreign tables may be read
};

/// As the options --role, --encoding and --lock-wait-timeout ask for it; empty ones change nothing.
/// What the server refuses throws Error{Server} that names the option and what it takes.
void setRole(Connection& connection, const std::string& role);
void setClientEncoding(Connection& connection, const std::string& encoding);
void setLockWait(Connection& connection, const std::string& timeout);

/// So that no limit set for a role or a database ends a statement that takes long, or the session
/// while it waits for its next task.
void liftTimeLimits(Connection& connection);

/// For sessions that look at catalogs or read rows as they are: compiling takes longer than what it
/// saves, and the planner, which overrates queries over catalogs, would have it done.
void compileNothing(Connection& connection);

/// Both, and the server's messages in English if we may: for sessions that take care of tables.
void setUpMaintenance(Connection& connection);

/// Throws Error{Server}, for instance when the role may not be set.
void setUpDumpSession(Connection& connection, const DumpSessionSettings& settings);

/// Where this session's snapshot stands, as pg_current_snapshot() prints it (before 13
/// txid_current_snapshot()): equal in all connections of a run, or the run is worthless.
std::string currentSnapshot(Connection& connection);

}  // namespace gantry::pg
