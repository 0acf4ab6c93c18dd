// SPDX-License-Identifier: PostgreSQL
// How often the WAL writer is woken: often while much is written, seldom otherwise.
#include "core/pg/wal_writer_waker.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::pg;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t kMegabyte = uint64_t{1} << 20;

}  // namespace

TEST_CASE("the WAL writer is woken for an eighth of its buffers, and not for less than it minds") {
    CHECK(enoughToWake(16 * kMegabyte) == 2 * kMegabyte);
    CHECK(enoughToWake(4 * kMegabyte) == kMegabyte);
    CHECK(enoughToWake(64 * 1024) == kMegabyte);
    CHECK(enoughToWake(1024 * kMegabyte) == 128 * kMegabyte);
}

TEST_CASE("only where the WAL buffers hold less than a file does it matter how long a sync takes") {
    CHECK(longestSync(16 * kMegabyte, 16 * kMegabyte) == std::nullopt);
    CHECK(longestSync(16 * kMegabyte, 64 * kMegabyte) == 4194us);
    CHECK(longestSync(4 * kMegabyte, 16 * kMegabyte) == 1048us);
    CHECK(longestSync(64 * 1024, 16 * kMegabyte) == 16us);
}

TEST_CASE("pauses follow what is written: they grow slowly, and end with the first burst") {
    CHECK(pauseAfter(4ms, 2 * kMegabyte, 2 * kMegabyte) == 4ms);
    CHECK(pauseAfter(4ms, kMegabyte, 2 * kMegabyte) == 8ms);
    CHECK(pauseAfter(4ms, 0, 2 * kMegabyte) == 8ms);
    CHECK(pauseAfter(16ms, 0, 2 * kMegabyte) == 20ms);
    CHECK(pauseAfter(20ms, 8 * kMegabyte, 2 * kMegabyte) == 5ms);
    CHECK(pauseAfter(20ms, UINT64_MAX, 2 * kMegabyte) == 1ms);
}
