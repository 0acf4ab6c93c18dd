// SPDX-License-Identifier: PostgreSQL
// A run as text: progress, plan and summary out of its RunState. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::headless {

/// What the terminal at hand can show.
struct TextStyle {
    std::size_t width = 80;
    std::size_t height = 24;
    bool color = false;
    bool unicode = false;
};

/// The live display: a line for the whole, then one for each worker. At most `height` - 1 lines of
/// at most `width` - 1 columns.
std::vector<std::string> renderProgress(const events::RunState& state, const TextStyle& style);

/// What a run waits for before it has begun: "starting", or the lock that it does not get, with who
/// has it. Wrapped.
std::vector<std::string> renderStart(const events::RunState& state, const TextStyle& style);

/// Stopping should not take longer; who presses Ctrl-C once more after that means it.
constexpr Duration kStopPatience = std::chrono::seconds(2);

/// Ctrl-C was pressed `since` ago. From kStopPatience on it says what another one would do.
std::string renderStopping(Duration since);

/// The whole in one line without decoration: "34%, 1.20 GB of about 3.50 GB, 182 MB/s, about 12 s
/// left".
std::string renderProgressLine(const events::RunState& state);

/// One line for a notice, a forecast, a failed or a finished span.
std::string renderNotice(const events::Notice& notice);
/// "by the last 3 runs like it, it takes about 2 min 10 s"
std::string renderForecast(const events::Forecast& forecast);
std::string renderFailure(const events::SpanState& span);
std::string renderFinished(const events::SpanState& span);

/// What a run came to, for people who were not watching. `output` and `restoreCommand` may be
/// empty.
struct SummaryContext {
    std::string output{};
    std::string restoreCommand{};
    bool kept = true;  ///< false: what was read went nowhere
};
std::string renderSummary(const events::RunState& state, const SummaryContext& context);

/// The plan of a dry run, largest first, at most `most` tasks one by one.
std::string renderPlan(const events::RunState& state, std::size_t most);

}  // namespace gantry::headless
