// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/read_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/processor_load.h"
#include "core/pg/connection_room.h"
#include "core/pg/environment.h"
#include "core/pg/reading.h"
#include "core/pg/relation_size.h"
#include "core/run/lock_observer.h"
#include "core/vacuum/vacuum_plan.h"

namespace gantry::vacuum {
namespace {

constexpr int kPermissionToMaintain = 17;
constexpr int kInsertStatistics = 13;
constexpr int kGeneratedColumns = 12;
constexpr int kNeverCounted = 14;  // is told apart from empty
constexpr int kVirtualColumns = 18;
/// So many have but small relations.
constexpr int kSmallPages = 128;

std::string permission(pg::Connection& connection) {
    std::string sql =
        "(pg_catalog.pg_has_role(c.relowner, 'USAGE') OR (NOT c.relisshared AND"
        " pg_catalog.pg_has_role((SELECT d.datdba FROM pg_catalog.pg_database d"
        " WHERE d.datname = pg_catalog.current_database()), 'USAGE'))";
    if (connection.serverMajor() >= kPermissionToMaintain) {
        sql += " OR pg_catalog.has_table_privilege(c.oid, 'MAINTAIN')";
    }
    return sql + ")";
}

/// Statistics that are missing: of columns, extended ones, of indexed expressions. Those of a table
/// and those of it and its children are two sets, of which a partitioned one has but the second.
std::string lacksStatistics(int major) {
    const std::string stored = major >= kVirtualColumns ? " AND a.attgenerated <> 'v'" : "";
    const std::string analyzed =
        " AND a.attnum > 0 AND NOT a.attisdropped AND coalesce(a.attstattarget, -1) <> 0" + stored;
    return fmt::format(
        "(EXISTS (SELECT FROM (VALUES (false), (true)) AS kind (inherited)"
        " WHERE CASE WHEN kind.inherited THEN c.relkind = 'p' OR EXISTS (SELECT FROM"
        " pg_catalog.pg_inherits h WHERE h.inhparent = c.oid) ELSE c.relkind <> 'p' END"
        " AND (EXISTS (SELECT FROM pg_catalog.pg_attribute a"
        " WHERE a.attrelid = c.oid{0} AND NOT EXISTS (SELECT FROM pg_catalog.pg_statistic s"
        " WHERE s.starelid = a.attrelid AND s.staattnum = a.attnum"
        " AND s.stainherit = kind.inherited))"
        " OR EXISTS (SELECT FROM pg_catalog.pg_statistic_ext e WHERE e.stxrelid = c.oid"
        " AND e.stxstattarget IS DISTINCT FROM 0 AND NOT EXISTS"
        " (SELECT FROM pg_catalog.pg_statistic_ext_data d WHERE d.stxoid = e.oid"
        " AND d.stxdinherit = kind.inherited))))"
        " OR EXISTS (SELECT FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a"
        " ON a.attrelid = i.indexrelid WHERE i.indrelid = c.oid AND i.indexprs IS NOT NULL"
        " AND i.indkey[a.attnum - 1] = 0{0}"
        " AND NOT EXISTS (SELECT FROM pg_catalog.pg_statistic s WHERE s.starelid = a.attrelid"
        " AND s.staattnum = a.attnum AND s.stainherit = (c.relkind = 'p'))))",
        analyzed);
}

struct NamedTable {
    std::string name;
    std::vector<std::string> columns;  ///< as they were given; none: all
};

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1));
}

/// "schema.table(a, b)", quoted names left whole. Throws Error{Preflight} for what is none.
NamedTable splitColumns(const std::string& text) {
    NamedTable found;
    bool quoted = false;
    bool inList = false;
    bool closed = false;
    std::string word;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        const bool mark = !quoted && (inList ? c == ',' || c == ')' : c == '(');
        if (closed ? std::isspace(static_cast<unsigned char>(c)) == 0 : mark && c != '(') {
            if (!closed && !trimmed(word).empty()) {
                found.columns.push_back(trimmed(word));
                word.clear();
                closed = c == ')';
                continue;
            }
            throw Error(ErrorKind::Preflight, fmt::format("{} is no table with its columns", text),
                        "--table", "Write it as 'table(column, column)', one table for each -t.");
        }
        if (mark) {
            inList = true;
            found.name = std::exchange(word, {});
        } else {
            word += c;
        }
    }
    if (!inList) found.name = word;
    if (inList && !closed) {
        throw Error(ErrorKind::Preflight, fmt::format("{} lacks the closing parenthesis", text),
                    "--table", "Write it as 'table(column, column)', one table for each -t.");
    }
    return found;
}

/// Of tables that -t names, the columns; none: all of them.
using NamedTables = std::unordered_map<uint32_t, std::vector<std::string>>;

