// SPDX-License-Identifier: PostgreSQL
// How busy the workers of a run were, and what they waited for when they were not.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::report {

inline constexpr std::size_t kIdleCauses = static_cast<std::size_t>(events::IdleCause::Left) + 1;

struct WorkerUse {
    WorkerId worker;
    Duration present{};  ///< of the time that Utilization is of: since it came, until it left
    Duration busy{};
    std::array<Duration, kIdleCauses> idle{};  ///< by cause
    double busyShare() const;                  ///< 0…1
};

/// What the workers waited for, of one cause.
struct IdleTotal {
    events::IdleCause cause = events::IdleCause::Tail;
    Duration total{};
    std::string longestOn;  ///< what was waited for longest in all; may be empty
    Duration longest{};     ///< for it
};

struct Utilization {
    std::vector<WorkerUse> workers;  ///< in order; the coordinator is left out
    std::vector<IdleTotal> idle;     ///< longest first; time after a worker has left is none
    Duration begin{};                ///< of the first work, or of a wait for a lock before it
    Duration end{};
    double busyShare() const;  ///< of all workers, 0…1; 0 before `begin`
};

/// From the run's first work until now, or in [from, to] of it; if the coordinator waited for a
/// lock before, all workers waited with it. Takes time proportional to spans and idle stretches,
/// but for the logarithm of their number.
Utilization utilizationOf(const events::RunState& run);
Utilization utilizationOf(const events::RunState& run, Duration from, Duration to);

}  // namespace gantry::report
