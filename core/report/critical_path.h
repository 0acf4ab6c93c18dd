// SPDX-License-Identifier: PostgreSQL
// What a run's length came from: the chain of spans in which each held the next one up.
#pragma once

#include <cstddef>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::report {

/// Why a span did not begin sooner.
enum class Link {
    Start,       ///< nothing before it
    Dependency,  ///< a task that had to be finished first
    Worker       ///< its worker was at something else
};

struct CriticalStep {
    std::size_t span = 0;  ///< index into RunState::spans()
    Link link = Link::Start;
    Duration waited{};  ///< from the end of the step before to its own begin
};

/// In order of time; the last step is the span that ends last, or of those that run the one that
/// began first. Empty before anything has begun. Takes time linear in spans and dependencies.
std::vector<CriticalStep> criticalPath(const events::RunState& run);

/// By index into RunState::spans(): whether it is on the path, or a chunk of a task that is. Chunks
/// share one task's work, so that each holds the next task up as much as another.
std::vector<bool> criticalSpans(const events::RunState& run, const std::vector<CriticalStep>& path);

}  // namespace gantry::report
