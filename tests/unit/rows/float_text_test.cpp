// SPDX-License-Identifier: PostgreSQL
// Floating-point numbers as the server writes them: forms, ends, and decimals between two numbers.
#include "core/rows/float_text.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>

using namespace gantry::rows;

namespace {

template <class T>
std::string text(T value) {
    char room[kRoomOfFloat];
    return {room, writeFloat(room, value)};
}

}  // namespace

TEST_CASE("numbers are fixed in the middle and scientific at the ends") {
    CHECK(text(0.0) == "0");
    CHECK(text(-0.0) == "-0");
    CHECK(text(1.0) == "1");
    CHECK(text(-1.5) == "-1.5");
    CHECK(text(0.1) == "0.1");
    CHECK(text(1.0 / 3) == "0.3333333333333333");
    CHECK(text(0.0001) == "0.0001");
    CHECK(text(0.00012345) == "0.00012345");
    CHECK(text(0.00001) == "1e-05");
    CHECK(text(100.0) == "100");
    CHECK(text(1234567.25) == "1234567.25");
    CHECK(text(1e14) == "100000000000000");
    CHECK(text(123456789012345.0) == "123456789012345");
    CHECK(text(1e15) == "1e+15");
    CHECK(text(1234567890123456.0) == "1.234567890123456e+15");
    CHECK(text(1e100) == "1e+100");
    CHECK(text(-2.5e-10) == "-2.5e-10");
    CHECK(text(1.0F / 3) == "0.33333334");
    CHECK(text(999999.0F) == "999999");
    CHECK(text(1e6F) == "1e+06");
    CHECK(text(16777216.0F) == "1.6777216e+07");
}

TEST_CASE("numbers at the ends of their range") {
    using Double = std::numeric_limits<double>;
    using Float = std::numeric_limits<float>;
    CHECK(text(Double::quiet_NaN()) == "NaN");
    CHECK(text(-Double::quiet_NaN()) == "NaN");
    CHECK(text(Double::infinity()) == "Infinity");
    CHECK(text(-Float::infinity()) == "-Infinity");
    CHECK(text(Double::max()) == "1.7976931348623157e+308");
    CHECK(text(Double::min()) == "2.2250738585072014e-308");
    CHECK(text(Double::denorm_min()) == "5e-324");
    CHECK(text(Float::max()) == "3.4028235e+38");
    CHECK(text(Float::denorm_min()) == "1e-45");
}

TEST_CASE("a decimal between two numbers is not left to its reader's rounding") {
    CHECK(text(std::ldexp(1.0, 53) + 4) == "9.007199254740996e+15");
    CHECK(text(9.5e22) == "9.5e+22");
    CHECK(text(5e22) == "4.9999999999999996e+22");
    CHECK(text(1e23) == "9.999999999999999e+22");
    CHECK(text(33554436.0F) == "3.3554436e+07");
}
