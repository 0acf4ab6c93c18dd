// SPDX-License-Identifier: PostgreSQL
// A run's spans as comma-separated values.
#pragma once

#include <string>

#include "core/events/run_state.h"

namespace gantry::report {

/// A line for each span under a line of headings, quoted as RFC 4180 wants it; times are seconds
/// since the run began. What runs still ends now. No cell begins a spreadsheet's formula.
std::string csvOf(const events::RunState& run);

}  // namespace gantry::report
