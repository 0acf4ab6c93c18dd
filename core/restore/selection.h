// SPDX-License-Identifier: PostgreSQL
// Which entries of an archive are restored, and which part of each, by pg_restore's rules.
#pragma once

#include <string>
#include <vector>

#include "core/archive/toc.h"
#include "core/options/restore_options.h"

namespace gantry::restore {

/// What is wanted of one entry.
struct Wanted {
    bool definition = false;  ///< its statements, run as schema
    bool data = false;        ///< its rows or objects; for an entry without a member its statements
    bool statistics = false;  ///< its statements, run as statistics

    bool any() const { return definition || data || statistics; }
};

/// The entries in the order in which they are to be restored, each with what is wanted of it.
struct Choice {
    std::vector<const archive::TocEntry*> order;  ///< all entries; they belong to the Toc
    std::vector<Wanted> wanted;                   ///< of the entry at the same place of `order`
    std::vector<std::string> unmatched;           ///< names to include that matched nothing
    std::vector<std::string> unmetExclusions;     ///< "--exclude-schema=x" that left nothing out
    bool dataOnly = true;                         ///< no definition is wanted, for whatever reason
};

/// Reads the list file and the filters that `options` names. Throws Error{Usage, Io} for a file
/// that cannot be read or understood.
Choice choose(const archive::Toc& toc, const options::RestoreOptions& options);

}  // namespace gantry::restore
