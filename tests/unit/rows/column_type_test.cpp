// SPDX-License-Identifier: PostgreSQL
#include "core/rows/column_type.h"

#include <array>
#include <catch2/catch_test_macros.hpp>

using namespace gantry::rows;
using enum ColumnType;

TEST_CASE("rows of times, identifiers and bytes are shorter in binary form, those of numbers not") {
    CHECK(isShorterInBinary(std::array{Int8, TimestampTz, Text}));
    CHECK(isShorterInBinary(std::array{Int8, Uuid, Numeric}));
    CHECK(isShorterInBinary(std::array{Int4, Bytea, Text, Text}));
    CHECK(isShorterInBinary(std::array{Int8, Float8}));
    CHECK_FALSE(isShorterInBinary(std::array{Int8, Numeric, Date}));
    CHECK_FALSE(isShorterInBinary(std::array{Date, Int4, Int4, Text}));
    CHECK_FALSE(isShorterInBinary({}));
}