std::string columnList(const std::vector<std::string>& columns) {
    return columns.empty() ? std::string() : fmt::format("({})", fmt::join(columns, ", "));
}

/// A table that is named several times is meant with all columns that are.
void addNamed(NamedTables& named, uint32_t oid, const std::vector<std::string>& columns) {
    const auto [found, isNew] = named.try_emplace(oid, columns);
    if (isNew) return;
    std::vector<std::string>& known = found->second;
    if (known.empty() || columns.empty()) {
        known.clear();
        return;
    }
    for (const std::string& column : columns) {
        if (std::find(known.begin(), known.end(), column) == known.end()) known.push_back(column);
    }
}

std::string schemaList(const std::vector<std::string>& schemas) {
    std::string list;
    for (const std::string& schema : schemas) {
        list += (list.empty() ? "" : ", ") + pg::quoteLiteral(schema) + "::pg_catalog.regnamespace";
    }
    return list;
}

[[noreturn]] void refuseName(const Error& error, const std::string& option) {
    ErrorInfo info = error.info();
    info.kind = ErrorKind::Preflight;
    info.object = option;
    info.hint = "Check the name; as in SQL, one with capitals needs double quotes.";
    info.statement.clear();
    throw Error(std::move(info));
}

/// The OIDs that names of -t stand for, with their columns.
NamedTables resolve(pg::Connection& connection, const std::vector<std::string>& names) {
    NamedTables found;
    for (const std::string& text : names) {
        const NamedTable table = splitColumns(text);
        try {
            const pg::Result oid =
                connection.query("SELECT $1::pg_catalog.regclass::pg_catalog.oid", {table.name});
            addNamed(found, static_cast<uint32_t>(oid.number(0, 0)), table.columns);
        } catch (const Error& error) {
            if (!error.info().connectionUsable) throw;
            refuseName(error, "--table");
        }
    }
    return found;
}

std::string oidList(const NamedTables& named) {
    std::string list;
    for (const auto& [oid, columns] : named) {
        list += (list.empty() ? "" : ", ") + std::to_string(oid);
    }
    return list;
}

uint32_t oid(const pg::Result& result, int row, int column) {
    return static_cast<uint32_t>(result.number(row, column));
}

/// Of partitions the tables above them that -t names.
using Wholes = std::unordered_map<uint32_t, std::vector<uint32_t>>;

/// Who names the whole means those below it, too (takesPartitionsApart).
Wholes addPartitions(pg::Connection& connection, NamedTables& named) {
    Wholes wholes;
    if (named.empty()) return wholes;
    const pg::Result r = connection.query(fmt::format(
        "WITH RECURSIVE below AS (SELECT h.inhparent AS whole, h.inhrelid AS part"
        " FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class p ON p.oid = h.inhparent"
        " WHERE p.relkind = 'p' AND p.oid IN ({}) UNION ALL SELECT b.whole, h.inhrelid FROM below b"
        " JOIN pg_catalog.pg_inherits h ON h.inhparent = b.part)"
        " SELECT b.whole, b.part FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.part"
        " WHERE c.relkind IN ('r', 'p')",
        oidList(named)));
    for (int row = 0; row < r.rows(); ++row) {
        const uint32_t whole = oid(r, row, 0);
        const uint32_t part = oid(r, row, 1);
        const std::vector<std::string> columns = named[whole];
        addNamed(named, part, columns);
        wholes[part].push_back(whole);
    }
    return wholes;
}

std::string condition(pg::Connection& connection, const options::VacuumOptions& options,
                      const NamedTables& named) {
    const options::VacuumSelection& s = options.selection;
    // A partitioned table has statistics of its own, which autovacuum never gathers; without
    // ONLY that would analyze the partitions twice. A plan of ours weighs them if it can tell.
    const int major = connection.serverMajor();
    const bool wholes = (options.work.analyzesAlone() && major >= kAnalyzeOnlyParent) ||
                        (options.plansItself() && major >= kNeverCounted);
    std::string sql = !named.empty() ? fmt::format(" WHERE c.oid IN ({})", oidList(named))
                      : wholes       ? " WHERE c.relkind IN ('r', 'm', 'p')"
                                     : " WHERE c.relkind IN ('r', 'm')";
    sql += " AND c.relpersistence <> 't'";
    if (!s.schemas.empty()) {
        sql += fmt::format(" AND n.oid IN ({})", schemaList(s.schemas));
    }
    if (!s.excludeSchemas.empty()) {
        sql += fmt::format(" AND n.oid NOT IN ({})", schemaList(s.excludeSchemas));
    }
    if (s.minXidAge) {
        sql += fmt::format(
            " AND greatest(pg_catalog.age(c.relfrozenxid), pg_catalog.age(t.relfrozenxid)) >= {}"
            " AND c.relfrozenxid::pg_catalog.text <> '0'",
            *s.minXidAge);
    }
    if (s.minMxidAge) {
        sql += fmt::format(
            " AND greatest(pg_catalog.mxid_age(c.relminmxid), pg_catalog.mxid_age(t.relminmxid))"
            " >= {} AND c.relminmxid::pg_catalog.text <> '0'",
            *s.minMxidAge);
    }
    if (s.missingStatsOnly) sql += " AND " + lacksStatistics(connection.serverMajor());
    return sql;
}

