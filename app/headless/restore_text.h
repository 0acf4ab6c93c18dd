// SPDX-License-Identifier: PostgreSQL
// What a restore came to, for people. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/events/run_state.h"
#include "core/restore/preflight.h"

namespace gantry::headless {

/// The outcome; errors that were ignored grouped by cause, with the objects under each.
std::string renderRestoreSummary(const events::RunState& state);

/// A finding a line, what mends it below.
std::string renderFindings(const std::vector<restore::Finding>& findings);

}  // namespace gantry::headless
