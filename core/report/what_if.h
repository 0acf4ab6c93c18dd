// SPDX-License-Identifier: PostgreSQL
// The same run with another number of workers: the scheduler itself, in virtual time, with the
// durations that were measured.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/events/run_state.h"
#include "core/plan/simulator.h"

namespace gantry::report {

/// With which a run of the operation is simulated: of a vacuum none, which goes by the rule alone;
/// of others those that a search finds, as it did for them.
std::optional<plan::Weights> weightsOf(std::string_view operation);

/// A run as far as another number of workers would not change it. Plain data: may be handed to
/// another thread.
struct MeasuredRun {
    plan::TaskGraph graph;                   ///< what has been done, at what it cost
    uint32_t workers = 1;                    ///< the most that worked at the same time
    double seconds = 0;                      ///< from the first work to the end, as told below
    std::optional<double> processors{};      ///< busy share of this machine's; empty: nobody looked
    std::optional<plan::Weights> weights{};  ///< weightsOf() its operation
};

/// From here on it is the processors that a run waits for.
inline constexpr double kProcessorsFull = 0.95;

/// What failed or was cut off is left out, and so is the time in which all of it waited for locks
/// or was paused; tasks that only the coordinator took stay with it.
MeasuredRun measure(const events::RunState& run);

/// When the run cannot be over sooner, with `workers`: its lower bound by what tasks took, and, for
/// the rest, by estimates corrected by that. Since the run's begin; empty before anything is done.
std::optional<Duration> lowerBoundOf(const events::RunState& run, uint32_t workers);

struct Outlook {
    uint32_t workers = 1;
    double seconds = 0;     ///< from the first work to the end
    double lowerBound = 0;  ///< seconds that no order could beat
};

/// For 1 … `most` workers, corrected by what the simulation of the run as it was differs from the
/// run. Takes each task to last as long beside more workers as it did, so that server and disks
/// are assumed to keep up; but the processors' work of the run is never done in less time. Where
/// they were full, fewer workers are left out: what each had done with more of them is not known.
/// Empty for a run in which nothing was done. Ends early, with what there is by then, when asked
/// to stop.
std::vector<Outlook> whatIf(const MeasuredRun& run, uint32_t most, std::stop_token stop = {});

}  // namespace gantry::report