/// An expression: the catalog knows well enough how large the relation is. Asking for the size
/// opens it, which for thousands of small ones takes as long as their vacuum. What was counted as
/// small, and has not grown much since by the statistics, is small still.
std::string isKnownToBeSmall(std::string_view alias) {
    return fmt::format(
        "({0}.relpages < {1} AND pg_catalog.pg_stat_get_live_tuples({0}.oid)"
        " + pg_catalog.pg_stat_get_dead_tuples({0}.oid) <= 2 * greatest({0}.reltuples, 0) + 100)",
        alias, kSmallPages);
}

/// An expression, of table c.
std::string_view isCounted(int major) {
    return major >= kNeverCounted ? "c.reltuples >= 0" : "c.relpages > 0";
}

/// An expression, of table c: counted before, and small, with its TOAST table t.
std::string isSizeKnown(int major) {
    return fmt::format("{} AND {} AND (t.oid IS NULL OR {})", isCounted(major),
                       isKnownToBeSmall("c"), isKnownToBeSmall("t"));
}

/// An expression: nothing is in TOAST table t, nor has been, by all that is counted, since its last
/// vacuum found nothing. Statistics that a crash took with them would not know that vacuum's time;
/// those from before the server's start may know nothing of what it took over as a standby. It is
/// to be too young to be frozen, as VACUUM judges that.
constexpr std::string_view kIsToastEmpty =
    "coalesce(t.relpages = 0"
    " AND (SELECT pg_catalog.current_setting('track_counts')::pg_catalog.bool)"
    " AND greatest(pg_catalog.pg_stat_get_last_vacuum_time(t.oid),"
    " pg_catalog.pg_stat_get_last_autovacuum_time(t.oid))"
    " > pg_catalog.pg_postmaster_start_time()"
    " AND pg_catalog.pg_stat_get_live_tuples(t.oid)"
    " + pg_catalog.pg_stat_get_dead_tuples(t.oid) = 0"
    " AND pg_catalog.age(t.relfrozenxid) < (SELECT least("
    "pg_catalog.current_setting('vacuum_freeze_min_age')::pg_catalog.int8,"
    " pg_catalog.current_setting('autovacuum_freeze_max_age')::pg_catalog.int8 / 2))"
    " AND pg_catalog.mxid_age(t.relminmxid) < (SELECT least("
    "pg_catalog.current_setting('vacuum_multixact_freeze_min_age')::pg_catalog.int8,"
    " pg_catalog.current_setting('autovacuum_multixact_freeze_max_age')::pg_catalog.int8 / 2)),"
    " false)";

/// To pg_class c.
constexpr std::string_view kJoinToast =
    " LEFT JOIN pg_catalog.pg_class t ON t.oid = c.reltoastrelid AND t.relkind = 't'";

/// As the catalog remembers it. The block's size is asked for once, not for each row.
std::string rememberedSize(std::string_view alias) {
    return fmt::format(
        "greatest({}.relpages, 0)::pg_catalog.int8 * (SELECT"
        " pg_catalog.current_setting('block_size')::pg_catalog.int8)",
        alias);
}

/// As the catalog remembers it where `known` holds.
std::string sizeOf(std::string_view alias, std::string_view known) {
    return fmt::format("CASE WHEN {} THEN {} ELSE {} END", known, rememberedSize(alias),
                       pg::sizeWithoutWaiting(alias, "c"));
}

