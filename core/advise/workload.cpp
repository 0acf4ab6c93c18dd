// SPDX-License-Identifier: PostgreSQL
#include "core/advise/workload.h"

#include <map>
#include <optional>
#include <set>

#include "core/dump/catalog.h"
#include "core/dump/large_object_list.h"

namespace gantry::advise {

DumpWorkload collectWorkload(pg::Connection& connection, const options::DumpOptions& options) {
    DumpWorkload work;
    const std::vector<dump::LockTarget> targets = dump::listLockTargets(connection, options);
    work.relations = targets.size();
    const options::Content& content = options.content;
    if (content.schemaOnly || content.statisticsOnly || content.noData) return work;

    const std::vector<Oid> without = dump::listExcludedData(connection, options);
    const std::set<Oid> excluded(without.begin(), without.end());
    std::vector<Oid> wanted;
    for (const dump::LockTarget& target : targets) {
        if (!excluded.contains(target.oid)) wanted.push_back(target.oid);
    }
    for (const dump::TableFacts& table : dump::readTableFacts(connection, wanted)) {
        if (table.unlogged && content.noUnloggedTableData) continue;
        work.tables.push_back({.object = table.displayName(),
                               .heapBlocks = table.heapBlocks,
                               .bytes = table.bytes(),
                               .divisible = table.relkind == 'r' && table.heapAccessMethod &&
                                            !table.columns.empty()});
    }
    const bool selective = !options.selection.schemas.empty() || !options.selection.tables.empty();
    if (content.noLargeObjects || (selective && !content.largeObjects)) return work;
    work.largeObjects =
        connection.query("SELECT pg_catalog.count(*) FROM pg_catalog.pg_largeobject_metadata")
            .number(0, 0);
    if (work.largeObjects > 0) work.largeObjectBytes = dump::largeObjectBytes(connection);
    return work;
}

std::vector<StandingTable> collectStandingTables(pg::Connection& connection) {
    std::vector<Oid> oids;
    for (const dump::LockTarget& target : dump::listLockTargets(connection, {})) {
        oids.push_back(target.oid);
    }
    std::vector<StandingTable> tables;
    std::map<Oid, std::size_t> places;
    for (const dump::TableFacts& table : dump::readTableFacts(connection, oids)) {
        if (table.relkind != 'r') continue;
        places.emplace(table.oid, tables.size());
        tables.push_back({.schema = table.schema,
                          .name = table.name,
                          .bytes = table.bytes(),
                          .rows = static_cast<uint64_t>(table.rows)});
    }
    const auto placeAt = [&](const pg::Result& result, int row, int column) {
        const auto found = places.find(Oid{static_cast<uint32_t>(result.number(row, column))});
        return found == places.end() ? std::optional<std::size_t>() : found->second;
    };
    // What words a definition would open the table, and so wait for whoever has it for himself.
    const pg::Result indexes = connection.query(
        "SELECT i.indrelid, x.relname, EXISTS (SELECT FROM pg_catalog.pg_constraint k"
        " WHERE k.conindid = x.oid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u')),"
        " m.amname, (SELECT pg_catalog.string_agg(coalesce(pg_catalog.quote_ident(a.attname),"
        " '(expression)'), ', ' ORDER BY place)"
        " FROM pg_catalog.generate_subscripts(i.indoption::pg_catalog.int2[], 1) place"
        " LEFT JOIN pg_catalog.pg_attribute a"
        " ON a.attrelid = i.indrelid AND a.attnum = i.indkey[place])"
        " FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid"
        " JOIN pg_catalog.pg_am m ON m.oid = x.relam WHERE i.indisvalid ORDER BY x.oid");
    for (int row = 0; row < indexes.rows(); ++row) {
        const auto place = placeAt(indexes, row, 0);
        if (!place) continue;
        auto& those = indexes.boolean(row, 2) ? tables[*place].keys : tables[*place].indexes;
        those.push_back({.name = indexes.string(row, 1),
                         .columns = indexes.string(row, 4),
                         .method = indexes.string(row, 3)});
    }
    const pg::Result columns = connection.query(
        "SELECT a.attrelid, pg_catalog.string_agg(pg_catalog.format(E'    %I %s', a.attname,"
        " pg_catalog.format_type(a.atttypid, a.atttypmod)), E',\\n' ORDER BY a.attnum)"
        " FROM pg_catalog.pg_attribute a JOIN (SELECT DISTINCT indrelid"
        " FROM pg_catalog.pg_index) i ON i.indrelid = a.attrelid"
        " WHERE a.attnum > 0 AND NOT a.attisdropped GROUP BY a.attrelid");
    for (int row = 0; row < columns.rows(); ++row) {
        if (const auto place = placeAt(columns, row, 0)) {
            tables[*place].columns = columns.string(row, 1);
        }
    }
    const pg::Result foreignKeys = connection.query(
        "SELECT conrelid, conname, confrelid FROM pg_catalog.pg_constraint"
        " WHERE contype = 'f' ORDER BY oid");
    for (int row = 0; row < foreignKeys.rows(); ++row) {
        const auto own = placeAt(foreignKeys, row, 0);
        const auto target = placeAt(foreignKeys, row, 2);
        if (!own || !target) continue;
        tables[*own].foreignKeys.push_back({.name = foreignKeys.string(row, 1), .target = *target});
    }
    return tables;
}

}  // namespace gantry::advise
