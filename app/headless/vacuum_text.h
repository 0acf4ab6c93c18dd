// SPDX-License-Identifier: PostgreSQL
// A vacuum's plan and what it came to, for people. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "core/events/run_state.h"

namespace gantry::headless {

/// What would be done to each table and why, up to `most` of them.
std::string renderVacuumPlan(const events::RunState& state, std::size_t most);

/// The outcome: space, dead rows, age, the index that took longest; errors by cause.
std::string renderVacuumSummary(const events::RunState& state);

}  // namespace gantry::headless
