// SPDX-License-Identifier: PostgreSQL
// What there is to do: tasks with their costs, what they wait for, and how they can be divided.
// Pure data: no connection, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"

namespace gantry::plan {

enum class TaskKind {
    Schema,  ///< gathering or restoring definitions before data
    TableData,
    LargeObjects,
    Index,
    Constraint,
    ForeignKey,
    MaterializedView,
    PostData,  ///< any other definition after data
    Acl,
    Statistics,
    Vacuum,
    Analyze,
    Finish,  ///< completing the archive: appending, syncing, naming it
};
std::string_view toString(TaskKind kind);

/// A task that can be cut along a line of `units` (heap blocks), handed out in ascending order.
struct Division {
    uint64_t units = 0;     ///< at least 1
    uint64_t minUnits = 1;  ///< no chunk smaller than this, but for the last
    uint64_t maxUnits = UINT64_MAX;
};

struct Task {
    TaskKind kind = TaskKind::TableData;
    std::string object;  ///< for people: "schema.relation"
    double cost = 0;     ///< estimated seconds on one worker, the whole task
    uint64_t bytes = 0;  ///< estimated, for progress
    std::optional<Division> division;
    std::vector<TaskId> after;         ///< these must be finished, or given up, before
    std::optional<WorkerId> pinnedTo;  ///< only this worker may take it
    /// Tasks that share a key never run at the same time (locks they would wait for inside the
    /// server); `shared` keys only conflict with exclusive ones.
    std::vector<uint64_t> exclusiveLocks;
    std::vector<uint64_t> sharedLocks;
};

/// Tasks by TaskId, which is their index. Edges only point to tasks that exist.
struct TaskGraph {
    std::vector<Task> tasks;

    TaskId add(Task task) {
        tasks.push_back(std::move(task));
        return TaskId{static_cast<uint32_t>(tasks.size() - 1)};
    }
    const Task& operator[](TaskId id) const { return tasks[id.value]; }
};

}  // namespace gantry::plan
