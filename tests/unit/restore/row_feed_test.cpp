// SPDX-License-Identifier: PostgreSQL
// COPY statements of archives: their columns, and their options.
#include "core/restore/row_feed.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry::restore;

TEST_CASE("a COPY of an archive is given options") {
    const std::string copy = "COPY public.\"odd \"\"(t);\" (a, \"b, c\") FROM stdin;\n";
    CHECK(copyStatement(copy, false, false) == copy);
    CHECK(copyStatement(copy, true, false) ==
          "COPY public.\"odd \"\"(t);\" (a, \"b, c\") FROM stdin WITH (FORMAT binary);");
    CHECK(copyStatement(copy, false, true) ==
          "COPY public.\"odd \"\"(t);\" (a, \"b, c\") FROM stdin WITH (FREEZE);");
    CHECK(copyStatement(copy, true, true) ==
          "COPY public.\"odd \"\"(t);\" (a, \"b, c\") FROM stdin WITH (FORMAT binary, FREEZE);");
}

TEST_CASE("a COPY that has options already, or is none, stays as it is") {
    for (const std::string statement :
         {"COPY t (a) WITH OIDS FROM stdin;\n", "COPY t (a) FROM stdin WITH (HEADER);\n",
          "COPY t (a) FROM stdin; DROP TABLE t;\n", "SELECT 1;", ""}) {
        CAPTURE(statement);
        CHECK(copyStatement(statement, true, true) == statement);
        CHECK(copiedColumns(statement).empty());
    }
}

TEST_CASE("the columns of a COPY are told by their names") {
    CHECK(copiedColumns("COPY public.t (id, \"Order\", \"a \"\"b\"\", c)\", d) FROM stdin;\n") ==
          std::vector<std::string>{"id", "Order", "a \"b\", c)", "d"});
    CHECK(copiedColumns("COPY public.t () FROM stdin;\n").empty());
    CHECK(copiedColumns("COPY public.t  FROM stdin;\n").empty());
}
