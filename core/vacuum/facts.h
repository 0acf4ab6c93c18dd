// SPDX-License-Identifier: PostgreSQL
// What a server and its tables tell that matters to a vacuum. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace gantry::vacuum {

struct IndexFacts {
    Oid oid;
    std::string name;
    std::string accessMethod{};  ///< "btree", "gin", …
    uint64_t bytes = 0;
    double rows = 0;        ///< entries, as far as the server counted; less than 0: unknown
    double entryBytes = 0;  ///< of one entry, estimated from the columns; 0 unknown
    bool partial = false;   ///< only of rows that meet a condition
    bool valid = true;
    bool measured = false;    ///< it has these bytes now; else the catalog remembers them
    bool workedOn = false;    ///< a session may be building it right now
    bool constraint = false;  ///< of a key or an exclusion constraint
    bool exclusion = false;   ///< of the latter, which the server cannot build concurrently
    bool ofToast = false;
};

struct TableFacts {
    uint32_t database = 0;  ///< which of Survey::databases
    std::string where;      ///< " (database)" where several are vacuumed, else empty
    Oid oid;
    std::string schema;
    std::string name;
    std::string columns;  ///< "(a, b)" as -t named them; empty: all
    char relkind = 'r';
    bool catalog = false;     ///< in pg_catalog or information_schema
    bool permitted = true;    ///< we may vacuum it
    bool named = false;       ///< by -t
    bool ofNamed = false;     ///< only as a partition of one that is
    bool underWhole = false;  ///< of such a one that is among the tables, and permitted

    uint64_t blocks = 0;  ///< of the heap; of a partitioned table those that ANALYZE will look at
    uint64_t heapBytes = 0;
    /// It is small by all that the catalog knows, and nobody looked: sizes here are as old as its
    /// last vacuum or analyze.
    bool sizeRemembered = false;
    uint64_t allVisible = 0;     ///< blocks
    double rows = 0;             ///< of which the server knew last; less than 0: never counted
    double rowBytes = 0;         ///< width of a row by the statistics; 0 unknown
    bool hasStatistics = false;  ///< of one column at least, which we may see

    Oid toast;  ///< 0: none
    std::string toastName;
    uint64_t toastBytes = 0;
    uint64_t toastDead = 0;       ///< chunks
    uint64_t toastVisible = 0;    ///< blocks that a vacuum may skip
    bool toastPermitted = false;  ///< we may name it in a statement
    bool toastEmpty = false;      ///< by all that is known, and too young to be frozen

    /// By the cumulative statistics, as the rest here; of a partitioned table those below it.
    uint64_t liveRows = 0;
    uint64_t deadRows = 0;
    uint64_t modifiedRows = 0;  ///< since the last analyze
    uint64_t insertedRows = 0;  ///< since the last vacuum; 0 before 13
    /// By whomever, ISO 8601; empty: never, or not asked for.
    std::string lastVacuum;
    std::string lastAnalyze;

    uint64_t xidAge = 0;  ///< the greater of the heap's and the TOAST table's
    uint64_t mxidAge = 0;
    std::string options;  ///< reloptions as the server prints them

    std::vector<IndexFacts> indexes;      ///< by OID, which is how the server goes through them
    std::vector<IndexFacts> toastCopies;  ///< indexes of its TOAST table that are not valid

    std::string displayName() const { return schema + "." + name; }
    /// For people, whom one name in two databases would confuse.
    std::string shownName() const { return displayName() + where; }
    uint64_t indexBytes() const {
        uint64_t all = 0;
        for (const IndexFacts& index : indexes) all += index.bytes;
        return all;
    }
    /// Of live rows: the statistics may have been lost, and a count may be of before the last load.
    double rowsLeft() const {
        return std::max(static_cast<double>(liveRows), rows - static_cast<double>(deadRows));
    }
    uint64_t bytes() const { return heapBytes + toastBytes + indexBytes(); }
};

/// The most blocks that ANALYZE samples at the default target.
inline constexpr uint64_t kSampledBlocks = 30000;
/// The version from which ANALYZE ONLY leaves partitions out.
inline constexpr int kAnalyzeOnlyParent = 18;

/// Settings and circumstances, in bytes where the server says kB.
struct ServerFacts {
    int version = 0;  ///< as PQserverVersion
    bool standby = false;
    uint64_t blockSize = 8192;
    uint64_t sharedBuffers = 0;
    uint64_t cacheSize = 0;  ///< as pg::cacheSizeHere(), if it runs on this machine
    uint64_t maintenanceWorkMem = 0;
    uint32_t mostHelpers =
        0;  ///< max_parallel_maintenance_workers, no more than max_parallel_workers
    uint64_t leastParallelIndex = 0;  ///< min_parallel_index_scan_size
    uint64_t freezeMaxAge = 200'000'000;
    uint64_t multixactFreezeMaxAge = 400'000'000;
    double vacuumThreshold = 50;
    double vacuumScale = 0.2;
    double insertThreshold = 1000;
    double insertScale = 0.2;
    double analyzeThreshold = 50;
    double analyzeScale = 0.1;
    double costDelay = 0;  ///< vacuum_cost_delay in milliseconds; 0: nothing is throttled
    double costLimit = 200;
    double costPageMiss = 2;
    double costPageDirty = 20;
    double xidsPerSecond = 0;       ///< measured since the last checkpoint; 0 unknown
    std::optional<uint32_t> cores;  ///< if it runs on this machine
    uint32_t freeConnections = 0;

    int major() const { return version / 10000; }
};

/// Which allows nobody in.
struct ClosedDatabase {
    std::string name;
    uint64_t xidAge = 0;
};

/// All that a run is about.
struct Survey {
    ServerFacts server;
    std::vector<std::string> databases;
    std::vector<TableFacts> tables;
};

}  // namespace gantry::vacuum
