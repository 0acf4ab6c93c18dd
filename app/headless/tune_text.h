// SPDX-License-Identifier: PostgreSQL
// A sweep as text: the table and the advice. Pure functions.
#pragma once

#include <string>

#include "app/headless/run_text.h"
#include "core/tune/report.h"
#include "core/tune/sweep.h"

namespace gantry::headless {

/// "3 of 12  4 jobs, second time": which measurement is under way, and which it is of those that
/// there may be.
std::string renderMeasurement(const tune::Report& report, const tune::Sweep::Measurement& now,
                              std::size_t number, std::size_t all);

/// A heading, a line for each point, below them the advice in words, wrapped.
std::string renderSweep(const tune::Report& report, const TextStyle& style);

}  // namespace gantry::headless
