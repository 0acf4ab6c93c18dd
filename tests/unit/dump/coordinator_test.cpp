// SPDX-License-Identifier: PostgreSQL
#include "core/dump/coordinator.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace gantry;
using Catch::Matchers::StartsWith;

TEST_CASE("the loss of the coordinator's session says what to do, on a standby too") {
    ErrorInfo cause;
    cause.message = "terminating connection due to administrator command";
    cause.sqlState = "57P01";
    CHECK_THAT(dump::Coordinator::lossOf(cause).info().hint,
               StartsWith("Look at the server's log"));
    cause.message = "terminating connection due to conflict with recovery";
    cause.sqlState = "40001";
    CHECK_THAT(dump::Coordinator::lossOf(cause).info().hint,
               StartsWith("The standby ends what keeps it from replaying: raise "
                          "max_standby_streaming_delay there"));
    CHECK_FALSE(dump::Coordinator::lossOf(cause).retryable());
}
