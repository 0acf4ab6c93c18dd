// SPDX-License-Identifier: PostgreSQL
// What the commands that run something have in common: options of this front end, a run shown while
// it goes on, a password asked for when the server wants one, an outcome told, an exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/headless/stop_signals.h"
#include "core/events/run_state.h"
#include "core/options/connection_options.h"
#include "core/options/option.h"
#include "core/options/validate.h"

namespace gantry::headless {

/// What concerns this front end alone.
struct Presentation {
    std::filesystem::path events;
    bool noHistory = false;
    bool noProgress = false;
    bool quiet = false;
    bool verbose = false;
};

/// Adds the rows, bound to `presentation`.
void addPresentation(std::vector<options::Option>& table, Presentation& presentation);

/// Prints them; false if the run is refused.
bool reportProblems(std::string_view command, const std::vector<options::Problem>& problems);

struct RunCommand {
    options::ConnectionOptions& connection;  ///< a password that is asked for goes here
    const Presentation& presentation;
    bool planOnly = false;     ///< the plan is all there is to tell
    bool tellNotices = false;  ///< also where no progress is told
    std::function<void(events::EventSink&, std::stop_token)> run;
    std::function<std::string(const events::RunState&)> summary;
    /// Up to so many tasks of the plan; without it, as renderPlan().
    std::function<std::string(const events::RunState&, std::size_t)> plan{};
};

/// The exit code.
int carryOut(const RunCommand& command, const StopSignals& signals);

}  // namespace gantry::headless
