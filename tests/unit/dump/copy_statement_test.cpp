// SPDX-License-Identifier: PostgreSQL
#include "core/dump/copy_statement.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"

using namespace gantry;
using namespace gantry::dump;

TEST_CASE("a whole table is copied with its columns named") {
    CHECK(copyWhole("\"s\".\"t\"", {"a", "B \"q\""}, false, "") ==
          "COPY \"s\".\"t\" (\"a\", \"B \"\"q\"\"\") TO STDOUT");
    CHECK(copyWhole("\"s\".\"empty\"", {}, false, "") == "COPY \"s\".\"empty\" TO STDOUT");
}

TEST_CASE("foreign tables and filtered ones are read through a query") {
    CHECK(copyWhole("\"f\"", {"a"}, true, "") == "COPY (SELECT \"a\" FROM \"f\" ) TO STDOUT");
    CHECK(copyWhole("\"c\"", {"a"}, false, "WHERE a > 1") ==
          "COPY (SELECT \"a\" FROM \"c\" WHERE a > 1) TO STDOUT");
}

TEST_CASE("a range leaves child tables out, and the last one has no upper limit") {
    CHECK(copyRange("\"t\"", {"a"}, {0, 10, false}) ==
          "COPY (SELECT \"a\" FROM ONLY \"t\" WHERE ctid >= '(0,0)'::tid AND ctid < "
          "'(10,0)'::tid) TO STDOUT");
    CHECK(copyRange("\"t\"", {"a"}, {10, 20, true}) ==
          "COPY (SELECT \"a\" FROM ONLY \"t\" WHERE ctid >= '(10,0)'::tid) TO STDOUT");
}

TEST_CASE("columns are read out of an archive's COPY statement") {
    CHECK(columnsOfCopyStatement("COPY public.t (a, \"B, c\", \"x\"\"y\") FROM stdin;\n") ==
          std::vector<std::string>{"a", "B, c", "x\"y"});
    CHECK(columnsOfCopyStatement("COPY \"odd (name\".\"t.u\" (id) FROM stdin;\n") ==
          std::vector<std::string>{"id"});
    CHECK(columnsOfCopyStatement("COPY public.t  FROM stdin;\n").empty());
}

TEST_CASE("what is no COPY statement is refused") {
    for (const char* text : {"", "COPY", "COPY t (a", "COPY t (a) TO stdout;", "DROP TABLE t"}) {
        CHECK_THROWS_AS(columnsOfCopyStatement(text), Error);
    }
}