std::string tableQuery(pg::Connection& connection, bool times) {
    // Of the functions behind pg_stat_all_tables, since the view first gathers all indexes.
    const auto age = [](std::string_view function, std::string_view column) {
        return fmt::format(
            "greatest(CASE WHEN c.{1}::pg_catalog.text <> '0' THEN pg_catalog.{0}(c.{1}) ELSE 0 "
            "END, coalesce(pg_catalog.{0}(t.{1}), 0))",
            function, column);
    };
    const auto latest = [times](std::string_view act) -> std::string {
        if (!times) return "''";
        return fmt::format(
            "coalesce(pg_catalog.to_char(greatest(pg_catalog.pg_stat_get_last_{0}_time(c.oid),"
            " pg_catalog.pg_stat_get_last_auto{0}_time(c.oid)) AT TIME ZONE 'UTC',"
            " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), '')",
            act);
    };
    return std::string(pg::kTakenRelations) +
           fmt::format(
               "SELECT c.oid, n.nspname, c.relname, c.relkind, {}, {}, c.relallvisible,"
               " c.reltuples, coalesce(t.oid, 0), {},"
               " coalesce(pg_catalog.pg_stat_get_dead_tuples(t.oid), 0),"
               " (SELECT pg_catalog.has_schema_privilege('pg_toast', 'USAGE')),"
               " pg_catalog.pg_stat_get_live_tuples(c.oid),"
               " pg_catalog.pg_stat_get_dead_tuples(c.oid),"
               " pg_catalog.pg_stat_get_mod_since_analyze(c.oid), {}, {}, {}, {}, {},"
               " coalesce(pg_catalog.array_to_string(c.reloptions, ', '), ''),"
               " coalesce(t.relname, ''), coalesce(t.relallvisible, 0), {}, {},"
               " (SELECT pg_catalog.current_setting('block_size'))"
               " FROM pg_catalog.pg_class c"
               " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace{}"
               " CROSS JOIN LATERAL (SELECT {} AS size OFFSET 0) known",  // once for each row
               permission(connection), sizeOf("c", "known.size"), sizeOf("t", "known.size"),
               connection.serverMajor() >= kInsertStatistics
                   ? "pg_catalog.pg_stat_get_ins_since_vacuum(c.oid)"
                   : "0",
               latest("vacuum"), latest("analyze"), age("age", "relfrozenxid"),
               age("mxid_age", "relminmxid"), "known.size", kIsToastEmpty, kJoinToast,
               isSizeKnown(connection.serverMajor()));
}

/// Rows of a table query, sooner sorted here than by the server.
std::vector<int> largestFirst(const pg::Result& r) {
    std::vector<std::tuple<uint64_t, uint32_t, int>> keys;
    keys.reserve(static_cast<std::size_t>(r.rows()));
    for (int row = 0; row < r.rows(); ++row) {
        keys.emplace_back(~r.number(row, 5), oid(r, row, 0), row);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<int> rows;
    rows.reserve(keys.size());
    for (const auto& [bytes, table, row] : keys) rows.push_back(row);
    return rows;
}

TableFacts tableAt(const pg::Result& r, int row) {
    const uint64_t blockSize = r.number(row, 25);
    TableFacts table;
    table.oid = Oid{oid(r, row, 0)};
    table.schema = r.string(row, 1);
    table.name = r.string(row, 2);
    table.relkind = r.text(row, 3).front();
    table.catalog = table.schema == "pg_catalog" || table.schema == "information_schema";
    table.permitted = r.boolean(row, 4);
    table.heapBytes = r.number(row, 5);
    table.blocks = table.heapBytes / blockSize;
    table.allVisible = std::min(r.number(row, 6), table.blocks);
    table.rows = r.real(row, 7);
    table.toast = Oid{oid(r, row, 8)};
    table.toastBytes = r.number(row, 9);
    table.toastDead = r.number(row, 10);
    table.toastPermitted = r.boolean(row, 11);
    table.liveRows = r.number(row, 12);
    table.deadRows = r.number(row, 13);
    table.modifiedRows = r.number(row, 14);
    table.insertedRows = r.number(row, 15);
    table.lastVacuum = r.string(row, 16);
    table.lastAnalyze = r.string(row, 17);
    table.xidAge = r.number(row, 18);
    table.mxidAge = r.number(row, 19);
    table.options = r.string(row, 20);
    table.toastName = r.string(row, 21);
    table.toastVisible = std::min(r.number(row, 22), table.toastBytes / blockSize);
    table.sizeRemembered = r.boolean(row, 23);
    table.toastEmpty = r.boolean(row, 24) && table.toastBytes == 0;
    return table;
}

using Places = std::unordered_map<uint32_t, std::size_t>;

Places placesOf(const std::vector<TableFacts>& tables) {
    Places places;
    for (std::size_t i = 0; i < tables.size(); ++i) places.emplace(tables[i].oid.value, i);
    return places;
}

/// Since the last checkpoint; one that was just now tells nothing.
double measureXidRate(pg::Connection& connection) {
    constexpr double kShortestBasis = 20;  // seconds
    try {
        const pg::Result r = connection.query(
            "SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()) % 4294967296"
            " - pg_catalog.split_part(next_xid, ':', 2)::pg_catalog.int8,"
            " extract(epoch FROM pg_catalog.clock_timestamp() - checkpoint_time)"
            " FROM pg_catalog.pg_control_checkpoint()");
        const double seconds = r.real(0, 1);
        return seconds < kShortestBasis ? 0 : std::max(0.0, r.real(0, 0) / seconds);
    } catch (const Error& error) {
        if (!error.info().connectionUsable) throw;
        return 0;  // not for us to know
    }
}

}  // namespace

