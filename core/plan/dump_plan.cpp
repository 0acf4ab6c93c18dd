// SPDX-License-Identifier: PostgreSQL
#include "core/plan/dump_plan.h"

#include <algorithm>

namespace gantry::plan {
namespace {

constexpr double kBytesPerSecond = 150e6;  // of one connection; only ratios matter to the order
constexpr double kSecondsPerTable = 0.0005;
constexpr double kSecondsPerObject = 0.00005;
constexpr uint64_t kLargestChunk = uint64_t{1} << 30;
constexpr uint64_t kObjectsPerSlice = 500;

}  // namespace

Task planTable(const TableSize& table, const DumpPlanSettings& settings) {
    Task task;
    task.kind = TaskKind::TableData;
    task.object = table.object;
    task.bytes = table.bytes;
    task.cost = kSecondsPerTable + static_cast<double>(table.bytes) / kBytesPerSecond;
    const bool worthwhile = table.bytes >= 2 * settings.smallestChunk;
    if (settings.chunks && settings.tidRangeScans && table.divisible && worthwhile &&
        table.heapBlocks > 1) {
        const uint64_t bytesPerBlock = std::max<uint64_t>(table.bytes / table.heapBlocks, 1);
        task.division =
            Division{.units = table.heapBlocks,
                     .minUnits = std::max<uint64_t>(settings.smallestChunk / bytesPerBlock, 1),
                     .maxUnits = std::max<uint64_t>(kLargestChunk / bytesPerBlock, 1),
                     // Ranges cost the server a twentieth more than the whole, and no ring of
                     // buffers holds them together: they displace what others have in its cache.
                     .preferWhole = !settings.divideAlways};
    }
    return task;
}

Task planLargeObjects(std::string object, uint64_t objects, uint64_t bytes) {
    Task task;
    task.kind = TaskKind::LargeObjects;
    task.object = std::move(object);
    task.bytes = bytes;
    task.cost = kSecondsPerObject * static_cast<double>(objects) +
                static_cast<double>(bytes) / kBytesPerSecond;
    task.division = Division{.units = objects, .minUnits = kObjectsPerSlice};
    return task;
}

std::optional<TaskId> largestTable(const TaskGraph& graph) {
    std::optional<TaskId> largest;
    for (uint32_t i = 0; i < graph.tasks.size(); ++i) {
        if (graph.tasks[i].kind != TaskKind::TableData) continue;
        if (!largest || costOf(graph.tasks[i]) > costOf(graph[*largest])) largest = TaskId{i};
    }
    return largest;
}

bool letGoFirst(TaskGraph& graph, TaskId table, uint32_t workers, const RowWork& work) {
    double all = 0;
    for (const Task& task : graph.tasks) {
        if (task.kind == TaskKind::TableData) all += costOf(task);
    }
    Task& task = graph.tasks[table.value];
    const double cost = costOf(task);
    if (leavesEnough(all - cost, cost, workers)) return false;
    if (!task.division) return true;
    if (!task.division->preferWhole || cost * work.inOneLine * work.processors > all) return false;
    task.division.reset();
    return true;
}

}  // namespace gantry::plan
