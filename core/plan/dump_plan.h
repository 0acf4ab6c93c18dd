// SPDX-License-Identifier: PostgreSQL
// Tables as tasks of a dump: what each will cost, and which can be cut into chunks.
#pragma once

#include <cstdint>
#include <string>

#include "core/plan/task_graph.h"

namespace gantry::plan {

/// What decides whether and how tables are divided in a run.
struct DumpPlanSettings {
    bool chunks = true;                           ///< as the user wants
    uint64_t smallestChunk = uint64_t{16} << 20;  ///< bytes
    bool divideAlways = false;                    ///< also while nobody idles for it
    bool tidRangeScans = true;  ///< server 14 and later; without them a chunk reads the whole heap
};

/// A table as far as planning goes.
struct TableSize {
    std::string object;
    uint64_t heapBlocks = 0;
    uint64_t bytes = 0;      ///< heap and TOAST
    bool divisible = false;  ///< an ordinary heap with columns, read without a condition
};

/// TOAST is spread evenly over the heap's blocks, so that a table of few wide rows divides too.
Task planTable(const TableSize& table, const DumpPlanSettings& settings);

/// `objects` large objects of some `bytes` in all; units are the objects.
Task planLargeObjects(std::string object, uint64_t objects, uint64_t bytes);

}  // namespace gantry::plan
