// SPDX-License-Identifier: PostgreSQL
#include "app/headless/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace gantry::headless {
namespace {

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The byte at which character number `column` begins.
std::size_t byteOfColumn(std::string_view text, std::size_t column) {
    std::size_t byte = 0;
    while (byte < text.size() && column > 0) {
        ++byte;
        while (byte < text.size() && isContinuation(text[byte])) ++byte;
        --column;
    }
    return byte;
}

}  // namespace

std::string humanBytes(uint64_t bytes) {
    constexpr double kStep = 1000;
    if (bytes < 1000) return fmt::format("{} B", bytes);
    static constexpr std::array<const char*, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(bytes) / kStep;
    std::size_t unit = 0;
    // By what will be shown: 999.6 would be rounded to 1000.
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= kStep;
        ++unit;
    }
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string humanDuration(Duration duration) {
    constexpr int64_t kMinute = 60;
    constexpr int64_t kHour = 60 * kMinute;
    const double exact = static_cast<double>(duration.count()) / 1e6;
    if (exact < 0.0995) return fmt::format("{:.0f} ms", exact * 1000);
    if (exact < 9.95) return fmt::format("{:.1f} s", exact);
    const auto seconds = static_cast<int64_t>(exact + 0.5);
    if (seconds < kMinute) return fmt::format("{} s", seconds);
    if (seconds < kHour) return fmt::format("{} min {} s", seconds / kMinute, seconds % kMinute);
    return fmt::format("{} h {} min", seconds / kHour, seconds % kHour / kMinute);
}

std::string roughDuration(Duration duration) {
    constexpr int64_t kMinute = 60;
    constexpr int64_t kTenMinutes = 10 * kMinute;
    constexpr int64_t kHour = 60 * kMinute;
    const double exact = static_cast<double>(duration.count()) / 1e6;
    if (exact < 1) return "less than 1 s";
    auto seconds = static_cast<int64_t>(exact + 0.5);
    if (seconds >= kMinute) {
        const int64_t grain = seconds < kTenMinutes ? 10 : kMinute;
        seconds = (seconds + grain / 2) / grain * grain;
    }
    if (seconds < kMinute) return fmt::format("{} s", seconds);
    if (seconds < kHour && seconds % kMinute == 0) return fmt::format("{} min", seconds / kMinute);
    return humanDuration(std::chrono::seconds(seconds));
}

std::string humanCount(uint64_t count) {
    std::string digits = std::to_string(count);
    constexpr std::size_t kGroup = 3;
    for (std::size_t at = digits.size(); at > kGroup;) {
        at -= kGroup;
        digits.insert(at, ",");
    }
    return digits;
}

std::string counted(uint64_t count, std::string_view singular) {
    return fmt::format("{} {}{}", humanCount(count), singular, count == 1 ? "" : "s");
}

std::size_t columnsOf(std::string_view text) {
    std::size_t columns = 0;
    for (const char c : text) columns += isContinuation(c) ? 0U : 1U;
    return columns;
}

std::string fitted(std::string_view text, std::size_t columns, bool unicode) {
    const std::size_t width = columnsOf(text);
    if (width <= columns) return std::string(text) + std::string(columns - width, ' ');
    const std::string_view mark = unicode ? "…" : "...";
    const std::size_t markWidth = columnsOf(mark);
    if (columns <= markWidth) return std::string(text.substr(0, byteOfColumn(text, columns)));
    const std::size_t kept = columns - markWidth;
    const std::size_t front = (kept + 1) / 2;
    const std::size_t back = kept - front;
    return std::string(text.substr(0, byteOfColumn(text, front))) + std::string(mark) +
           std::string(text.substr(byteOfColumn(text, width - back)));
}

std::string oneLine(std::string_view text) {
    std::string joined;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (text.empty()) return printable(joined);
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        if (!joined.empty()) {
            const char last = joined.back();
            const bool ended = std::string_view(".?!:,;-").find(last) != std::string_view::npos;
            // "no" and "Is it there?" are two sentences, "ERROR:" and what follows is one.
            const bool begins = std::isupper(static_cast<unsigned char>(text.front())) != 0;
            joined += begins && !ended ? ". " : " ";
        }
        joined += text.substr(0, end);
        text.remove_prefix(end);
    }
}

}  // namespace gantry::headless
