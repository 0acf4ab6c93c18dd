// SPDX-License-Identifier: PostgreSQL
// Zones are found by the names that servers give them, with the offset of each time.
#include "core/rows/time_zone.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "core/rows/calendar.h"

using namespace gantry::rows;

namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kWholeDay = 24 * kHour;

int64_t midnight(int32_t year, uint32_t month, uint32_t day) {
    return (int64_t{daysOf({year, month, day})} - daysOf({1970, 1, 1})) * kWholeDay;
}

}  // namespace

TEST_CASE("a zone's offset changes when its clocks do", "[rows]") {
    const TimeZone berlin = TimeZone::named("Europe/Berlin").value();
    // The last Sundays of March and October, at 01:00 UTC.
    const int64_t spring = midnight(2024, 3, 31) + kHour;
    const int64_t autumn = midnight(2024, 10, 27) + kHour;
    const TimeZone::Span summer = berlin.spanAt(spring);
    CHECK(summer.from == spring);
    CHECK(summer.until == autumn);
    CHECK(summer.offset == 2 * kHour);
    CHECK(berlin.spanAt(autumn - 1).from == spring);
    CHECK(berlin.spanAt(spring - 1).offset == kHour);
    CHECK(berlin.spanAt(autumn).offset == kHour);
    CHECK(summer.holds(spring));
    CHECK_FALSE(summer.holds(autumn));
}

TEST_CASE("a zone's rule holds for ever", "[rows]") {
    const TimeZone berlin = TimeZone::named("Europe/Berlin").value();
    // The calendar comes again after 400 years, with the same days of the week.
    for (const int32_t cycle : {0, 1, 2, 25, 700}) {
        CAPTURE(cycle);
        const int32_t year = 2024 + 400 * cycle;
        const int64_t spring = midnight(year, 3, 31) + kHour;
        const TimeZone::Span summer = berlin.spanAt(spring);
        CHECK(summer.from == spring);
        CHECK(summer.until == midnight(year, 10, 27) + kHour);
        CHECK(summer.offset == 2 * kHour);
        CHECK(berlin.spanAt(spring - 1).offset == kHour);
    }
    // Each span follows the one before, also where a cycle ends.
    TimeZone::Span span = berlin.spanAt(midnight(2020, 1, 1));
    while (span.until < midnight(3300, 1, 1)) {
        const TimeZone::Span next = berlin.spanAt(span.until);
        CHECK(next.from == span.until);
        CHECK(next.offset == 3 * kHour - span.offset);
        span = next;
    }
    const TimeZone tokyo = TimeZone::named("Asia/Tokyo").value();
    CHECK(tokyo.spanAt(midnight(3000, 7, 1)).offset == 9 * kHour);
    CHECK(tokyo.spanAt(0).until == std::numeric_limits<int64_t>::max());
}

TEST_CASE("before there were zones a place had its own time", "[rows]") {
    CHECK(TimeZone::named("America/New_York").value().spanAt(midnight(1800, 1, 1)).offset ==
          -(4 * kHour + 56 * 60 + 2));
}

TEST_CASE("UTC is known by all of its names, and is what a zone is by default", "[rows]") {
    for (const std::string name : {"UTC", "GMT", "Etc/UTC", "Zulu"}) {
        const TimeZone utc = TimeZone::named(name).value();
        CHECK(utc.spanAt(0).offset == 0);
        CHECK(utc.spanAt(0).holds(std::numeric_limits<int64_t>::max() - 1));
    }
    CHECK(TimeZone().spanAt(0).offset == 0);
}

TEST_CASE("what is no zone's name, or another zone on each machine, is not known", "[rows]") {
    for (const std::string name :
         {"", "Europe/Nowhere", "<+02>-02", "/etc/localtime", "../../etc/passwd", "localtime",
          "posixrules", "libc:localtime", "Europe/Berlin\n", "Europe"}) {
        CAPTURE(name);
        CHECK_FALSE(TimeZone::named(name).has_value());
    }
}
