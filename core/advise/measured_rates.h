// SPDX-License-Identifier: PostgreSQL
// Rates as past dumps of the same server came to them, in place of assumed ones.
#pragma once

#include <optional>
#include <span>

#include "core/advise/dump_advice.h"

namespace gantry::advise {

/// A dump that came to its end.
struct MeasuredDump {
    DumpWorkload workload;  ///< as it was then
    bool chunks = true;
    uint32_t jobs = 1;
    std::optional<uint32_t> compressJobs;
    double seconds = 0;
    uint64_t archiveBytes = 0;
};

/// `assumed` rates, all faster or slower in one proportion: the one at which the model takes as
/// long for these dumps as they took, in the median. Those too short to tell anything are left out;
/// `assumed` if none is left.
DumpRates measuredRates(const DumpRates& assumed, const Surroundings& surroundings,
                        std::span<const MeasuredDump> dumps);

}  // namespace gantry::advise
