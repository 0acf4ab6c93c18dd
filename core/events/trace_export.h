// SPDX-License-Identifier: PostgreSQL
// A run in the Trace Event Format that chrome://tracing, Perfetto and Speedscope open.
#pragma once

#include <string>

#include "core/events/run_state.h"

namespace gantry::events {

/// One JSON object. A worker is a thread, named after it; its spans and the times in which it did
/// nothing are complete events ("X", microseconds since the run began), notices are instants.
/// What still runs ends now.
std::string traceOf(const RunState& run);

}  // namespace gantry::events
