// SPDX-License-Identifier: PostgreSQL
#include "core/pg/name_pattern.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"

using namespace gantry;
using namespace gantry::pg;

TEST_CASE("letters fold, wildcards become expressions, $ is literal") {
    CHECK(parseNamePattern("Foo*", 3).name == "^(foo.*)$");
    CHECK(parseNamePattern("a?c", 3).name == "^(a.c)$");
    CHECK(parseNamePattern("a$b", 3).name == "^(a\\$b)$");
    CHECK(parseNamePattern("t[0-9]", 3).name == "^(t[0-9])$");
    CHECK(parseNamePattern("int[]", 3).name == "^(int\\[])$");
}

TEST_CASE("quotes keep case and take the meaning from everything within") {
    CHECK(parseNamePattern("\"Odd.Name*\"", 3).name == "^(Odd\\.Name\\*)$");
    CHECK(parseNamePattern("\"a\"\"b\"", 3).name == "^(a\"b)$");
    CHECK(parseNamePattern("FOO\"BAR\"", 3).name == "^(fooBAR)$");
}

TEST_CASE("dots part database, schema and name") {
    const NamePattern two = parseNamePattern("sales.orders*", 3);
    CHECK(two.schema == "^(sales)$");
    CHECK(two.name == "^(orders.*)$");
    const NamePattern three = parseNamePattern("Shop.sales.t", 3);
    CHECK(three.database == "shop");
    CHECK(three.schema == "^(sales)$");
    const NamePattern schema = parseNamePattern("shop.sales", 2);
    CHECK(schema.database == "shop");
    CHECK_FALSE(schema.schema.has_value());
    CHECK_THROWS_AS(parseNamePattern("a.b.c.d", 3), Error);
    CHECK_THROWS_AS(parseNamePattern("a.b.c", 2), Error);
}

TEST_CASE("conditions name the collation where the server has deterministic ones") {
    const NamePattern pattern = parseNamePattern("t*", 3);
    CHECK(matchCondition(pattern, "n", "c", "visible", 150000) ==
          "(c OPERATOR(pg_catalog.~) '^(t.*)$' COLLATE pg_catalog.default AND visible)");
    CHECK(matchCondition(pattern, "n", "c", "visible", 110000) ==
          "(c OPERATOR(pg_catalog.~) '^(t.*)$' AND visible)");
    CHECK(matchCondition(parseNamePattern("s.*", 3), "n", "c", "visible", 150000) ==
          "(true AND n OPERATOR(pg_catalog.~) '^(s)$' COLLATE pg_catalog.default)");
}
