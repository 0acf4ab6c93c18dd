// SPDX-License-Identifier: PostgreSQL
// What the history knows of a server: rates and costs as its last runs came to them, and what was
// measured on it on purpose.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/advise/calibration.h"
#include "core/advise/cost_factors.h"
#include "core/advise/dump_advice.h"
#include "core/history/history.h"

namespace gantry::advise {

/// Rates of a dump from this server, by its last dumps in this format with this compression, of the
/// same database if there are any, else by its calibration; assumed ones if there is neither or the
/// history cannot be read. What those dumps waited for locks or were paused is left out. Dumps that
/// go nowhere (`output`) tell nothing of others, nor others of them.
DumpRates dumpRates(history::History& history, const Surroundings& surroundings,
                    archive::Format format, const std::optional<io::Compression>& compression,
                    const std::string& output = {});

/// Costs of the last restores or vacuums on this server, of the same database if there are any, by
/// kind of task; of vacuums those that did the same work by their `options`, as RunStarted tells
/// them. Of runs with more workers than cores what they waited for each other is left out.
/// None if the history cannot be read.
CostFactors costFactors(history::History& history, const Surroundings& surroundings,
                        std::string_view operation,
                        const std::map<std::string, std::string>& options = {});

/// What was measured on the server with this serverKey(); empty if nothing was, or the history
/// cannot be read.
std::optional<Calibration> findCalibration(history::History& history, const std::string& server);

}  // namespace gantry::advise
