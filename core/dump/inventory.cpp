// SPDX-License-Identifier: PostgreSQL
#include "core/dump/inventory.h"

#include <fmt/format.h>

#include "core/dump/catalog.h"
#include "core/dump/large_object_list.h"
#include "core/pg/relation_size.h"

namespace gantry::dump {
namespace {

/// Of pg_class c: what a dump would take, apart from what extensions bring.
std::string ofUsers() {
    return fmt::format(
        "c.relkind IN ('r', 'p', 'f', 'v', 'm') AND c.relpersistence <> 't' AND c.oid >= {}"
        " AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid"
        " AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype = 'e')",
        kFirstUserOid);
}

}  // namespace

Inventory readInventory(pg::Connection& connection) {
    Inventory found;
    found.database = connection.databaseName();
    found.serverVersion = connection.serverVersionText();
    const pg::Result size = connection.query(
        "SELECT CASE WHEN pg_catalog.has_database_privilege(pg_catalog.current_database(),"
        " 'CONNECT') THEN pg_catalog.pg_database_size(pg_catalog.current_database()) END");
    if (!size.isNull(0, 0)) found.databaseBytes = size.number(0, 0);
    const pg::Result schemas = connection.query(
        "SELECT n.oid, n.nspname, pg_catalog.count(c.oid),"
        " coalesce(pg_catalog.sum((c.relpages::pg_catalog.int8"
        " + coalesce(t.relpages, 0)) * b.size) FILTER (WHERE c.relkind = 'r'), 0)"
        " FROM pg_catalog.pg_namespace n"
        " CROSS JOIN (SELECT pg_catalog.current_setting('block_size')::pg_catalog.int8 AS size) b"
        " LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND " +
        ofUsers() +
        " LEFT JOIN pg_catalog.pg_class t ON t.oid = c.reltoastrelid AND t.oid <> 0"
        " WHERE n.nspname OPERATOR(pg_catalog.!~) '^pg_' AND n.nspname <> 'information_schema'"
        " AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = n.oid"
        " AND d.classid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.deptype = 'e')"
        " GROUP BY n.oid, n.nspname ORDER BY n.nspname");
    for (int row = 0; row < schemas.rows(); ++row) {
        found.schemas.push_back({.oid = schemas.oid(row, 0),
                                 .name = schemas.string(row, 1),
                                 .relations = schemas.number(row, 2),
                                 .estimatedBytes = schemas.number(row, 3)});
    }
    const pg::Result extensions = connection.query(fmt::format(
        "SELECT extname FROM pg_catalog.pg_extension WHERE oid >= {} ORDER BY 1", kFirstUserOid));
    for (int row = 0; row < extensions.rows(); ++row) {
        found.extensions.push_back(extensions.string(row, 0));
    }
    found.largeObjects =
        connection.query("SELECT pg_catalog.count(*) FROM pg_catalog.pg_largeobject_metadata")
            .number(0, 0);
    if (found.largeObjects > 0) found.largeObjectBytes = largeObjectBytes(connection);
    return found;
}

std::vector<InventoryRelation> listRelations(pg::Connection& connection, Oid schema) {
    const std::string heap = connection.serverMajor() >= 12
                                 ? "c.relam = (SELECT a.oid FROM pg_catalog.pg_am a"
                                   " WHERE a.amname = 'heap')"
                                 : "true";
    // A table may be dropped while it is looked at: its size is NULL then.
    const pg::Result result = connection.query(
        std::string(pg::kTakenRelations) +
            fmt::format(
                "SELECT c.oid, CASE WHEN c.relispartition THEN (SELECT i.inhparent"
                " FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid LIMIT 1) ELSE 0 END,"
                " c.relname, c.relkind,"
                " CASE WHEN c.relkind = 'r' THEN {} ELSE 0 END,"
                " CASE WHEN c.relkind = 'r' THEN {} ELSE 0 END,"
                " {}, pg_catalog.has_table_privilege(c.oid, 'SELECT')"
                " FROM pg_catalog.pg_class c"
                " LEFT JOIN pg_catalog.pg_class t ON t.oid = c.reltoastrelid AND t.oid <> 0"
                " WHERE c.relnamespace = $1::pg_catalog.oid AND {} ORDER BY c.relname",
                pg::sizeWithoutWaiting("c", "c"), pg::sizeWithoutWaiting("t", "c"), heap,
                ofUsers()),
        {std::to_string(schema.value)});
    std::vector<InventoryRelation> relations;
    relations.reserve(static_cast<std::size_t>(result.rows()));
    for (int row = 0; row < result.rows(); ++row) {
        relations.push_back({.oid = result.oid(row, 0),
                             .parent = result.oid(row, 1),
                             .name = result.string(row, 2),
                             .relkind = result.text(row, 3).front(),
                             .heapBytes = result.number(row, 4),
                             .toastBytes = result.number(row, 5),
                             .heapAccessMethod = result.boolean(row, 6),
                             .readable = result.isNull(row, 7) || result.boolean(row, 7)});
    }
    return relations;
}

std::vector<std::string> listDatabases(pg::Connection& connection) {
    const pg::Result result = connection.query(
        "SELECT datname FROM pg_catalog.pg_database WHERE datallowconn AND NOT datistemplate"
        " AND pg_catalog.has_database_privilege(oid, 'CONNECT') ORDER BY datname");
    std::vector<std::string> names;
    for (int row = 0; row < result.rows(); ++row) names.push_back(result.string(row, 0));
    return names;
}

}  // namespace gantry::dump
