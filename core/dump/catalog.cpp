// SPDX-License-Identifier: PostgreSQL
#include "core/dump/catalog.h"

#include <fmt/format.h>

#include <unordered_map>

#include "core/pg/name_pattern.h"
#include "core/pg/relation_size.h"

namespace gantry::dump {
namespace {

std::string oidArray(const std::vector<Oid>& oids) {
    std::string text = "{";
    for (const Oid oid : oids) {
        if (text.size() > 1) text += ',';
        text += std::to_string(oid.value);
    }
    return text + "}";
}

std::string anyTable(const std::vector<std::string>& patterns, int serverVersion) {
    std::string condition = "false";
    for (const std::string& text : patterns) {
        condition +=
            " OR " + pg::matchCondition(pg::parseNamePattern(text, 3), "n.nspname", "c.relname",
                                        "pg_catalog.pg_table_is_visible(c.oid)", serverVersion);
    }
    return "(" + condition + ")";
}

std::string anySchema(const std::vector<std::string>& patterns, int serverVersion) {
    std::string condition = "false";
    for (const std::string& text : patterns) {
        condition += " OR " + pg::matchCondition(pg::parseNamePattern(text, 2), "", "n.nspname", "",
                                                 serverVersion);
    }
    return "(" + condition + ")";
}

/// Privileges any of which is enough for ACCESS SHARE.
std::string_view lockPrivileges(int serverMajor) {
    if (serverMajor < 16) return "SELECT";
    return serverMajor < 17 ? "SELECT,INSERT,UPDATE,DELETE,TRUNCATE"
                            : "SELECT,INSERT,UPDATE,DELETE,TRUNCATE,MAINTAIN";
}

}  // namespace

bool canSelectEarly(const options::DumpOptions& options) {
    const auto& selection = options.selection;
    const auto& content = options.content;
    const bool wholeData = !content.schemaOnly && !content.statisticsOnly && !content.noData;
    return wholeData && content.sections.empty() && selection.tablesAndChildren.empty() &&
           selection.excludeTablesAndChildren.empty() &&
           selection.excludeTableDataAndChildren.empty() && selection.extensions.empty() &&
           selection.excludeExtensions.empty() && selection.includeForeignData.empty() &&
           selection.filterFiles.empty();
}

std::vector<LockTarget> listLockTargets(pg::Connection& connection,
                                        const options::DumpOptions& options) {
    const auto& selection = options.selection;
    const int version = connection.serverVersion();
    std::string sql = fmt::format(
        "SELECT c.oid, n.nspname, c.relname, pg_catalog.has_schema_privilege(n.oid, 'USAGE')"
        " AND pg_catalog.has_table_privilege(c.oid, '{}'),"
        " c.relkind = 'p' OR pg_catalog.has_table_privilege(c.oid, 'SELECT')"
        " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND c.oid >= {}"
        " AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid"
        " AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype = 'e')",
        lockPrivileges(connection.serverMajor()), kFirstUserOid);
    if (!selection.tables.empty()) {
        sql += " AND " + anyTable(selection.tables, version);
    } else {
        if (!selection.schemas.empty()) {
            sql += " AND " + anySchema(selection.schemas, version);
        } else {
            sql +=
                " AND n.nspname OPERATOR(pg_catalog.!~) '^pg_'"
                " AND n.nspname <> 'information_schema'";
        }
        if (!selection.excludeSchemas.empty()) {
            sql += " AND NOT " + anySchema(selection.excludeSchemas, version);
        }
    }
    if (!selection.excludeTables.empty()) {
        sql += " AND NOT " + anyTable(selection.excludeTables, version);
    }
    const pg::Result result = connection.query(sql + " ORDER BY c.oid");
    std::vector<LockTarget> targets;
    targets.reserve(static_cast<std::size_t>(result.rows()));
    for (int row = 0; row < result.rows(); ++row) {
        targets.push_back({.oid = result.oid(row, 0),
                           .schema = result.string(row, 1),
                           .name = result.string(row, 2),
                           .lockable = result.boolean(row, 3),
                           .readable = result.boolean(row, 4)});
    }
    return targets;
}

std::vector<Oid> listExcludedData(pg::Connection& connection, const options::DumpOptions& options) {
    std::vector<Oid> oids;
    const auto& patterns = options.selection.excludeTableData;
    if (patterns.empty()) return oids;
    const pg::Result result = connection.query(
        "SELECT c.oid FROM pg_catalog.pg_class c"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relkind IN ('r', 'p') AND " +
        anyTable(patterns, connection.serverVersion()));
    for (int row = 0; row < result.rows(); ++row) oids.push_back(result.oid(row, 0));
    return oids;
}

std::vector<TableFacts> readTableFacts(pg::Connection& connection, const std::vector<Oid>& oids) {
    std::vector<TableFacts> tables;
    if (oids.empty()) return tables;
    const std::string array = oidArray(oids);
    const bool hasAccessMethods = connection.serverMajor() >= 12;
    // pg_relation_size is NULL for what has no storage (foreign tables).
    const std::string sql =
        std::string(pg::kTakenRelations) +
        fmt::format(
            "SELECT c.oid, n.nspname, c.relname, c.relkind, {}, {}, greatest(c.reltuples, 0), {},"
            " c.relfilenode = 0 OR c.relfilenode = pg_catalog.pg_relation_filenode(c.oid),"
            " pg_catalog.row_security_active(c.oid), c.relpersistence = 'u',"
            " pg_catalog.current_setting('block_size')::pg_catalog.int8"
            " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
            " LEFT JOIN pg_catalog.pg_class t ON t.oid = c.reltoastrelid AND t.oid <> 0"
            " WHERE c.oid = ANY ($1::pg_catalog.oid[]) AND c.relkind IN ('r', 'f', 'm')",
            pg::sizeWithoutWaiting("c", "c"), pg::sizeWithoutWaiting("t", "c"),
            hasAccessMethods ? "EXISTS (SELECT FROM pg_catalog.pg_am a WHERE a.oid = c.relam"
                               " AND a.amname = 'heap')"
                             : "true");
    const pg::Result result = connection.query(sql, {array});
    std::unordered_map<uint32_t, std::size_t> index;
    tables.reserve(static_cast<std::size_t>(result.rows()));
    for (int row = 0; row < result.rows(); ++row) {
        TableFacts table;
        table.oid = result.oid(row, 0);
        table.schema = result.string(row, 1);
        table.name = result.string(row, 2);
        table.relkind = result.text(row, 3).front();
        table.heapBytes = result.number(row, 4);
        table.toastBytes = result.number(row, 5);
        table.rows = result.real(row, 6);
        table.heapAccessMethod = result.boolean(row, 7);
        table.sameFile = result.isNull(row, 8) || result.boolean(row, 8);
        table.filteredForUs = result.boolean(row, 9);
        table.unlogged = result.boolean(row, 10);
        table.heapBlocks = table.heapBytes / std::max<uint64_t>(result.number(row, 11), 1);
        index.emplace(table.oid.value, tables.size());
        tables.push_back(std::move(table));
    }
    // A domain's values have the form of its base type's.
    const pg::Result columns = connection.query(
        fmt::format("SELECT a.attrelid, a.attname, coalesce(b.oid, t.oid),"
                    " coalesce(b.typtype, t.typtype) = 'e'"
                    " FROM pg_catalog.pg_attribute a"
                    " JOIN pg_catalog.pg_type t ON t.oid = a.atttypid"
                    " LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype"
                    " WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0"
                    " AND NOT a.attisdropped{} ORDER BY a.attrelid, a.attnum",
                    connection.serverMajor() >= 12 ? " AND a.attgenerated = ''" : ""),
        {array});
    for (int row = 0; row < columns.rows(); ++row) {
        const auto found = index.find(columns.oid(row, 0).value);
        if (found == index.end()) continue;
        TableFacts& table = tables[found->second];
        table.columns.push_back(columns.string(row, 1));
        table.types.push_back(rows::columnTypeOf(columns.oid(row, 2), columns.boolean(row, 3)));
    }
    return tables;
}

std::map<Oid, std::string> readExtensionConditions(pg::Connection& connection) {
    const pg::Result result = connection.query(
        "SELECT pg_catalog.unnest(extconfig), pg_catalog.unnest(extcondition)"
        " FROM pg_catalog.pg_extension WHERE extconfig IS NOT NULL");
    std::map<Oid, std::string> conditions;
    for (int row = 0; row < result.rows(); ++row) {
        conditions.emplace(result.oid(row, 0), result.string(row, 1));
    }
    return conditions;
}

}  // namespace gantry::dump
