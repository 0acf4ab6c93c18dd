// SPDX-License-Identifier: PostgreSQL
// What a run's time went to, in a few plain sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/what_if.h"

namespace gantry::report {

/// The task that took longest from its first begin to its last end.
struct LongestTask {
    TaskId task;
    std::string object;
    Duration duration{};
    double share = 0;  ///< of the time from the first work, or wait for a lock, to the end, 0…1
    uint32_t workers = 0;
};

/// Empty before anything was done.
std::optional<LongestTask> longestTask(const events::RunState& run);

struct Advice {
    uint32_t workers = 1;
    double secondsSaved = 0;
};
/// The fewest additional workers that would have made a difference; empty if none.
std::optional<Advice> moreWorkers(const MeasuredRun& run, const std::vector<Outlook>& outlooks);

/// "audit_log took 61% of the time over 2 workers. A third job would have saved about 9 s.
/// Workers were busy 92% of the time. Compression was never the limit." Begins with the lock that
/// was waited for, if that took a notable part of the run. Says what there is to say; empty for a
/// run that is not over or in which nothing was done.
std::string verdict(const events::RunState& run, const MeasuredRun& measured,
                    const std::vector<Outlook>& outlooks);

/// A cause as people say it, with what is waited for: "waits for public.orders".
std::string describeIdle(const events::WorkerIdle& idle);

}  // namespace gantry::report
