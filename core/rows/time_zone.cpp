// SPDX-License-Identifier: PostgreSQL
#include "core/rows/time_zone.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

namespace gantry::rows {
namespace {

constexpr int64_t kEver = std::numeric_limits<int64_t>::min();
constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

/// The calendar's cycle.
constexpr int64_t k400Years = int64_t{146'097} * 86'400;
/// The largest has 4 kB.
constexpr uintmax_t kMostBytes = uintmax_t{1} << 20;

/// The IANA names of the zone that has never been anything but +00: known without a database.
constexpr std::array<std::string_view, 18> kUtc = {
    "UTC",       "GMT",      "UCT",       "GMT0",      "GMT+0",         "GMT-0",
    "Zulu",      "Etc/UTC",  "Etc/GMT",   "Etc/UCT",   "Etc/GMT0",      "Etc/GMT+0",
    "Etc/GMT-0", "Etc/Zulu", "Universal", "Greenwich", "Etc/Universal", "Etc/Greenwich"};

/// A server may show any text; what leads elsewhere in the file system is no zone's name.
bool isZoneName(std::string_view name) {
    constexpr std::string_view kCharacters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    return !name.empty() && name.front() != '/' && name != "localtime" && name != "posixrules" &&
           name.find_first_not_of(kCharacters) == std::string_view::npos;
}

/// Empty for none.
std::string zoneFile(const std::string& name) {
    const char* folder = std::getenv("TZDIR");
    const std::filesystem::path path =
        std::filesystem::path(folder != nullptr && *folder != '\0' ? folder
                                                                   : "/usr/share/zoneinfo") /
        name;
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) return {};
    const uintmax_t size = std::filesystem::file_size(path, failure);
    if (failure || size > kMostBytes) return {};
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TimeZone::TimeZone() : TimeZone(ZoneOffsets{.changes = {{kEver, 0}}}) {}

TimeZone::TimeZone(ZoneOffsets offsets)
    : offsets_(std::make_shared<const ZoneOffsets>(std::move(offsets))) {}

std::optional<TimeZone> TimeZone::named(const std::string& name) {
    if (std::find(kUtc.begin(), kUtc.end(), name) != kUtc.end()) return TimeZone();
    if (!isZoneName(name)) return std::nullopt;
    std::optional<ZoneOffsets> offsets = parseZoneFile(zoneFile(name));
    if (!offsets) return std::nullopt;
    return TimeZone(std::move(*offsets));
}

TimeZone::Span TimeZone::listedSpanAt(int64_t time) const {
    const std::vector<OffsetChange>& changes = offsets_->changes;
    const auto after = std::upper_bound(
        changes.begin() + 1, changes.end(), time,
        [](int64_t value, const OffsetChange& change) { return value < change.from; });
    const OffsetChange& now = after[-1];
    return {now.from, after == changes.end() ? kForEver : after->from, now.offset};
}

TimeZone::Span TimeZone::spanAt(int64_t time) const {
    const int64_t last = offsets_->changes.back().from;
    if (!offsets_->recur || time < last) return listedSpanAt(time);
    const int64_t shift = ((time - last) / k400Years + 1) * k400Years;
    const Span before = listedSpanAt(time - shift);
    return {std::max(before.from + shift, last), before.until + shift, before.offset};
}

}  // namespace gantry::rows
