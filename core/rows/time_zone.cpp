// SPDX-License-Identifier: PostgreSQL
#include "core/rows/time_zone.h"

#include <cctz/time_zone.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace gantry::rows {
namespace {

constexpr int64_t kEver = std::numeric_limits<int64_t>::min();
constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

/// The calendar's cycle.
constexpr int64_t k400Years = int64_t{146'097} * 86'400;
/// A zone that still changes then changes for ever: its rule has been listed for 400 years.
constexpr int64_t kYear2300 = 10'413'792'000;

/// The IANA names of the zone that has never been anything but +00: known without a database.
constexpr std::array<std::string_view, 18> kUtc = {
    "UTC",       "GMT",      "UCT",       "GMT0",      "GMT+0",         "GMT-0",
    "Zulu",      "Etc/UTC",  "Etc/GMT",   "Etc/UCT",   "Etc/GMT0",      "Etc/GMT+0",
    "Etc/GMT-0", "Etc/Zulu", "Universal", "Greenwich", "Etc/Universal", "Etc/Greenwich"};

/// A server may show any text; a path, or what is special to the library, is no zone's name.
bool isZoneName(std::string_view name) {
    constexpr std::string_view kCharacters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    return !name.empty() && name.front() != '/' && name != "localtime" && name != "posixrules" &&
           name.find_first_not_of(kCharacters) == std::string_view::npos;
}

}  // namespace

TimeZone::TimeZone() : TimeZone(std::vector<Change>{{kEver, 0}}) {}

TimeZone::TimeZone(std::vector<Change> changes)
    : changes_(std::make_shared<const std::vector<Change>>(std::move(changes))) {}

std::optional<TimeZone> TimeZone::named(const std::string& name) {
    if (std::find(kUtc.begin(), kUtc.end(), name) != kUtc.end()) return TimeZone();
    cctz::time_zone zone;
    if (!isZoneName(name) || !cctz::load_time_zone(name, &zone)) return std::nullopt;

    using Time = cctz::time_point<cctz::seconds>;
    std::vector<Change> changes{{kEver, zone.lookup(Time::min()).offset}};
    Time at = Time::min();
    cctz::time_zone::civil_transition change;
    while (zone.next_transition(at, &change)) {
        const int64_t from = (change.from - cctz::civil_second(1970, 1, 1)) - changes.back().offset;
        at = Time(cctz::seconds(from));
        changes.push_back({from, zone.lookup(at).offset});
    }
    return TimeZone(std::move(changes));
}

TimeZone::Span TimeZone::listedSpanAt(int64_t time) const {
    const auto after =
        std::upper_bound(changes_->begin() + 1, changes_->end(), time,
                         [](int64_t value, const Change& change) { return value < change.from; });
    const Change& now = after[-1];
    return {now.from, after == changes_->end() ? kForEver : after->from, now.offset};
}

TimeZone::Span TimeZone::spanAt(int64_t time) const {
    const int64_t last = changes_->back().from;
    if (last < kYear2300 || time < last) return listedSpanAt(time);
    const int64_t shift = ((time - last) / k400Years + 1) * k400Years;
    const Span before = listedSpanAt(time - shift);
    return {std::max(before.from + shift, last), before.until + shift, before.offset};
}

}  // namespace gantry::rows
