// SPDX-License-Identifier: PostgreSQL
#include "app/headless/amount_input.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/format.h"

namespace gantry::headless {
namespace {

/// The number that `text` begins with, and what follows it without blanks.
std::optional<std::pair<double, std::string_view>> splitNumber(std::string_view text) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
    return std::pair(number, text);
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// "2026-11-01", or that with a time behind it.
bool beginsWithDate(std::string_view text) {
    static constexpr std::string_view kShape = "0000-00-00";
    if (text.size() < kShape.size()) return false;
    for (std::size_t i = 0; i < kShape.size(); ++i) {
        if (kShape[i] == '0' ? !isDigit(text[i]) : text[i] != kShape[i]) return false;
    }
    return text.size() == kShape.size() || text[kShape.size()] == 'T';
}

}  // namespace

uint64_t parseSize(std::string_view text) {
    static constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                                     {"B", 1},
                                                                     {"kB", 1e3},
                                                                     {"MB", 1e6},
                                                                     {"GB", 1e9},
                                                                     {"TB", 1e12},
                                                                     {"KiB", 1024},
                                                                     {"MiB", 1024.0 * 1024},
                                                                     {"GiB", 1024.0 * 1024 * 1024}};
    constexpr double kMost = 1e18;
    if (const auto split = splitNumber(text)) {
        for (const auto& [unit, bytes] : kUnits) {
            const double size = split->first * bytes;
            if (split->second == unit && size <= kMost) {
                return static_cast<uint64_t>(std::llround(size));
            }
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("\"{}\" is not a size", text), {},
                "Write it like 500MB, 2GB or 1GiB.");
}

std::string parseMoment(std::string_view text, std::chrono::system_clock::time_point now) {
    using std::chrono::hours;
    static constexpr std::pair<std::string_view, hours> kUnits[] = {{"h", hours(1)},
                                                                    {"d", hours(24)},
                                                                    {"w", hours(24 * 7)},
                                                                    {"mo", hours(24 * 30)},
                                                                    {"y", hours(24 * 365)}};
    constexpr double kMostUnits = 10'000;
    if (beginsWithDate(text)) return std::string(text);
    if (const auto split = splitNumber(text); split && split->first <= kMostUnits) {
        for (const auto& [unit, length] : kUnits) {
            if (split->second != unit) continue;
            const std::chrono::duration<double, std::ratio<3600>> ago(
                split->first * static_cast<double>(length.count()));
            return formatIsoTime(now - std::chrono::duration_cast<std::chrono::seconds>(ago));
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("\"{}\" is neither an age nor a date", text), {},
                "Write it like 12h, 30d, 8w, 6mo, 2y or 2026-11-01.");
}

}  // namespace gantry::headless
