// SPDX-License-Identifier: PostgreSQL
// What a vacuum's phases and indexes add up to. Pure.
#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::ui {

/// Time in each phase, and on each index, in the order in which they were first seen.
struct Spent {
    std::string name;
    Duration time{};
};
std::vector<Spent> timeByPhase(const events::SpanState& span, Duration now);
std::vector<Spent> timeByIndex(const events::SpanState& span, Duration now);

/// What a vacuum came to as a whole: "Removed 10,000 dead rows and freed 1.2 MB. …"; empty if
/// none took place.
QString vacuumVerdict(const events::RunState& run);

}  // namespace gantry::ui
