// SPDX-License-Identifier: PostgreSQL
// What no order of the tasks can beat, and which of the reasons it is.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/plan/task_graph.h"

namespace gantry::plan {

struct LowerBound {
    enum class Cause {
        Work,    ///< all of it, shared out evenly among the workers
        Path,    ///< the longest chain of tasks that wait for each other, or a single one
        Worker,  ///< what is pinned to one worker
        Lock     ///< tasks that exclude each other at one lock
    };
    double seconds = 0;
    Cause cause = Cause::Work;
};
std::string_view toString(LowerBound::Cause cause);

/// By the tasks' costs. Divided tasks count on a path as if all workers shared them, as far as
/// their smallest chunk allows. The coordinator (worker 0) is not one of `workers`; what is pinned
/// to it is its own. `graph` without circles.
LowerBound lowerBound(const TaskGraph& graph, uint32_t workers);

}  // namespace gantry::plan
