// SPDX-License-Identifier: PostgreSQL
#include "core/plan/task_graph.h"

#include <algorithm>
#include <array>

namespace gantry::plan {
namespace {

constexpr unsigned bit(LockMode mode) { return 1U << static_cast<unsigned>(mode); }

/// From this mode up to the strongest.
constexpr unsigned from(LockMode mode) { return 0xffU & ~(bit(mode) - 1); }

/// Each row is what the mode conflicts with; the matrix is symmetric.
constexpr std::array<unsigned, kLockModes> kConflicts{
    bit(LockMode::AccessExclusive),                        // AccessShare
    from(LockMode::Exclusive),                             // RowShare
    from(LockMode::Share),                                 // RowExclusive
    from(LockMode::ShareUpdateExclusive),                  // ShareUpdateExclusive
    from(LockMode::RowExclusive) & ~bit(LockMode::Share),  // Share
    from(LockMode::RowExclusive),                          // ShareRowExclusive
    from(LockMode::RowShare),                              // Exclusive
    from(LockMode::AccessShare),                           // AccessExclusive
};

}  // namespace

bool conflict(LockMode one, LockMode other) {
    return (kConflicts[static_cast<std::size_t>(one)] & bit(other)) != 0;
}

std::string_view toString(LockMode mode) {
    switch (mode) {
        case LockMode::AccessShare:
            return "access share";
        case LockMode::RowShare:
            return "row share";
        case LockMode::RowExclusive:
            return "row exclusive";
        case LockMode::ShareUpdateExclusive:
            return "share update exclusive";
        case LockMode::Share:
            return "share";
        case LockMode::ShareRowExclusive:
            return "share row exclusive";
        case LockMode::Exclusive:
            return "exclusive";
        case LockMode::AccessExclusive:
            return "access exclusive";
    }
    return "";
}

double costOf(const Task& task) { return task.cost > 0 ? std::min(task.cost, 1e15) : 0; }

double shortestTime(const Task& task, uint32_t workers) {
    return shortestTime(task, task.division ? task.division->units : 0, workers);
}

bool leavesEnough(double others, double cost, uint32_t workers) {
    constexpr double kAmple = 2;  // costs are but estimates
    return workers <= 1 || others >= kAmple * (workers - 1) * cost;
}

double shortestTime(const Task& task, uint64_t unitsLeft, uint32_t workers) {
    const double cost = costOf(task);
    if (!task.division || task.division->units == 0) return cost;
    const uint64_t least = std::max<uint64_t>(task.division->minUnits, 1);
    const uint64_t chunks = std::max<uint64_t>((unitsLeft + least - 1) / least, 1);
    return cost * static_cast<double>(unitsLeft) / static_cast<double>(task.division->units) /
           static_cast<double>(std::min<uint64_t>(chunks, std::max(workers, 1U)));
}

std::string_view toString(TaskKind kind) {
    switch (kind) {
        case TaskKind::Schema:
            return "schema";
        case TaskKind::TableData:
            return "table data";
        case TaskKind::LargeObjects:
            return "large objects";
        case TaskKind::Index:
            return "index";
        case TaskKind::Constraint:
            return "constraint";
        case TaskKind::ForeignKey:
            return "foreign key";
        case TaskKind::MaterializedView:
            return "materialized view";
        case TaskKind::PostData:
            return "post-data";
        case TaskKind::Acl:
            return "acl";
        case TaskKind::Statistics:
            return "statistics";
        case TaskKind::Vacuum:
            return "vacuum";
        case TaskKind::VacuumFull:
            return "vacuum full";
        case TaskKind::Analyze:
            return "analyze";
        case TaskKind::Finish:
            return "finish";
    }
    return "";
}

}  // namespace gantry::plan
