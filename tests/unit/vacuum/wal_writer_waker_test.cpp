// SPDX-License-Identifier: PostgreSQL
// How often the WAL writer is woken: often while much is written, seldom otherwise.
#include "core/vacuum/wal_writer_waker.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::vacuum;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t kMegabyte = uint64_t{1} << 20;

}  // namespace

TEST_CASE("the less room the WAL buffers have, the sooner the WAL writer is woken again") {
    CHECK(shortestPause(16 * kMegabyte) == 2097us);
    CHECK(shortestPause(4 * kMegabyte) == 1ms);
    CHECK(shortestPause(64 * 1024) == 1ms);
    CHECK(shortestPause(1024 * kMegabyte) == 20ms);
}

TEST_CASE("only where the WAL buffers hold less than a file does it matter how long a sync takes") {
    CHECK(longestSync(16 * kMegabyte, 16 * kMegabyte) == std::nullopt);
    CHECK(longestSync(16 * kMegabyte, 64 * kMegabyte) == 4194us);
    CHECK(longestSync(4 * kMegabyte, 16 * kMegabyte) == 1048us);
    CHECK(longestSync(64 * 1024, 16 * kMegabyte) == 16us);
}

TEST_CASE("pauses grow while little is written, and end with the first burst") {
    CHECK(pauseAfter(2ms, 0, 2ms) == 4ms);
    CHECK(pauseAfter(16ms, kMegabyte / 2 - 1, 2ms) == 20ms);
    CHECK(pauseAfter(20ms, 0, 2ms) == 20ms);
    CHECK(pauseAfter(20ms, kMegabyte / 2, 2ms) == 2ms);
    CHECK(pauseAfter(2ms, 16 * kMegabyte, 2ms) == 2ms);
}
