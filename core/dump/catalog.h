// SPDX-License-Identifier: PostgreSQL
// What the catalog says of the tables to dump, before pg_dump has said what belongs to the dump.
//
// The list made here lets the workers begin at once and tells what to lock before the snapshot is
// taken. It follows pg_dump's rules of selection, but the last word is the table of contents': what
// is listed here and not there is thrown away, what is there and not here is added.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/options/dump_options.h"
#include "core/pg/connection.h"
#include "core/rows/column_type.h"

namespace gantry::dump {

/// What initdb makes has smaller OIDs.
inline constexpr uint32_t kFirstUserOid = 16384;

/// A table as far as locking goes.
struct LockTarget {
    Oid oid;
    std::string schema;
    std::string name;
    bool lockable = true;  ///< this role may take the lock that a dump needs of it
    bool readable = true;  ///< and, if it has rows of its own, SELECT them

    std::string displayName() const { return schema + "." + name; }
    std::string qualifiedName() const { return pg::quoteQualified(schema, name); }
};

/// A table as far as copying goes.
struct TableFacts {
    Oid oid;
    std::string schema;
    std::string name;
    char relkind = 'r';
    std::vector<std::string> columns;  ///< neither dropped nor generated, in attnum order
    std::vector<std::optional<rows::ColumnType>> types;  ///< of each; empty for one not known there
    uint64_t heapBlocks = 0;
    uint64_t heapBytes = 0;
    uint64_t toastBytes = 0;
    double rows = 0;               ///< the planner's estimate; 0 if never analyzed
    bool heapAccessMethod = true;  ///< ctid ranges mean something
    bool sameFile = true;          ///< false: rewritten since the snapshot, reads as empty
    bool filteredForUs = false;    ///< row security would hide rows from this role
    bool unlogged = false;

    std::string displayName() const { return schema + "." + name; }
    std::string qualifiedName() const { return pg::quoteQualified(schema, name); }
    uint64_t bytes() const { return heapBytes + toastBytes; }
};

/// True if the rules of selection are simple enough to be applied here; otherwise the table of
/// contents is waited for.
bool canSelectEarly(const options::DumpOptions& options);

/// Ordinary and partitioned tables of users that pg_dump would dump under these options. Runs
/// outside of the dump's transaction, under the user's own search_path, as patterns require.
std::vector<LockTarget> listLockTargets(pg::Connection& connection,
                                        const options::DumpOptions& options);

/// OIDs whose rows stay behind: --exclude-table-data.
std::vector<Oid> listExcludedData(pg::Connection& connection, const options::DumpOptions& options);

/// Under the snapshot, for relations that are locked; the sizes of others without waiting for
/// whoever has them exclusively.
std::vector<TableFacts> readTableFacts(pg::Connection& connection, const std::vector<Oid>& oids);

/// Conditions of extensions' configuration tables, by table; may be empty strings.
std::map<Oid, std::string> readExtensionConditions(pg::Connection& connection);

}  // namespace gantry::dump
