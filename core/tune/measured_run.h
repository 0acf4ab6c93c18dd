// SPDX-License-Identifier: PostgreSQL
// One run of a sweep: carried out as ever, kept in the history, and its time taken.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/events/event.h"
#include "core/events/run_state.h"
#include "core/tune/sweep.h"

namespace gantry::tune {

struct RunKeeping {
    std::filesystem::path history;  ///< the folder that keeps it; empty: none does
    std::string sweep;              ///< its name
    /// Called some ten times a second, by a thread of its own.
    std::function<void(const events::RunState&)> onProgress{};
};

/// How a run went, whose time is that of the whole call.
struct Measured {
    Sample sample;
    uint32_t workers = 0;  ///< that it had; fewer than asked for if the server had no room
};

/// Calls `run` with where its events go. Throws what it throws, once its record is closed.
Measured measure(const RunKeeping& keeping, const std::function<void(events::EventSink&)>& run);

}  // namespace gantry::tune
