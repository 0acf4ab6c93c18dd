// SPDX-License-Identifier: PostgreSQL
// Sizes and times as people write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::headless {

/// "500MB", "2 GB", "1GiB", "4096": bytes. Throws Error{Usage} that tells what would do.
uint64_t parseSize(std::string_view text);

/// "36h", "30d", "8w", "6mo", "2y" before `now`, or a date ("2026-11-01") or time as it is: ISO
/// 8601 in UTC. Throws Error{Usage}.
std::string parseMoment(std::string_view text, std::chrono::system_clock::time_point now);

}  // namespace gantry::headless
