// SPDX-License-Identifier: PostgreSQL
// Days of the Gregorian calendar, counted as PostgreSQL counts them: from 2000-01-01.
#pragma once

#include <cstdint>

namespace gantry::rows {

struct CalendarDay {
    int32_t year;  ///< from 1
    uint32_t month;
    uint32_t day;
};

constexpr uint32_t daysOfMonth(int32_t year, uint32_t month) {
    constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : kDays[month - 1];
}

/// Years begin in March here, so that the day a leap year has more is its last
/// (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
constexpr int32_t daysOf(CalendarDay date) {
    constexpr int32_t kDaysOfEra = 146097;   // 400 years
    constexpr int32_t kMillennium = 730425;  // 2000-01-01, from 0000-03-01
    const int32_t year = date.month <= 2 ? date.year - 1 : date.year;
    const auto yearOfEra = static_cast<uint32_t>(year % 400);
    const uint32_t dayOfYear =
        (153 * (date.month + (date.month > 2 ? -3U : 9U)) + 2) / 5 + date.day - 1;
    const uint32_t dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return year / 400 * kDaysOfEra + static_cast<int32_t>(dayOfEra) - kMillennium;
}

static_assert(daysOf({2000, 1, 1}) == 0);
static_assert(daysOf({1970, 1, 1}) == -10957);
static_assert(daysOf({2024, 2, 29}) == 8825);

}  // namespace gantry::rows
