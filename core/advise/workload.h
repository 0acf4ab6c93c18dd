// SPDX-License-Identifier: PostgreSQL
// What a dump has to read, and what a restore would have to make, as the server tells it.
#pragma once

#include "core/advise/dump_advice.h"
#include "core/advise/restore_advice.h"
#include "core/options/dump_options.h"
#include "core/pg/connection.h"

namespace gantry::advise {

/// The tables that these options select, with their sizes now; waits for nobody's lock. Patterns
/// that only pg_dump resolves (--filter, --table-and-children and their like) are left out of
/// account. Throws Error{Server}.
DumpWorkload collectWorkload(pg::Connection& connection, const options::DumpOptions& options);

/// The tables of the connection's database with what a restore would have to build for them; waits
/// for nobody's lock. Throws Error{Server}.
std::vector<StandingTable> collectStandingTables(pg::Connection& connection);

}  // namespace gantry::advise
