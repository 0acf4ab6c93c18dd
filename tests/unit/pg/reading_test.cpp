// SPDX-License-Identifier: PostgreSQL
// When sessions are to read for themselves.
#include "core/pg/reading.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry::pg;

TEST_CASE(
    "sessions read for themselves where processors are short and all of it may be in memory") {
    const Reading fits{
        .serverMajor = 18, .bytes = 4000, .cacheSize = 4000, .threads = 2, .processors = 2};
    CHECK(sessionsShouldRead(fits));
    Reading other = fits;
    other.bytes = 4001;
    CHECK_FALSE(sessionsShouldRead(other));
    other.bytes = 0;  // not known
    CHECK_FALSE(sessionsShouldRead(other));
    other = fits;
    other.threads = 1;  // a processor is left for who reads ahead
    CHECK_FALSE(sessionsShouldRead(other));
    other = fits;
    other.serverMajor = 17;  // nobody reads ahead
    CHECK_FALSE(sessionsShouldRead(other));
    CHECK(processorsAreScarce(other));
}
