// SPDX-License-Identifier: PostgreSQL
// Indexes by number and type of their columns: which cost more than which.
#include "core/restore/index_cost.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace gantry::restore;
using Catch::Approx;

namespace {

constexpr std::string_view kTable =
    "CREATE TABLE public.book (\n"
    "    id integer NOT NULL,\n"
    "    account bigint,\n"
    "    reference text COLLATE pg_catalog.\"C\",\n"
    "    \"odd, name\" timestamp with time zone DEFAULT now(),\n"
    "    mood public.mood\n"
    ");\n";
constexpr DataSize kRows{.bytes = 0, .rows = 1'000'000};

double index(const std::string& columns) {
    return indexSeconds("CREATE INDEX i ON public.book USING " + columns + ";\n", kTable, kRows);
}

double key(const std::string& what) {
    return indexSeconds("ALTER TABLE ONLY public.book\n    ADD CONSTRAINT k " + what + ";\n",
                        kTable, kRows);
}

}  // namespace

TEST_CASE("an index costs by the type of its first column") {
    const double number = index("btree (account)");
    CHECK(key("PRIMARY KEY (id)") < number / 2);  // rows come in its order
    CHECK(key("UNIQUE NULLS NOT DISTINCT (account)") == key("PRIMARY KEY (id)"));
    CHECK(index("btree (\"odd, name\" DESC NULLS LAST)") == number);
    const double text = index("btree (reference text_pattern_ops)");
    CHECK(text > 1.3 * number);
    CHECK(key("UNIQUE (reference)") == text);
    CHECK(index("btree (lower(reference))") == text);
    CHECK(index("btree (((id + 1)))") == text);
    CHECK(index("btree (mood)") == text);
}

TEST_CASE("further columns cost a little, other kinds of index what they do") {
    const double one = index("btree (account)");
    const double three = index("btree (account, \"odd, name\", abs((id + 1))) INCLUDE (id, mood)");
    CHECK(three > one);
    CHECK(three < 1.5 * one);
    CHECK(index("hash (account)") > one);
    CHECK(index("brin (account)") < one);
    CHECK(index("gist (mood)") > 2 * one);
    CHECK(index("gin (mood)") > 4 * index("gist (mood)"));
    CHECK(key("EXCLUDE USING gist (mood WITH =)") == index("gist (mood)"));
    CHECK(indexSeconds("CREATE UNIQUE INDEX i ON ONLY public.book USING btree (reference)", kTable,
                       kRows) == index("btree (reference)"));
}

TEST_CASE("what is not told of an index is taken for the usual, and its table is read too") {
    const double usual = index("btree (account)");
    CHECK(indexSeconds("", kTable, kRows) == usual);
    CHECK(indexSeconds("CREATE INDEX i ON public.book USING btree (account", kTable, kRows) ==
          usual);
    CHECK(indexSeconds("CREATE INDEX i ON public.book USING btree (reference)", "", kRows) ==
          usual);
    CHECK(indexSeconds("", "", {.bytes = 1'000'000'000, .rows = kRows.rows}) == Approx(usual + 1));
}
