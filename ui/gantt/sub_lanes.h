// SPDX-License-Identifier: PostgreSQL
// What has a place of its own within a bar of a vacuum: its phases, and beneath them its TOAST
// table and the indexes, by the process that works on them. Pure.
#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::ui {

/// Parts that follow one another, in order of time.
struct SubLane {
    events::PartKind kind = events::PartKind::Index;
    uint32_t helper = 0;  ///< of indexes: 0 is the session itself
    std::vector<const events::PartState*> parts;
};
/// Tables of a statement that has several, TOAST tables, then indexes by process.
std::vector<SubLane> subLanesOf(const events::SpanState& span);

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
