// SPDX-License-Identifier: PostgreSQL
#include "core/base/error.h"

#include <catch2/catch_test_macros.hpp>
#include <cerrno>

using namespace gantry;

TEST_CASE("an error reads as one line: object, cause, state, place, next step") {
    ErrorInfo info;
    info.kind = ErrorKind::Server;
    info.object = "public.orders";
    info.message = "permission denied for table orders";
    info.sqlState = "42501";
    info.byteOffset = 17;
    info.hint = "Grant SELECT or leave it out with -T.";
    CHECK(info.describe() ==
          "public.orders: permission denied for table orders (SQLSTATE 42501) at byte 17. "
          "Grant SELECT or leave it out with -T.");
}

TEST_CASE("a full disk comes with what to do") {
    const Error error = systemError("write", "/backup/x", ENOSPC);
    CHECK(error.kind() == ErrorKind::Io);
    CHECK(std::string(error.what()) ==
          "/backup/x: cannot write: No space left on device. Free some space there or choose "
          "another destination, then run it again.");
}

TEST_CASE("only a lost connection is worth a retry") {
    CHECK(Error(ErrorKind::Connection, "gone").retryable());
    CHECK_FALSE(Error(ErrorKind::Server, "no").retryable());
}
