// SPDX-License-Identifier: PostgreSQL
// A run that takes place in thought: the scheduler itself, with workers that only let time pass.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/plan/scheduler.h"

namespace gantry::plan {

struct SimulationSettings {
    uint32_t workers = 1;
    std::optional<Weights> weights = std::nullopt;  ///< empty: by a quick search
    /// Seconds an assignment takes; without it, its share of the task's cost. Lets a plan made from
    /// estimates be run with what the tasks really take.
    std::function<double(const Task&, const Assignment&)> duration;
    /// Seconds by which all has to be done: what would take longer is given up instead of begun.
    std::optional<double> until = std::nullopt;
};

/// Seconds since the run began.
struct SimulatedSpan {
    Assignment assignment;
    WorkerId worker;
    double begin = 0;
    double end = 0;
};

struct Simulation {
    double makespan = 0;
    double busy = 0;                   ///< seconds of all workers together
    std::vector<SimulatedSpan> spans;  ///< in the order in which they begin
    std::vector<TaskId> givenUp;       ///< for want of time
};

/// Spans to simulate in search of weights: what a prediction is worth, and what a run is (some 60
/// ms).
inline constexpr std::size_t kQuickSearch = 20'000;
inline constexpr std::size_t kThoroughSearch = 300'000;

/// Weights with which the run is over sooner than by the rule alone, by the plan's own costs: with
/// 2 workers and three tables the third index would be built alone, had the rows of all three been
/// loaded before the first. Found by trying variations, each of the best so far; the same ones each
/// time. Empty where nothing is gained, or the plan is too large to try.
Weights bestWeights(const TaskGraph& graph, uint32_t workers, std::size_t effort);

/// Runs the plan to its end in virtual time; workers ask in the order of their numbers, the
/// coordinator (worker 0) for what is pinned to it. Throws Error{Internal} for a plan that nobody
/// can carry out: tasks that wait in a circle or are pinned to a worker that is not there.
Simulation simulate(TaskGraph graph, SimulationSettings settings);

}  // namespace gantry::plan
