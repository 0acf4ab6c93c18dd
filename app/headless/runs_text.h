// SPDX-License-Identifier: PostgreSQL
// Runs of the past as text and as JSON. Pure functions; times are shown in the local time zone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/events/run_state.h"
#include "core/history/compare.h"
#include "core/history/past_run.h"

namespace gantry::headless {

/// A line for each under a line of headings.
std::string renderRunList(const std::vector<history::PastRun>& runs);
/// An array of objects; times in UTC, durations in seconds.
std::string runListJson(const std::vector<history::PastRun>& runs);

/// All that is known of a run. `state` is the fold of its events; empty if they are gone.
struct RunDetails {
    history::PastRun run;
    std::vector<history::PastTask> tasks;
    std::optional<events::RunState> state;
};
/// Its outcome, options, verdict, the tasks that took longest (at most `most`), and its critical
/// path.
std::string renderRun(const RunDetails& details, std::size_t most);
/// One object: as in runListJson(), with "tasks" and "critical_path".
std::string runJson(const RunDetails& details);

/// Both runs, what differs in their options, and the tasks by how much slower or faster they
/// became, at most `most`.
std::string renderComparison(const history::PastRun& before, const history::PastRun& after,
                             const std::vector<history::TaskChange>& changes, std::size_t most);
std::string comparisonJson(const history::PastRun& before, const history::PastRun& after,
                           const std::vector<history::TaskChange>& changes);

}  // namespace gantry::headless
