// SPDX-License-Identifier: PostgreSQL
#include "core/base/format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gantry {

std::string formatBytes(uint64_t bytes) {
    constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    constexpr uint64_t kThousand = 1000;
    if (bytes < kThousand) return fmt::format("{} bytes", bytes);
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    value /= 1000;
    while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
        value /= 1000;
        ++unit;
    }
    if (value < 9.95) return fmt::format("{:.1f} {}", value, kUnits[unit]);
    return fmt::format("{:.0f} {}", value, kUnits[unit]);
}

std::string formatSetting(uint64_t bytes) {
    constexpr uint64_t kKilobyte = 1024;
    uint64_t value = bytes / kKilobyte;
    const char* unit = "kB";
    for (const char* larger : {"MB", "GB"}) {
        if (value == 0 || value % kKilobyte != 0) break;
        value /= kKilobyte;
        unit = larger;
    }
    return fmt::format("{}{}", value, unit);
}

std::string formatCount(uint64_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string formatDuration(Duration duration) {
    const double seconds = static_cast<double>(duration.count()) / 1e6;
    if (seconds < 0.0995) return fmt::format("{:.0f} ms", seconds * 1000);
    if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<uint64_t>(seconds + 0.5);
    const uint64_t hours = whole / 3600;
    if (hours == 0) return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", hours, whole % 3600 / 60, whole % 60);
}

std::string formatIsoTime(std::chrono::system_clock::time_point time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string firstFew(std::span<const std::string> names, std::size_t most) {
    const std::span<const std::string> shown = names.first(std::min(names.size(), most));
    std::string text = fmt::format("{}", fmt::join(shown, ", "));
    if (names.size() > most) text += fmt::format(" and {} more", formatCount(names.size() - most));
    return text;
}

}  // namespace gantry
