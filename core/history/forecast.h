// SPDX-License-Identifier: PostgreSQL
// How long a run will take, and at which rates, by what the history knows of its kind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/events/event.h"
#include "core/history/history.h"

namespace gantry::history {

/// A run that came to its end, as far as a forecast goes by it.
struct Experience {
    PastRun run;
    std::vector<PastTask> tasks;
};

/// The last runs of this kind on the same server, those of the same database and with as many
/// workers first; at most three. Of shorter ones chance decides how long they take.
std::vector<Experience> experienceFor(History& history, const events::RunStarted& started,
                                      Duration shortest = std::chrono::seconds(1));

/// The plan in virtual time, each kind of task as much slower or faster than its estimates as it
/// was, then corrected by what the same arithmetic misses of these runs (in the median). Empty
/// without any, and for plans of very many tasks.
std::optional<events::Forecast> forecast(const events::RunStarted& started,
                                         const events::Plan& plan,
                                         const std::vector<Experience>& experience);

/// Milliseconds that came of one estimated; of kinds for which a fifth of a second and more was.
struct CostRatios {
    std::map<std::string, double> byKind;  ///< of task
    double all = 1;                        ///< of all tasks together
};
CostRatios costRatios(const std::vector<Experience>& experience);

}  // namespace gantry::history
