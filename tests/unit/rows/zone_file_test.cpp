// SPDX-License-Identifier: PostgreSQL
// A zone's file is read as its format says, and nothing else is taken for one.
#include "core/rows/zone_file.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace gantry::rows;

namespace {

std::string bigEndian(uint64_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
}

std::string header(char version, std::size_t changes, std::size_t types, std::size_t leapSeconds) {
    std::string text = "TZif";
    text += version;
    text += std::string(15, '\0') + bigEndian(0, 8) + bigEndian(leapSeconds, 4);
    return text + bigEndian(changes, 4) + bigEndian(types, 4) + bigEndian(4, 4);
}

/// The part for old programs is a zone of its own, which nobody is to read.
std::string zoneFile(const std::vector<std::pair<int64_t, int>>& changes,
                     const std::vector<int32_t>& offsets, const std::string& rule,
                     std::size_t leapSeconds = 0) {
    std::string text = header('2', 1, 1, 0) + bigEndian(1, 4) + '\0' + bigEndian(77, 4);
    text += std::string(2, '\0') + std::string("OLD\0", 4);
    text += header('2', changes.size(), offsets.size(), leapSeconds);
    for (const auto& [from, type] : changes) text += bigEndian(static_cast<uint64_t>(from), 8);
    for (const auto& [from, type] : changes) text += static_cast<char>(type);
    for (const int32_t offset : offsets) {
        text += bigEndian(static_cast<uint32_t>(offset), 4) + std::string(2, '\0');
    }
    text += std::string("NEW\0", 4) + std::string(leapSeconds * 12, '\0');
    return text + '\n' + rule + '\n';
}

std::vector<std::pair<int64_t, int32_t>> changesOf(const ZoneOffsets& zone) {
    std::vector<std::pair<int64_t, int32_t>> changes;
    for (const OffsetChange& change : zone.changes)
        changes.emplace_back(change.from, change.offset);
    return changes;
}

constexpr int64_t kEver = std::numeric_limits<int64_t>::min();

}  // namespace

TEST_CASE("changes are listed from the first offset on", "[rows]") {
    const auto zone = parseZoneFile(zoneFile({{-100, 1}, {500, 0}}, {3208, -3600}, "<-01>1"));
    REQUIRE(zone);
    CHECK(changesOf(*zone) ==
          std::vector<std::pair<int64_t, int32_t>>{{kEver, 3208}, {-100, -3600}, {500, 3208}});
    CHECK_FALSE(zone->recur);
    CHECK(parseZoneFile(zoneFile({}, {0}, "")).has_value());
}

TEST_CASE("a zone's rule is listed for as long as the calendar's cycle", "[rows]") {
    struct Rule {
        std::string text;
        std::vector<std::pair<int64_t, int32_t>> of1971;
    };
    for (const Rule& rule : {
             Rule{"CET-1CEST,M3.5.0,M10.5.0/3", {{38'970'000, 7200}, {57'718'800, 3600}}},
             // South of the equator a year begins in summer.
             Rule{"NZST-12NZDT,M9.5.0,M4.1.0/3", {{39'535'200, 43'200}, {54'655'200, 46'800}}},
             // Put back in winter, and by a time of the day before.
             Rule{"IST-1GMT0,M10.5.0,M3.5.0/-1:30:15", {{38'960'985, 3600}, {57'718'800, 0}}},
         }) {
        CAPTURE(rule.text);
        const auto zone = parseZoneFile(zoneFile({}, {1}, rule.text));
        REQUIRE(zone);
        CHECK(zone->recur);
        const auto changes = changesOf(*zone);
        CHECK(changes.size() > 800);
        std::vector<std::pair<int64_t, int32_t>> of1971;
        for (const auto& change : changes) {
            if (change.first >= 31'536'000 && change.first < 63'072'000) of1971.push_back(change);
        }
        CHECK(of1971 == rule.of1971);
        CHECK(changes.back().first - changes[1].first > int64_t{400} * 31'556'952);
        for (std::size_t i = 1; i < changes.size(); ++i) {
            if (changes[i].first <= changes[i - 1].first) FAIL(i);
        }
    }
}

TEST_CASE("what is no zone's file is refused, wherever it is damaged", "[rows]") {
    const std::string whole =
        zoneFile({{-100, 1}, {500, 0}}, {3208, -3600}, "CET-1CEST,M3.5.0,M10.5.0/3");
    REQUIRE(parseZoneFile(whole).has_value());
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(parseZoneFile(std::string_view(whole).substr(0, length)).has_value());
    }
    // Some changes make another zone, none makes one that cannot be used.
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int value = 0; value < 256; ++value) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(value);
            const auto zone = parseZoneFile(damaged);
            if (!zone) continue;
            for (std::size_t i = 1; i < zone->changes.size(); ++i) {
                if (zone->changes[i].from <= zone->changes[i - 1].from) FAIL(at << " " << value);
            }
        }
    }
    CHECK_FALSE(parseZoneFile(zoneFile({{500, 0}, {-100, 1}}, {0, 3600}, "")).has_value());
    CHECK_FALSE(parseZoneFile(zoneFile({{500, 2}}, {0, 3600}, "")).has_value());
    CHECK_FALSE(parseZoneFile(zoneFile({}, {100'000}, "")).has_value());
    CHECK_FALSE(parseZoneFile(zoneFile({}, {0}, "", 1)).has_value());
    for (const char* rule : {"X", "CET", "CET-1CEST", "CET-1CEST,J60,J300", "CET-1CEST,M3.5.0",
                             "CET-1CEST,M3.5.0,M10.5.0/3,", "<CET-1", "CET-200"}) {
        CAPTURE(rule);
        CHECK_FALSE(parseZoneFile(zoneFile({}, {0}, rule)).has_value());
    }
}
