// SPDX-License-Identifier: PostgreSQL
// Advice as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/advise/calibration.h"
#include "core/advise/curve.h"

namespace gantry::headless {

struct AdviceReport {
    std::string operation;  ///< "dump", "restore", "vacuum"
    std::string database;
    advise::Advice advice;
    std::optional<advise::Calibration> calibration{};  ///< that it goes by, or that was made now
};

/// What a colleague would be told: values with their reasons, times over numbers of jobs, what to
/// mind, what it goes by. Wrapped at `width` columns.
std::string renderAdvice(const AdviceReport& report, std::size_t width);

/// One object: operation, database, measured, jobs, most_jobs, recommendations (setting, value,
/// range, reason, warning), curve (jobs, seconds, seconds_low, seconds_high, lower_bound_seconds,
/// speed_up, efficiency, limit), archive_bytes (low, high; null but for a dump), warnings, facts,
/// calibration (as it is kept; null without one).
std::string adviceJson(const AdviceReport& report);

}  // namespace gantry::headless
