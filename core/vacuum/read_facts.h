// SPDX-License-Identifier: PostgreSQL
// Asks a server for what a vacuum has to know.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/options/vacuum_options.h"
#include "core/pg/connection.h"
#include "core/vacuum/facts.h"

namespace gantry::vacuum {

/// `room`: also the free connections, which takes as long as all the rest. Throws Error{Server}.
ServerFacts readServerFacts(pg::Connection& connection, bool room = true);

/// Throws Error{Preflight} for what -t cannot name: "t(a", "t(a), u".
void checkTableNames(const std::vector<std::string>& names);

/// The tables of the connection's database that `options` choose, largest first, without their
/// indexes. Waits for nobody's lock: of a table that somebody has exclusively, the sizes are those
/// that the catalog remembers. `times`: also of the last vacuum and analyze. Throws
/// Error{Preflight} for a name that is not there.
std::vector<TableFacts> readTables(pg::Connection& connection,
                                   const options::VacuumOptions& options, bool times);

/// In the order of their OIDs, by the OID of their table.
using TableIndexes = std::unordered_map<Oid, std::vector<IndexFacts>>;
/// Those of all tables of the connection's database; of the tables that may be large, as large as
/// they are, else as the catalog remembers. Waits for nobody's lock either.
TableIndexes readIndexes(pg::Connection& connection);
/// Gives the tables, which are of the connection's database, their indexes, and looks how large
/// those are of which the catalog may be wrong after all.
void attachIndexes(pg::Connection& connection, std::vector<TableFacts>& tables,
                   TableIndexes indexes);

/// Adds widths of rows and of index entries, from which waste is estimated. Takes a while where
/// there are many columns.
void readWidths(pg::Connection& connection, std::vector<TableFacts>& tables);

/// Databases that one can connect to, in the order of their names.
std::vector<std::string> listDatabases(pg::Connection& connection);
/// Of the whole server, the oldest first.
std::vector<ClosedDatabase> listClosedDatabases(pg::Connection& connection);

/// The bytes of a table, its age in transactions and its dead rows, as they are now.
struct TableState {
    uint64_t bytes = 0;  ///< with TOAST
    std::optional<uint64_t> indexBytes = std::nullopt;
    uint64_t xidAge = 0;
    uint64_t deadRows = 0;  ///< by the statistics
};
/// Of all tables; the `measured` ones, with their indexes, as large as they are, the others as the
/// catalog remembers them; dead rows of those in `withToast` with their TOAST's. Without those that
/// are gone, or that somebody has exclusively.
std::map<Oid, TableState> readStates(pg::Connection& connection, const std::vector<Oid>& measured,
                                     const std::vector<Oid>& withToast);

/// "schema.name", as the relation is called now; empty if it was dropped.
std::string nameOf(pg::Connection& connection, Oid relation);

/// "session 4711 (postgres, idle in transaction: LOCK TABLE t)", which keeps a table from being
/// vacuumed; empty if there is none any more.
std::string holderOf(pg::Connection& connection, Oid table);

}  // namespace gantry::vacuum
