// SPDX-License-Identifier: PostgreSQL
// What it takes a look at a whole run to know, so that chart and details say the same.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/utilization.h"
#include "core/report/verdict.h"

namespace gantry::ui {

struct RunInsight {
    Duration at{};               ///< the run's time that it is of
    std::vector<bool> critical;  ///< by span; those that came later are not in it
    report::Utilization use;
    std::map<WorkerId, double> busy;  ///< shares, 0…1
    uint32_t workers = 1;
    std::optional<Duration> lowerBound;  ///< report::lowerBoundOf() that many workers
    Duration firstWait{};                ///< for locks, before anything could begin: part of that
    std::optional<report::LongestTask> longest;
};

RunInsight insightInto(const events::RunState& run);

}  // namespace gantry::ui
