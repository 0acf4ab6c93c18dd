// SPDX-License-Identifier: PostgreSQL
#include "core/events/plan_event.h"

#include "core/plan/lower_bound.h"

namespace gantry::events {

Plan describePlan(const plan::TaskGraph& graph, uint32_t workers) {
    Plan plan;
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
        const plan::Task& task = graph.tasks[i];
        plan.tasks.push_back({.task = TaskId{static_cast<uint32_t>(i)},
                              .kind = task.kind,
                              .object = task.object,
                              .estimatedBytes = task.bytes,
                              .estimatedRows = 0,
                              .divisible = task.division.has_value(),
                              .after = task.after,
                              .locks = task.locks,
                              .estimatedMs = task.cost * 1000,
                              .relation = task.relation});
    }
    plan.lowerBoundMs = plan::lowerBound(graph, workers).seconds * 1000;
    return plan;
}

}  // namespace gantry::events
