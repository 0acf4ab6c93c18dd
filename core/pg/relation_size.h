// SPDX-License-Identifier: PostgreSQL
// How large relations are, without waiting: pg_relation_size() takes a lock, and behind somebody
// who has a table for himself, or waits to have it, it would wait as long as he does.
#pragma once

#include <string>
#include <string_view>

namespace gantry::pg {

/// Begins a query that asks for sizes: "WITH taken AS (…) ". What this session has locked itself is
/// not taken.
inline constexpr std::string_view kTakenRelations =
    "WITH taken AS (SELECT l.relation FROM pg_catalog.pg_locks l"
    " WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'"
    " AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d"
    " WHERE d.datname = pg_catalog.current_database())"
    " AND NOT EXISTS (SELECT FROM pg_catalog.pg_locks m WHERE m.pid = pg_catalog.pg_backend_pid()"
    " AND m.locktype = 'relation' AND m.relation = l.relation AND m.database = l.database"
    " AND m.granted)) ";

/// An expression: the bytes of the relation that `alias` of pg_class stands for, as the catalog
/// remembers them if it or `owner`, its table, is taken; 0 for what has no storage.
std::string sizeWithoutWaiting(std::string_view alias, std::string_view owner);

}  // namespace gantry::pg