ServerFacts readServerFacts(pg::Connection& connection, bool room) {
    ServerFacts facts;
    facts.version = connection.serverVersion();
    const pg::Result r = connection.query(
        "SELECT name, CASE unit WHEN '8kB' THEN setting::pg_catalog.int8 * 8192"
        " WHEN 'kB' THEN setting::pg_catalog.int8 * 1024 END, setting"
        " FROM pg_catalog.pg_settings");
    std::unordered_map<std::string, int> rows;
    for (int row = 0; row < r.rows(); ++row) rows.emplace(r.string(row, 0), row);
    const auto bytes = [&](const char* name, uint64_t otherwise) {
        const auto row = rows.find(name);
        return row == rows.end() || r.isNull(row->second, 1) ? otherwise : r.number(row->second, 1);
    };
    const auto number = [&](const char* name, double otherwise) {
        const auto row = rows.find(name);
        return row == rows.end() ? otherwise : r.real(row->second, 2);
    };
    facts.standby = connection.query("SELECT pg_catalog.pg_is_in_recovery()").boolean(0, 0);
    facts.blockSize = static_cast<uint64_t>(number("block_size", 8192));
    facts.sharedBuffers = bytes("shared_buffers", 0);
    facts.maintenanceWorkMem = bytes("maintenance_work_mem", 0);
    facts.mostHelpers = static_cast<uint32_t>(
        std::min(number("max_parallel_maintenance_workers", 0), number("max_parallel_workers", 0)));
    facts.leastParallelIndex = bytes("min_parallel_index_scan_size", 0);
    facts.freezeMaxAge = static_cast<uint64_t>(number("autovacuum_freeze_max_age", 2e8));
    facts.multixactFreezeMaxAge =
        static_cast<uint64_t>(number("autovacuum_multixact_freeze_max_age", 4e8));
    facts.vacuumThreshold = number("autovacuum_vacuum_threshold", 50);
    facts.vacuumScale = number("autovacuum_vacuum_scale_factor", 0.2);
    facts.insertThreshold = number("autovacuum_vacuum_insert_threshold", 1000);
    facts.insertScale = number("autovacuum_vacuum_insert_scale_factor", 0.2);
    facts.analyzeThreshold = number("autovacuum_analyze_threshold", 50);
    facts.analyzeScale = number("autovacuum_analyze_scale_factor", 0.1);
    facts.costDelay = number("vacuum_cost_delay", 0);
    facts.costLimit = number("vacuum_cost_limit", 200);
    facts.costPageMiss = number("vacuum_cost_page_miss", 2);
    facts.costPageDirty = number("vacuum_cost_page_dirty", 20);
    if (!facts.standby) facts.xidsPerSecond = measureXidRate(connection);
    if (pg::runsHere(connection)) {
        facts.cores = usableProcessors();
        facts.cacheSize = pg::cacheSizeHere(connection);
    }
    if (room) facts.freeConnections = pg::connectionsLeft(connection);
    return facts;
}

namespace {

/// "{1,2}"
std::string arrayOf(const std::vector<Oid>& oids) {
    std::string list;
    for (const Oid one : oids) list += (list.empty() ? "" : ",") + std::to_string(one.value);
    return "{" + list + "}";
}

/// Of these tables, which are among the others.
void measureIndexes(pg::Connection& connection, std::vector<TableFacts>& tables,
                    const std::vector<Oid>& measured) {
    const Places places = placesOf(tables);
    const pg::Result r =
        connection.query(std::string(pg::kTakenRelations) +
                             fmt::format("SELECT i.indrelid, x.oid, {} FROM pg_catalog.pg_index i"
                                         " JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid"
                                         " JOIN pg_catalog.pg_class c ON c.oid = i.indrelid"
                                         " WHERE i.indrelid = ANY ($1::pg_catalog.oid[])",
                                         pg::sizeWithoutWaiting("x", "c")),
                         {arrayOf(measured)});
    for (int row = 0; row < r.rows(); ++row) {
        const Oid index{oid(r, row, 1)};
        for (IndexFacts& facts : tables[places.at(oid(r, row, 0))].indexes) {
            if (facts.oid == index) facts.bytes = r.number(row, 2);
        }
    }
}

/// Of partitioned tables what lies below them. Locks none of it.
void readPartitions(pg::Connection& connection, std::vector<TableFacts>& tables) {
    const auto isWhole = [](const TableFacts& table) { return table.relkind == 'p'; };
    if (std::none_of(tables.begin(), tables.end(), isWhole)) return;
    const Places places = placesOf(tables);
    const pg::Result r = connection.query(fmt::format(
        "WITH RECURSIVE below(whole, part) AS (SELECT h.inhparent, h.inhrelid"
        " FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class p ON p.oid = h.inhparent"
        " WHERE p.relkind = 'p' UNION ALL SELECT b.whole, h.inhrelid FROM below b"
        " JOIN pg_catalog.pg_inherits h ON h.inhparent = b.part)"
        " SELECT b.whole, sum(greatest(c.reltuples::pg_catalog.float8, 0,"
        " pg_catalog.pg_stat_get_live_tuples(c.oid))),"
        " least(sum(c.relpages), {0}) + CASE WHEN {1} THEN 0 ELSE sum(least(c.relpages, {0})) END"
        " FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.part AND c.relkind IN ('r', 'f')"
        " GROUP BY b.whole",
        kSampledBlocks, connection.serverMajor() >= kAnalyzeOnlyParent));
    for (int row = 0; row < r.rows(); ++row) {
        const auto place = places.find(oid(r, row, 0));
        if (place == places.end()) continue;
        TableFacts& table = tables[place->second];
        if (!isWhole(table)) continue;
        table.liveRows = static_cast<uint64_t>(r.real(row, 1));
        table.blocks = r.number(row, 2);
    }
}

}  // namespace

