// SPDX-License-Identifier: PostgreSQL
// An archive's entries as a graph of tasks. Pure: no connection, no clock.
//
//   definitions (pre-data)  ─►  rows, large objects, sequences  ─►  indexes, constraints, foreign
//   keys, triggers, … by their dependencies  ─►  privileges  ─►  event triggers, materialized
//   views' rows  ─►  ANALYZE
//
// Three things set workers free: a key of a large table is built as an index beside its siblings
// and then attached; a foreign key of a large table is added NOT VALID and then validated; what is
// small shares tasks, each of which is one transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/options/restore_options.h"
#include "core/plan/task_graph.h"
#include "core/restore/data_sizes.h"
#include "core/restore/selection.h"

namespace gantry::restore {

struct RestorePlanSettings {
    uint32_t jobs = 1;
    bool share = true;     ///< large tables that are made here, over several connections
    bool rewrites = true;  ///< of keys and foreign keys of large tables
    bool batches = true;
    bool inOrder = false;   ///< one task after the other, as the archive has them
    bool earlyRows = true;  ///< before all definitions are made, where the archive tells enough
    bool analyze = false;
    bool disableTriggers = false;  ///< where nothing but data is restored
    /// Bytes of rows; where workers are many and tables small, less will do.
    uint64_t worthSharing = uint64_t{32} << 20;
    std::set<DumpId> standing = {};  ///< tables that an earlier attempt at this restore has made
};

/// As `options` have it, for an archive with these contents.
RestorePlanSettings planSettings(const options::RestoreOptions& options, const archive::Toc& toc,
                                 uint32_t jobs);

/// maintenance_work_mem for each of so many connections that build indexes, in proportion to what
/// the server was given; empty: the server's own is as much. Bytes.
std::optional<uint64_t> maintenanceMemory(uint64_t sharedBuffers, uint64_t own, uint32_t jobs);

/// What a task does, with the entries it does it to.
struct Step {
    enum class Kind {
        Define,         ///< runs the entries' statements
        Rows,           ///< loads the entries' rows, or runs the statements that stand for them
        LargeObjects,   ///< loads one entry's objects
        BuildIndex,     ///< of a key: the index alone
        AttachKey,      ///< makes that index the key, and what else its entry says
        AddForeignKey,  ///< NOT VALID
        ValidateForeignKey,  ///< takes it away again if it does not hold
        Analyze,
        Barrier,  ///< nothing; all before it is done
    };
    Kind kind = Kind::Define;
    std::vector<const archive::TocEntry*> entries;
    bool shared = false;  ///< rows, by several connections at once
};

struct RestorePlan {
    plan::TaskGraph graph;
    std::vector<Step> steps;  ///< by TaskId
};

/// `choice` and its contents must outlive the plan. Entries of the database itself are left to
/// whoever creates it.
RestorePlan planRestore(const Choice& choice, const DataSizes& sizes,
                        const RestorePlanSettings& settings);

/// "schema.name" or the description: for people.
std::string displayName(const archive::TocEntry& entry);

}  // namespace gantry::restore
