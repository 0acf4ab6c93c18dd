// SPDX-License-Identifier: PostgreSQL
// What a database holds, for people to choose from: schemas at once, their relations one schema at
// a time, so that a database of many thousands of tables opens as fast as a small one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/pg/connection.h"

namespace gantry::dump {

/// A schema of users. Sizes by the planner's last count of pages, which costs nothing to ask.
struct InventorySchema {
    Oid oid;
    std::string name;
    uint64_t relations = 0;       ///< as listRelations() will give
    uint64_t estimatedBytes = 0;  ///< 0 for what was never vacuumed or analyzed
};

/// A table, partitioned table, foreign table, view or materialized view.
struct InventoryRelation {
    Oid oid;
    Oid parent;  ///< the partitioned table it is a partition of, in whatever schema; 0: none
    std::string name;
    char relkind = 'r';
    uint64_t heapBytes = 0;  ///< its rows; 0 for what has none of its own
    uint64_t toastBytes = 0;
    bool heapAccessMethod = true;  ///< can be read in ranges
    bool readable = true;          ///< this role may SELECT from it

    uint64_t bytes() const { return heapBytes + toastBytes; }
    bool hasRows() const { return relkind == 'r'; }
};

struct Inventory {
    std::string database;
    std::string serverVersion;
    uint64_t databaseBytes = 0;  ///< with indexes and all; 0 if this role may not ask
    std::vector<InventorySchema> schemas;
    std::vector<std::string> extensions;  ///< that a dump would create
    uint64_t largeObjects = 0;
    uint64_t largeObjectBytes = 0;
};

/// The current database without relations. Throws Error{Server}.
Inventory readInventory(pg::Connection& connection);

/// One schema's relations by name, with their sizes now, in one query. What belongs to an extension
/// is not among them, since the extension brings it.
std::vector<InventoryRelation> listRelations(pg::Connection& connection, Oid schema);

/// Databases that this role may connect to, templates left out, by name.
std::vector<std::string> listDatabases(pg::Connection& connection);

}  // namespace gantry::dump
