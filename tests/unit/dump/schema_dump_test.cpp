// SPDX-License-Identifier: PostgreSQL
// What pg_dump says reaches people whole.
#include "core/dump/schema_dump.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry::dump;

TEST_CASE("a warning of pg_dump keeps what it lists and advises") {
    CHECK(
        warningsIn("pg_dump: warning: one\n"
                   "pg_dump: warning: there are circular constraints among these tables:\n"
                   "pg_dump: detail: c1\npg_dump: detail: c2\n"
                   "pg_dump: hint: Do this.\npg_dump: hint: Or that.\n") ==
        std::vector<std::string>{
            "one", "there are circular constraints among these tables: c1, c2. Do this. Or that."});
    CHECK(warningsIn("pg_dump: error: x\npg_dump: detail: y\n").empty());
}
