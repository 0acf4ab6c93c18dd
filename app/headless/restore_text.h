// SPDX-License-Identifier: PostgreSQL
// What a restore came to, for people. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/events/run_state.h"
#include "core/restore/preflight.h"

namespace gantry::headless {

/// What of a restore outlives one that does not come to its end.
struct Aftermath {
    bool databaseStays = true;  ///< not with a scratch server, which goes with it
    std::string record;         ///< what --resume takes; empty: nobody recorded it
};

/// The outcome, whatever it is; errors that were ignored on the way as renderIgnored() has them.
std::string renderRestoreSummary(const events::RunState& state, const Aftermath& aftermath);

/// Errors that were ignored, grouped by cause, with the objects under each; empty if there are
/// none.
std::string renderIgnored(const events::RunState& state);

/// A finding a line, what mends it below.
std::string renderFindings(const std::vector<restore::Finding>& findings);

}  // namespace gantry::headless
