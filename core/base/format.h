// SPDX-License-Identifier: PostgreSQL
// Numbers and lists as people read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/clock.h"

namespace gantry {

/// "0 bytes", "812 bytes", "1.4 kB", "12.6 GB": powers of 1000, three digits at most.
std::string formatBytes(uint64_t bytes);
/// Memory as the server's settings are written: "256MB", "1GB", in powers of 1024.
std::string formatSetting(uint64_t bytes);
/// "1,204,567".
std::string formatCount(uint64_t count);
/// "4 ms", "0.4 s", "12.3 s", "4:10", "1:02:33".
std::string formatDuration(Duration duration);

/// "2024-05-06T07:08:09Z"
std::string formatIsoTime(std::chrono::system_clock::time_point time);

/// "a, b, c and 4 more": of a longer list the first `most`.
std::string firstFew(std::span<const std::string> names, std::size_t most = 5);

}  // namespace gantry
