// SPDX-License-Identifier: PostgreSQL
// What there is to do: tasks with their costs, what they wait for, and how they can be divided.
// Pure data: no connection, no clock.
#pragma once

#include <cstddef>
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
    VacuumFull,  ///< writing the table anew; a matter of other costs
    Analyze,
    Finish,  ///< completing the archive: appending, syncing, naming it
};
inline constexpr std::size_t kTaskKinds = 14;
std::string_view toString(TaskKind kind);

/// A table's lock as the server takes it for a statement, weakest first.
enum class LockMode : uint8_t {
    AccessShare,           ///< reading
    RowShare,              ///< the referenced table while a foreign key is validated
    RowExclusive,          ///< COPY into it
    ShareUpdateExclusive,  ///< VACUUM, ANALYZE, VALIDATE CONSTRAINT
    Share,                 ///< CREATE INDEX
    ShareRowExclusive,     ///< ADD FOREIGN KEY, on both tables; CREATE TRIGGER
    Exclusive,             ///< REFRESH MATERIALIZED VIEW CONCURRENTLY
    AccessExclusive        ///< TRUNCATE, most of ALTER TABLE
};
inline constexpr std::size_t kLockModes = 8;
std::string_view toString(LockMode mode);

/// Whether one session has to wait for the other (PostgreSQL's documentation, "Table-Level Lock
/// Modes").
bool conflict(LockMode one, LockMode other);

/// A lock that a task holds from its beginning to its end.
struct TaskLock {
    uint64_t key = 0;  ///< of the table: whatever tells it from others
    LockMode mode = LockMode::AccessExclusive;
};

/// A task that can be cut along a line of `units` (heap blocks), handed out in ascending order.
struct Division {
    uint64_t units = 0;     ///< at least 1
    uint64_t minUnits = 1;  ///< no chunk smaller than this, but for the last
    uint64_t maxUnits = UINT64_MAX;
    /// One worker takes it undivided if there is enough for all others meanwhile (leavesEnough).
    bool preferWhole = false;
    /// Its chunks draw from one source until that is empty, and end together. Those that come
    /// later find nothing: they are handed out at once, so that nobody waits for them.
    bool shared = false;
};

struct Task {
    TaskKind kind = TaskKind::TableData;
    std::string object;      ///< for people: "schema.relation"
    std::string relation{};  ///< whose index or constraint it is; empty: none, or of several
    double cost = 0;         ///< estimated seconds on one worker, the whole task
    double asleep = 0;       ///< seconds of the cost in which it rests as told, on any machine
    uint64_t bytes = 0;      ///< estimated, for progress
    std::optional<Division> division;
    std::vector<TaskId> after;         ///< these must be finished, or given up, before
    bool urgent = false;               ///< goes before what is ready and is not, however long
    std::optional<WorkerId> pinnedTo;  ///< only this worker may take it
    /// Tasks whose locks conflict never run at the same time, so that no worker waits inside the
    /// server for what another one of this run holds.
    std::vector<TaskLock> locks;
};

/// Whether a worker may take what costs `cost` undivided beside `workers - 1` others: if `others`,
/// the cost of all else, leaves each of them twice as much.
bool leavesEnough(double others, double cost, uint32_t workers);

/// Its cost as far as it makes sense: estimates may be nonsense, the order must stay one.
double costOf(const Task& task);

/// Seconds that `unitsLeft` of a divided task take at least with all workers on it; of any other
/// task its cost.
double shortestTime(const Task& task, uint64_t unitsLeft, uint32_t workers);
/// Of the whole task.
double shortestTime(const Task& task, uint32_t workers);

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
