// SPDX-License-Identifier: PostgreSQL
// Shows a run while it goes on: drains its events, folds them, records them, draws them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/events/event.h"
#include "core/events/run_log.h"
#include "core/events/run_state.h"

namespace gantry::headless {

struct DisplaySettings {
    bool progress = true;  ///< --no-progress takes it away; warnings and errors are still told
    bool notices = false;  ///< tells them without progress, too
    bool verbose = false;  ///< a line for each finished task, instead of the bar
    std::stop_token stop;  ///< what stops the run: said in place of the percentage
    std::filesystem::path history;  ///< the folder that keeps the run; empty: none does
};

/// Draws on standard error: a block that is redrawn on a terminal, a line every few seconds
/// elsewhere. Works on a thread of its own from construction to finish().
class RunDisplay {
public:
    RunDisplay(DisplaySettings settings, std::optional<events::RunLog> log);
    ~RunDisplay();

    /// Where the engine posts to; from any thread.
    events::EventSink& sink();

    /// Takes in what is left, removes the block, ends the thread. Call it when the run has ended.
    void finish();

    /// After finish().
    const events::RunState& state() const;
    /// Why the record could not be written to its end; empty if it could.
    const std::string& logProblem() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gantry::headless
