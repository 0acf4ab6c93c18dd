// SPDX-License-Identifier: PostgreSQL
#include "core/base/format.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace gantry;
using namespace std::chrono_literals;

TEST_CASE("bytes read in powers of a thousand, three digits at most") {
    CHECK(formatBytes(0) == "0 bytes");
    CHECK(formatBytes(999) == "999 bytes");
    CHECK(formatBytes(1400) == "1.4 kB");
    CHECK(formatBytes(12'600'000'000) == "13 GB");
    CHECK(formatBytes(999'600) == "1.0 MB");
}

TEST_CASE("memory is written as the server's settings are") {
    CHECK(formatSetting(0) == "0kB");
    CHECK(formatSetting(128 << 10) == "128kB");
    CHECK(formatSetting(1000 << 10) == "1000kB");
    CHECK(formatSetting(256 << 20) == "256MB");
    CHECK(formatSetting(uint64_t{3} << 30) == "3GB");
}

TEST_CASE("counts are grouped") {
    CHECK(formatCount(0) == "0");
    CHECK(formatCount(999) == "999");
    CHECK(formatCount(1000) == "1,000");
    CHECK(formatCount(1204567) == "1,204,567");
}

TEST_CASE("durations take the unit that fits") {
    CHECK(formatDuration(0ms) == "0 ms");
    CHECK(formatDuration(3600us) == "4 ms");
    CHECK(formatDuration(99400us) == "99 ms");
    CHECK(formatDuration(99600us) == "0.1 s");
    CHECK(formatDuration(400ms) == "0.4 s");
    CHECK(formatDuration(59s + 960ms) == "1:00");
    CHECK(formatDuration(250s) == "4:10");
    CHECK(formatDuration(3753s) == "1:02:33");
}

TEST_CASE("of a long list the first few are named, and how many more there are") {
    const std::vector<std::string> names{"a", "b", "c", "d"};
    CHECK(firstFew(names, 4) == "a, b, c, d");
    CHECK(firstFew(names, 3) == "a, b, c and 1 more");
    CHECK(firstFew({}) == "");
    CHECK(firstFew(std::vector<std::string>(1005, "x")) == "x, x, x, x, x and 1,000 more");
}
