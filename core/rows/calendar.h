// SPDX-License-Identifier: PostgreSQL
// Days of the Gregorian calendar, counted as PostgreSQL counts them: from 2000-01-01.
#pragma once

#include <cstdint>

namespace gantry::rows {

struct CalendarDay {
    int32_t year;  ///< 0 is 1 BC
    uint32_t month;
    uint32_t day;

    bool operator==(const CalendarDay&) const = default;
};

constexpr uint32_t daysOfMonth(int32_t year, uint32_t month) {
    constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : kDays[month - 1];
}

/// From year 1 on. Years begin in March here, so that the day a leap year has more is its last
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

/// The first day that PostgreSQL knows, and the last of its dates.
constexpr int32_t kFirstDay = -2451545;   // 4714-11-24 BC
constexpr int32_t kLastDay = 2145031948;  // 5874897-12-31

/// From the day before kFirstDay on, which a zone's first may be; civil_from_days of the same, its
/// eras counted from 4800 BC.
constexpr CalendarDay dayAt(int32_t days) {
    constexpr uint32_t kDaysOfEra = 146097;
    constexpr uint32_t kYearsBefore = 4800;
    constexpr uint32_t kDaysBefore = kYearsBefore / 400 * kDaysOfEra + 730425;
    const uint32_t all = static_cast<uint32_t>(days) + kDaysBefore;
    const uint32_t dayOfEra = all % kDaysOfEra;
    const uint32_t yearOfEra =
        (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
    const uint32_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    const uint32_t fromMarch = (5 * dayOfYear + 2) / 153;
    const uint32_t month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
    const uint32_t year = all / kDaysOfEra * 400 + yearOfEra + (month <= 2 ? 1 : 0);
    return {static_cast<int32_t>(year) - static_cast<int32_t>(kYearsBefore), month,
            dayOfYear - (153 * fromMarch + 2) / 5 + 1};
}

static_assert(daysOf({2000, 1, 1}) == 0);
static_assert(daysOf({1970, 1, 1}) == -10957);
static_assert(daysOf({2024, 2, 29}) == 8825);
static_assert(dayAt(0) == CalendarDay{2000, 1, 1});
static_assert(dayAt(8825) == CalendarDay{2024, 2, 29});
static_assert(dayAt(kFirstDay - 1) == CalendarDay{-4713, 11, 23});
static_assert(dayAt(kFirstDay) == CalendarDay{-4713, 11, 24});
static_assert(dayAt(kLastDay) == CalendarDay{5874897, 12, 31});

}  // namespace gantry::rows
