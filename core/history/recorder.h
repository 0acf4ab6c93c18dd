// SPDX-License-Identifier: PostgreSQL
// A run's events on their way into the history.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/events/event.h"
#include "core/events/run_log.h"
#include "core/events/run_state.h"
#include "core/history/history.h"

namespace gantry::history {

/// Keeps one run: its log from RunStarted on, as it happens, so that whatever kills the process
/// leaves what is needed to resume; what it came to, once it is over. A run that was refused, or a
/// dry one, leaves nothing. Once the plan is known it posts a forecast, if earlier runs allow one.
/// Whatever goes wrong here is told to `notices` as a warning, and the run
/// goes on. One thread at a time.
class Recorder {
public:
    /// `notices` is where the run's own events come from: what is posted there is shown with them.
    Recorder(std::filesystem::path folder, events::EventSink& notices);

    /// `run` is what all events up to and with these came to.
    void take(std::span<const events::Event> events, const events::RunState& run);

    /// The log, compressed or not; empty while there is none.
    std::filesystem::path log() const;

private:
    void begin(const events::RunStarted& started);
    void end(const events::RunState& run);
    void predict(const events::Plan& plan, const events::RunState& run);
    /// Tells what `action` throws; false if it did.
    template <class Action>
    bool attempt(const char* what, Action action);

    History history_;
    events::EventSink& notices_;
    std::vector<events::Event> before_;  ///< what came before RunStarted
    bool begun_ = false;
    bool dry_ = false;
    bool planned_ = false;  ///< the first plan has come
    bool over_ = false;
    std::string name_;  ///< of the log
    std::optional<events::RunLog> log_;
    std::optional<int64_t> run_;
};

}  // namespace gantry::history