void checkTableNames(const std::vector<std::string>& names) {
    for (const std::string& name : names) splitColumns(name);
}

std::vector<TableFacts> readTables(pg::Connection& connection,
                                   const options::VacuumOptions& options, bool times) {
    auto named = resolve(connection, options.selection.tables);
    const auto asked = named;
    const Wholes wholes =
        takesPartitionsApart(options) ? addPartitions(connection, named) : Wholes();
    pg::Result r = [&] {
        try {
            return connection.query(tableQuery(connection, times) +
                                    condition(connection, options, named));
        } catch (const Error& error) {
            const bool schema = error.info().sqlState == "3F000";
            if (!schema) throw;
            refuseName(error, options.selection.schemas.empty() ? "--exclude-schema" : "--schema");
        }
    }();
    std::vector<TableFacts> tables;
    tables.reserve(static_cast<std::size_t>(r.rows()));
    for (const int row : largestFirst(r)) {
        tables.push_back(tableAt(r, row));
        if (const auto columns = named.find(tables.back().oid.value); columns != named.end()) {
            tables.back().named = true;
            tables.back().ofNamed = !asked.contains(columns->first);
            tables.back().columns = columnList(columns->second);
        }
    }
    const Places places = placesOf(tables);
    for (TableFacts& table : tables) {
        const auto above = wholes.find(table.oid.value);
        if (!table.ofNamed || above == wholes.end()) continue;
        table.underWhole =
            std::any_of(above->second.begin(), above->second.end(), [&](uint32_t one) {
                const auto place = places.find(one);
                return place != places.end() && tables[place->second].permitted;
            });
    }
    readPartitions(connection, tables);
    return tables;
}

TableIndexes readIndexes(pg::Connection& connection) {
    // An index that is not valid may be one that a session builds or rebuilds right now: through
    // all of its waits such a session holds this lock on the table, which everybody may see. Of
    // valid ones nobody asks that, nor what they are of.
    constexpr std::string_view kBuilt =
        "i.indrelid IN (SELECT l.relation FROM pg_catalog.pg_locks l"
        " WHERE l.locktype = 'relation' AND l.granted AND l.mode = 'ShareUpdateExclusiveLock'"
        " AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d"
        " WHERE d.datname = pg_catalog.current_database()))";
    const std::string large = fmt::format("(c.relpages >= {} OR NOT ({}))", kSmallPages,
                                          isCounted(connection.serverMajor()));
    // Nearly all of them are as IndexFacts has it when nothing is said. Of access methods, that of
    // nearly all has the same OID everywhere.
    const pg::Result r = connection.query(
        std::string(pg::kTakenRelations) +
        fmt::format(
            "SELECT CASE WHEN c.relkind = 't' THEN (SELECT p.oid FROM pg_catalog.pg_class p"
            " WHERE p.reltoastrelid = c.oid) ELSE i.indrelid END, x.oid, x.relname,"
            " CASE x.relam WHEN 403 THEN 'btree' ELSE (SELECT am.amname FROM pg_catalog.pg_am am"
            " WHERE am.oid = x.relam) END, CASE WHEN {0} THEN {1} ELSE {2} END,"
            " CASE WHEN x.reltuples > 0 OR i.indpred IS NULL OR {3}"
            " THEN greatest(x.reltuples, 0) ELSE -1 END,"
            " CASE WHEN NOT i.indisvalid OR i.indpred IS NOT NULL OR i.indisexclusion OR {0}"
            " THEN pg_catalog.concat(i.indpred IS NOT NULL, i.indisvalid, i.indisexclusion,"
            " c.relkind = 't', {0}, NOT i.indisvalid AND {4}, NOT i.indisvalid AND EXISTS"
            " (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = x.oid"
            " AND k.contype IN ('p', 'u', 'x')))"
            " END FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid"
            " JOIN pg_catalog.pg_class c ON c.oid = i.indrelid AND (c.relkind IN ('r', 'm')"
            " OR c.relkind = 't' AND NOT i.indisvalid) WHERE x.relkind = 'i'",
            large, pg::sizeWithoutWaiting("x", "c"), rememberedSize("x"),
            isCounted(connection.serverMajor()), kBuilt));
    TableIndexes found;
    for (int row = 0; row < r.rows(); ++row) {
        IndexFacts index{.oid = Oid{oid(r, row, 1)},
                         .name = r.string(row, 2),
                         .accessMethod = r.string(row, 3),
                         .bytes = r.number(row, 4),
                         .rows = r.real(row, 5)};
        if (const std::string_view marks = r.text(row, 6); !marks.empty()) {
            index.partial = marks[0] == 't';
            index.valid = marks[1] == 't';
            index.exclusion = marks[2] == 't';
            index.ofToast = marks[3] == 't';
            index.measured = marks[4] == 't';
            index.workedOn = marks[5] == 't';
            index.constraint = marks[6] == 't';
        }
        found[Oid{oid(r, row, 0)}].push_back(std::move(index));
    }
    for (auto& [table, indexes] : found) {  // sooner than the server, which sorts all of them
        std::sort(indexes.begin(), indexes.end(),
                  [](const IndexFacts& a, const IndexFacts& b) { return a.oid < b.oid; });
    }
    return found;
}

