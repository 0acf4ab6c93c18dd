// SPDX-License-Identifier: PostgreSQL
// What a server says with VERBOSE while it vacuums, versions 10 to 18, in English. Pure.
//
//   10-14  vacuuming "public.t"                        a table, or its TOAST table, begins
//          scanned index "t_pkey" to remove 100 row versions [by parallel vacuum worker]
//            CPU: user: 0.05 s, system: 0.00 s, elapsed: 0.05 s
//          index "t_pkey" now contains 900 row versions in 27 pages [as reported by parallel …]
//          "t": found 100 removable, 900 nonremovable row versions in 5 out of 5 pages
//            0 dead row versions cannot be removed yet, …
//   13-    launched 2 parallel vacuum workers for index vacuuming (planned: 2)
//   15-    finished vacuuming "db.public.t": index scans: 1
//          pages: …
//          tuples: 100 removed, 900 remain, 0 are dead but not yet removable, …
//          The indexes' own messages are of level DEBUG2, without times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/base/clock.h"
#include "core/pg/connection.h"

namespace gantry::vacuum {

/// Names are as the server prints them: "db.schema.table", "schema.table" or "table", unquoted.
struct TableBegun {
    std::string table;
    bool analyze = false;
};
struct TableDone {
    std::string table;
    uint64_t removed = 0;
    uint64_t kept = 0;
    std::optional<uint32_t> indexPasses = {};
};
struct IndexDone {
    std::string index;
    bool cleanUp = false;   ///< else dead entries were removed
    bool byHelper = false;  ///< a parallel worker did it
    uint64_t rows = 0;      ///< removed
    std::optional<Duration> took = {};
};
struct HelpersBegun {
    uint32_t launched = 0;
    uint32_t planned = 0;
    bool cleanUp = false;
};
/// A warning.
struct Skipped {
    enum class Why { Locked, NotPermitted, Gone, Other } why = Why::Other;
    std::string table;  ///< may be empty
    std::string message;

    /// False for a warning about a table that was worked on all the same.
    bool leftOut() const { return why != Why::Other || message.starts_with("skipping"); }
};

using Told = std::variant<TableBegun, TableDone, IndexDone, HelpersBegun, Skipped>;

/// Empty for what is of no interest.
std::optional<Told> understand(const pg::ServerNotice& notice);

}  // namespace gantry::vacuum
