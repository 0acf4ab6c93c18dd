// SPDX-License-Identifier: PostgreSQL
#include "app/headless/quantity.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>

#include "core/base/printable.h"

using namespace gantry;
using namespace gantry::headless;
using namespace std::chrono_literals;

TEST_CASE("bytes are read with three digits") {
    CHECK(humanBytes(0) == "0 B");
    CHECK(humanBytes(999) == "999 B");
    CHECK(humanBytes(1000) == "1.00 kB");
    CHECK(humanBytes(9994) == "9.99 kB");
    CHECK(humanBytes(9996) == "10.0 kB");
    CHECK(humanBytes(99'960) == "100 kB");
    CHECK(humanBytes(999'499) == "999 kB");
    CHECK(humanBytes(999'600) == "1.00 MB");
    CHECK(humanBytes(1'310'000'000) == "1.31 GB");
    CHECK(humanBytes(UINT64_MAX) == "18447 PB");
}

TEST_CASE("durations are read in the two largest units") {
    CHECK(humanDuration(0s) == "0 ms");
    CHECK(humanDuration(20ms) == "20 ms");
    CHECK(humanDuration(99ms) == "99 ms");
    CHECK(humanDuration(100ms) == "0.1 s");
    CHECK(humanDuration(449ms) == "0.4 s");
    CHECK(humanDuration(9960ms) == "10 s");
    CHECK(humanDuration(59'400ms) == "59 s");
    CHECK(humanDuration(59'600ms) == "1 min 0 s");
    CHECK(humanDuration(125s) == "2 min 5 s");
    CHECK(humanDuration(3780s) == "1 h 3 min");
}

TEST_CASE("guessed durations pretend to no precision") {
    CHECK(roughDuration(0s) == "less than 1 s");
    CHECK(roughDuration(999ms) == "less than 1 s");
    CHECK(roughDuration(1400ms) == "1 s");
    CHECK(roughDuration(12'400ms) == "12 s");
    CHECK(roughDuration(59s) == "59 s");
    CHECK(roughDuration(62s) == "1 min");
    CHECK(roughDuration(79s) == "1 min 20 s");
    CHECK(roughDuration(754s) == "13 min");
    CHECK(roughDuration(3599s) == "1 h 0 min");
    CHECK(roughDuration(11'400s) == "3 h 10 min");
}

TEST_CASE("counts are grouped, and named in singular or plural") {
    CHECK(humanCount(0) == "0");
    CHECK(humanCount(999) == "999");
    CHECK(humanCount(1000) == "1,000");
    CHECK(humanCount(4512331) == "4,512,331");
    CHECK(counted(1, "table") == "1 table");
    CHECK(counted(61, "table") == "61 tables");
}

TEST_CASE("text is fitted by characters, not bytes") {
    CHECK(columnsOf("größe") == 5);
    CHECK(fitted("abc", 5, true) == "abc  ");
    CHECK(fitted("größe", 5, true) == "größe");
    CHECK(fitted("public.größentabelle", 9, true) == "publ…elle");
    CHECK(fitted("public.orders", 9, false) == "pub...ers");
    CHECK(fitted("ü", 0, true).empty());
    CHECK(fitted("üöä", 1, true) == "ü");
}

TEST_CASE("names cannot send control sequences to the terminal") {
    CHECK(printable("a\x1b[2Jb\n\t\x7f") == "a?[2Jb???");
    CHECK(printable("x\xc2\x9b"
                    "31m") == "x?31m");
    CHECK(printable("größe © x") == "größe © x");
    CHECK(printable("cut \xc2") == "cut \xc2");
}

TEST_CASE("messages of several lines become one") {
    CHECK(oneLine("no\n\tIs it there?\n") == "no. Is it there?");
    CHECK(oneLine("is it?\nNo") == "is it? No");
    CHECK(oneLine("FATAL:\n  Gone") == "FATAL: Gone");
    CHECK(oneLine("  a  b\r\n\r\nc\x1b[2J") == "a  b c?[2J");
    CHECK(oneLine("\n \t").empty());
}
