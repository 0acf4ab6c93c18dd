// SPDX-License-Identifier: PostgreSQL
#include "core/dump/auto_level.h"

#include <catch2/catch_test_macros.hpp>

using gantry::dump::AutoLevel;

namespace {

void feed(AutoLevel& level, int times, double queue, double idle) {
    for (int i = 0; i < times; ++i) level.observe(queue, idle);
}

}  // namespace

TEST_CASE("idle processors and an empty queue raise the level, up to its limit") {
    AutoLevel level({.lowest = 1, .highest = 5, .start = 1});
    feed(level, 100, 0, 0.8);
    CHECK(level.level() == 5);
}

TEST_CASE("a full queue lowers the level, down to its limit") {
    AutoLevel level({.lowest = 1, .highest = 9, .start = 6});
    feed(level, 100, 1, 0.8);
    CHECK(level.level() == 1);
}

TEST_CASE("an empty queue on a busy machine leaves the level alone: the server needs the time") {
    AutoLevel level({.lowest = 1, .highest = 9, .start = 3});
    feed(level, 100, 0, 0.05);
    CHECK(level.level() == 3);
}

TEST_CASE("one burst does not move the level") {
    AutoLevel level({.lowest = 1, .highest = 9, .start = 3});
    feed(level, 20, 0.5, 0.5);
    level.observe(1, 0.5);
    CHECK(level.level() == 3);
}
