// SPDX-License-Identifier: PostgreSQL
// What of a run's time waits for locks of others and pauses took: no work, and nothing that another
// run has to take again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::report {

struct HeldUp {
    /// Nobody worked, since whoever was there waited for a lock or was paused; in order.
    std::vector<std::pair<Duration, Duration>> stretches;
    Duration all{};    ///< the sum of these
    Duration some{};   ///< workers waited for locks or were paused while others worked
    Duration locks{};  ///< of both together, with a lock in it
    std::string lock;  ///< the one that was waited for longest, and who has it; may be empty
    bool manyLocks = false;

    /// What is measured at this time is of such a stretch.
    bool covers(Duration at) const;
    /// Of `all`, what lies between these.
    Duration within(Duration from, Duration to) const;
};

/// Of the coordinator's waits only those count during which nobody else works. Takes time
/// proportional to spans and idle stretches, but for the logarithm of their number.
HeldUp heldUp(const events::RunState& run);

}  // namespace gantry::report
