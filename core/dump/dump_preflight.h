// SPDX-License-Identifier: PostgreSQL
// What a dump will meet, known before anything is locked.
#pragma once

#include <string>
#include <vector>

#include "core/options/dump_options.h"
#include "core/pg/connection.h"

namespace gantry::dump {

enum class DumpFindingKind {
    Good,     ///< was looked at, and is well
    Warning,  ///< the dump may have to wait, or be worth less
    Blocker,  ///< the dump would be refused
};

struct DumpFinding {
    DumpFindingKind kind = DumpFindingKind::Good;
    std::string what;    ///< a sentence without a final full stop
    std::string remedy;  ///< the next step, a full sentence; may be empty

    friend bool operator==(const DumpFinding&, const DumpFinding&) = default;
};

/// Looks, and changes nothing. In the order in which the dump would meet it. Throws Error{Server,
/// Connection, Cancelled}.
std::vector<DumpFinding> inspectDump(pg::Connection& connection,
                                     const options::DumpOptions& options);

}  // namespace gantry::dump
