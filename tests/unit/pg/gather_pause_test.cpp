// SPDX-License-Identifier: PostgreSQL
#include "core/pg/gather_pause.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>

namespace {

using gantry::pg::GatherPause;

constexpr std::size_t kRoom = 200'000;

/// What a server that sends so many bytes each microsecond has put into the socket.
std::size_t sent(const GatherPause& pause, double speed) {
    const double microseconds = static_cast<double>(pause.length().count()) / 1000;
    return std::min(kRoom, static_cast<std::size_t>(microseconds * speed));
}

void gather(GatherPause& pause, double speed, int times) {
    for (int i = 0; i < times; ++i) pause.found(sent(pause, speed));
}

}  // namespace

TEST_CASE("A pause lets the socket be filled to two thirds, however fast the server is",
          "[pg][gather-pause]") {
    const double speed = GENERATE(200.0, 400.0, 1000.0, 4000.0);
    GatherPause pause(kRoom);
    gather(pause, speed, 100);
    CHECK(sent(pause, speed) > kRoom * 6 / 10);
    CHECK(sent(pause, speed) < kRoom * 7 / 10);

    SECTION("Also after it was slow for long") {
        gather(pause, 1, 1000);
        gather(pause, speed, 80);
        CHECK(sent(pause, speed) < kRoom * 7 / 10);
    }
    SECTION("One short delay changes little") {
        const std::size_t before = sent(pause, speed);
        pause.found(1);
        CHECK(sent(pause, speed) < before * 4 / 3);
        pause.found(0);
        CHECK(sent(pause, speed) < before * 4 / 3);
    }
}

TEST_CASE("A pause never becomes long, nor nothing", "[pg][gather-pause]") {
    GatherPause pause(kRoom);
    gather(pause, 0.1, 1000);
    CHECK(pause.length() == std::chrono::milliseconds(1));
    gather(pause, 1e9, 1000);
    CHECK(pause.length() > std::chrono::microseconds(0));
}

TEST_CASE("Where nobody knows what the socket takes the pause stays", "[pg][gather-pause]") {
    GatherPause pause;
    const auto before = pause.length();
    pause.found(1);
    pause.found(kRoom);
    CHECK(pause.length() == before);
}