void attachIndexes(pg::Connection& connection, std::vector<TableFacts>& tables,
                   TableIndexes indexes) {
    std::vector<Oid> unknown;
    for (TableFacts& table : tables) {
        auto found = indexes.extract(table.oid);
        if (!found) continue;
        for (IndexFacts& index : found.mapped()) {
            (index.ofToast ? table.toastCopies : table.indexes).push_back(std::move(index));
        }
        bool known = true;
        for (IndexFacts& index : table.indexes) {
            // What has grown since it was counted, or never was, has as many entries as the table
            // has rows by the statistics; how many of a partial index is not known then.
            if (!index.partial) {
                index.rows = std::max(index.rows, static_cast<double>(table.liveRows));
            }
            known = known && (index.measured || (table.sizeRemembered && index.bytes > 0));
        }
        if (!known) unknown.push_back(table.oid);
    }
    if (!unknown.empty()) measureIndexes(connection, tables, unknown);
}

void readWidths(pg::Connection& connection, std::vector<TableFacts>& tables) {
    const Places places = placesOf(tables);
    const std::string generated =
        connection.serverMajor() >= kGeneratedColumns ? " AND a.attgenerated <> 'v'" : "";
    // Of each relation, index or table, the width of its columns by the statistics, or as far as
    // their types tell. An index's plain columns have those of its table.
    const pg::Result r = connection.query(
        "WITH width AS (SELECT n.oid AS schema, s.tablename, s.attname,"
        " s.avg_width * (1 - s.null_frac) AS bytes FROM pg_catalog.pg_stats s"
        " JOIN pg_catalog.pg_namespace n ON n.nspname = s.schemaname WHERE NOT s.inherited)"
        " SELECT c.oid, 0, CASE WHEN pg_catalog.count(*) = pg_catalog.count(w.bytes)"
        " THEN sum(w.bytes) END FROM pg_catalog.pg_class c"
        " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0"
        " AND NOT a.attisdropped" +
        generated +
        " LEFT JOIN width w ON w.schema = c.relnamespace AND w.tablename = c.relname"
        " AND w.attname = a.attname WHERE c.relkind IN ('r', 'm') GROUP BY c.oid"
        " HAVING pg_catalog.count(w.bytes) > 0"
        " UNION ALL SELECT i.indrelid, i.indexrelid,"
        " sum(coalesce(w.bytes, CASE WHEN x.attlen > 0 THEN x.attlen END))"
        " FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid"
        " JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid"
        " JOIN pg_catalog.pg_attribute x ON x.attrelid = i.indexrelid"
        " LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid"
        " AND a.attnum = i.indkey[x.attnum - 1] AND a.attnum > 0"
        " LEFT JOIN width w ON w.schema = c.relnamespace AND (w.tablename = c.relname"
        " AND w.attname = a.attname OR w.tablename = ic.relname AND w.attname = x.attname)"
        " WHERE c.relkind IN ('r', 'm') GROUP BY 1, 2 HAVING pg_catalog.count(*) ="
        " pg_catalog.count(coalesce(w.bytes, CASE WHEN x.attlen > 0 THEN x.attlen END))");
    for (int row = 0; row < r.rows(); ++row) {
        const auto place = places.find(oid(r, row, 0));
        if (place == places.end()) continue;
        TableFacts& table = tables[place->second];
        const Oid index{oid(r, row, 1)};
        if (index == Oid{}) {
            table.hasStatistics = true;
            if (!r.isNull(row, 2)) table.rowBytes = r.real(row, 2);
        }
        for (IndexFacts& facts : table.indexes) {
            if (facts.oid == index) facts.entryBytes = r.real(row, 2);
        }
    }
}

