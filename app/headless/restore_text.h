// SPDX-License-Identifier: PostgreSQL
// What a restore came to, for people. Pure functions.
#pragma once

#include <string>

#include "core/events/run_state.h"

namespace gantry::headless {

/// The outcome; errors that were ignored grouped by cause, with the objects under each.
std::string renderRestoreSummary(const events::RunState& state);

}  // namespace gantry::headless
