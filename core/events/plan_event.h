// SPDX-License-Identifier: PostgreSQL
// A graph of tasks as the event that tells of it.
#pragma once

#include "core/events/event.h"
#include "core/plan/task_graph.h"

namespace gantry::events {

/// All tasks, with the lower bound of their time on `workers` workers.
Plan describePlan(const plan::TaskGraph& graph, uint32_t workers);

}  // namespace gantry::events
