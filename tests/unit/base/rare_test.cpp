// SPDX-License-Identifier: PostgreSQL
#include "core/base/rare.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using gantry::Rare;

TEST_CASE("a rare value is copied with its owner, and costs a pointer") {
    static_assert(sizeof(Rare<std::string>) == sizeof(void*));
    Rare<std::string> one;
    CHECK_FALSE(one);
    Rare<std::string> other = one;
    CHECK_FALSE(other);
    one = std::string("first");
    other = one;
    one = std::string("second");
    REQUIRE(other);
    CHECK(*other == "first");
    CHECK(one->size() == 6);
    const Rare<std::string> moved = std::move(one);
    CHECK(*moved == "second");
    other = {};
    CHECK_FALSE(other);
}
