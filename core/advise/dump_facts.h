// SPDX-License-Identifier: PostgreSQL
// What a dump's advice is made from, as the server tells it.
#pragma once

#include "core/advise/dump_advice.h"
#include "core/options/dump_options.h"
#include "core/pg/connection.h"

namespace gantry::advise {

/// What this machine and the server have to offer. Asks nothing that needs special rights; the
/// server's cores are known only if it runs on this machine. Throws Error{Server}.
DumpSurroundings collectSurroundings(pg::Connection& connection);

/// The tables that these options select, with their sizes now. Patterns that only pg_dump resolves
/// (--filter, --table-and-children and their like) are left out of account. Throws Error{Server}.
DumpWorkload collectWorkload(pg::Connection& connection, const options::DumpOptions& options);

}  // namespace gantry::advise