std::vector<std::string> listDatabases(pg::Connection& connection) {
    // -2 marks what a DROP DATABASE was interrupted on.
    const pg::Result r = connection.query(
        "SELECT datname FROM pg_catalog.pg_database WHERE datallowconn AND datconnlimit <> -2"
        " ORDER BY datname");
    std::vector<std::string> names;
    for (int row = 0; row < r.rows(); ++row) names.push_back(r.string(row, 0));
    return names;
}

std::vector<ClosedDatabase> listClosedDatabases(pg::Connection& connection) {
    const pg::Result r = connection.query(
        "SELECT datname, pg_catalog.age(datfrozenxid) FROM pg_catalog.pg_database"
        " WHERE NOT datallowconn AND datconnlimit <> -2 ORDER BY 2 DESC, 1");
    std::vector<ClosedDatabase> found;
    for (int row = 0; row < r.rows(); ++row) {
        found.push_back({.name = r.string(row, 0), .xidAge = r.number(row, 1)});
    }
    return found;
}

std::map<Oid, TableState> readStates(pg::Connection& connection, const std::vector<Oid>& measured,
                                     const std::vector<Oid>& withToast) {
    const auto size = [](std::string_view alias) {
        return fmt::format(
            "CASE WHEN c.oid = ANY ($1::pg_catalog.oid[]) THEN pg_catalog.pg_relation_size({0}.oid)"
            " ELSE {1} END",
            alias, rememberedSize(alias));
    };
    // All that the catalog knows is had sooner than so many tables by their names.
    const pg::Result r = connection.query(
        std::string(pg::kTakenRelations) +
            fmt::format(
                "SELECT c.oid, {} + coalesce({}, 0),"
                " greatest(CASE WHEN c.relfrozenxid::pg_catalog.text <> '0'"
                " THEN pg_catalog.age(c.relfrozenxid) ELSE 0 END,"
                " coalesce(pg_catalog.age(t.relfrozenxid), 0)),"
                " pg_catalog.pg_stat_get_dead_tuples(c.oid)"
                " + CASE WHEN c.oid = ANY ($2::pg_catalog.oid[])"
                " THEN coalesce(pg_catalog.pg_stat_get_dead_tuples(t.oid), 0) ELSE 0 END, i.bytes"
                " FROM pg_catalog.pg_class c{}"
                " LEFT JOIN (SELECT i.indrelid, sum(pg_catalog.pg_relation_size(i.indexrelid))"
                " AS bytes FROM pg_catalog.pg_index i"
                " WHERE i.indrelid = ANY ($1::pg_catalog.oid[])"
                " AND i.indrelid NOT IN (SELECT relation FROM taken) GROUP BY i.indrelid) i"
                " ON i.indrelid = c.oid"
                " WHERE c.relkind IN ('r', 'm', 'p') AND c.oid NOT IN (SELECT relation FROM taken)",
                size("c"), size("t"), kJoinToast),
        {arrayOf(measured), arrayOf(withToast)});
    std::map<Oid, TableState> states;
    for (int row = 0; row < r.rows(); ++row) {
        if (r.isNull(row, 1)) continue;
        TableState& state = states[Oid{oid(r, row, 0)}];
        state.bytes = r.number(row, 1);
        state.xidAge = r.number(row, 2);
        state.deadRows = r.number(row, 3);
        if (!r.isNull(row, 4)) state.indexBytes = r.number(row, 4);
    }
    return states;
}

std::string nameOf(pg::Connection& connection, Oid relation) {
    const pg::Result r = connection.query(
        "SELECT n.nspname || '.' || c.relname FROM pg_catalog.pg_class c"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.oid = $1::pg_catalog.oid",
        {std::to_string(relation.value)});
    return r.rows() == 0 ? std::string() : r.string(0, 0);
}

std::string holderOf(pg::Connection& connection, Oid table) {
    const pg::Result r = connection.query(fmt::format(
        "SELECT {} FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid"
        " WHERE l.locktype = 'relation' AND l.relation = {} AND l.granted"
        " AND l.mode IN ('ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock',"
        " 'ExclusiveLock', 'AccessExclusiveLock') AND a.pid <> pg_catalog.pg_backend_pid()"
        " ORDER BY l.mode, a.pid LIMIT 1",
        run::kSessionColumns, table.value));
    return r.rows() == 0 ? std::string() : run::describeSession(r, 0, 0);
}

}  // namespace gantry::vacuum
