// SPDX-License-Identifier: PostgreSQL
// Tables as tasks of a dump: what each will cost, and which can be cut into chunks.
#pragma once

#include <cstdint>
#include <optional>
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

/// The table that takes longest, if there is any.
std::optional<TaskId> largestTable(const TaskGraph& graph);

/// What the rows of a dump take where processors are what it waits for, those of this machine,
/// which the server shares.
struct RowWork {
    uint32_t processors = 1;
    /// Of the processors' work on a row what one connection does one row after the other, on the
    /// server and here. The rest is compression, which any thread does.
    double inOneLine = 1;
};

/// Whether the others should make way for a table while it is read: if one connection reads it, or
/// had better read it, although they have less to do. It had better if that takes one processor no
/// longer than all rows take all of them; then this takes its division away.
bool letGoFirst(TaskGraph& graph, TaskId table, uint32_t workers, const RowWork& work);

}  // namespace gantry::plan
