// SPDX-License-Identifier: PostgreSQL
// Constraints in two steps: the wording of each, and what is left alone.
#include "core/restore/rewrites.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry::restore;

TEST_CASE("a primary key becomes an index and its attachment") {
    const auto steps =
        splitKey("ALTER TABLE ONLY public.t\n    ADD CONSTRAINT t_pkey PRIMARY KEY (id);\n");
    REQUIRE(steps);
    CHECK(steps->index == "t_pkey");
    CHECK(steps->buildIndex == "CREATE UNIQUE INDEX t_pkey ON public.t USING btree (id);\n\n");
    CHECK(
        steps->attach ==
        "ALTER TABLE ONLY public.t\n    ADD CONSTRAINT t_pkey PRIMARY KEY USING INDEX t_pkey;\n\n");
}

TEST_CASE("a unique constraint keeps all that it says") {
    const auto steps = splitKey(
        "ALTER TABLE ONLY \"odd \"\"s\"\".t\".\"a;b\"\n    ADD CONSTRAINT \"k (x)\" UNIQUE NULLS "
        "NOT DISTINCT "
        "(a, \"b )\") INCLUDE (c) WITH (fillfactor='70') DEFERRABLE INITIALLY DEFERRED;\n\n\n"
        "ALTER TABLE \"odd \"\"s\"\".t\".\"a;b\" CLUSTER ON \"k (x)\";\n");
    REQUIRE(steps);
    CHECK(steps->index == "\"k (x)\"");
    CHECK(steps->buildIndex ==
          "CREATE UNIQUE INDEX \"k (x)\" ON \"odd \"\"s\"\".t\".\"a;b\" USING btree (a, \"b )\") "
          "INCLUDE (c) NULLS NOT DISTINCT WITH (fillfactor='70');\n\n");
    CHECK(steps->attach ==
          "ALTER TABLE ONLY \"odd \"\"s\"\".t\".\"a;b\"\n    ADD CONSTRAINT \"k (x)\" UNIQUE USING "
          "INDEX "
          "\"k (x)\" DEFERRABLE INITIALLY DEFERRED;\n\n"
          "ALTER TABLE \"odd \"\"s\"\".t\".\"a;b\" CLUSTER ON \"k (x)\";\n");
}

TEST_CASE("what has no index of its own stays one step") {
    CHECK_FALSE(splitKey("ALTER TABLE public.parted\n    ADD CONSTRAINT k PRIMARY KEY (id);\n"));
    CHECK_FALSE(splitKey(
        "ALTER TABLE ONLY public.t\n    ADD CONSTRAINT k EXCLUDE USING gist (a WITH =);\n"));
    CHECK_FALSE(
        splitKey("ALTER TABLE ONLY public.t\n    ADD CONSTRAINT k PRIMARY KEY (id, during "
                 "WITHOUT OVERLAPS);\n"));
    CHECK_FALSE(splitKey("ALTER TABLE ONLY public.t\n    ADD CONSTRAINT k CHECK ((a > 0));\n"));
    CHECK_FALSE(splitKey("ALTER TABLE ONLY public.t\n    ADD CONSTRAINT k PRIMARY KEY (id"));
    CHECK_FALSE(splitKey(""));
}

TEST_CASE("a foreign key is added, validated, and taken away if it does not hold") {
    const auto steps = splitForeignKey(
        "ALTER TABLE ONLY public.c\n    ADD CONSTRAINT \"c;fk\" FOREIGN KEY (p) REFERENCES "
        "public.p(id) "
        "MATCH FULL ON DELETE SET NULL DEFERRABLE;\n");
    REQUIRE(steps);
    CHECK(steps->add ==
          "ALTER TABLE ONLY public.c\n    ADD CONSTRAINT \"c;fk\" FOREIGN KEY (p) REFERENCES "
          "public.p(id) MATCH FULL ON DELETE SET NULL DEFERRABLE NOT VALID;\n\n");
    CHECK(steps->validate == "ALTER TABLE ONLY public.c VALIDATE CONSTRAINT \"c;fk\";\n\n");
    CHECK(steps->drop == "ALTER TABLE ONLY public.c DROP CONSTRAINT \"c;fk\";\n\n");
}

TEST_CASE("a foreign key that is not valid in the archive stays so") {
    CHECK_FALSE(
        splitForeignKey("ALTER TABLE ONLY public.c\n    ADD CONSTRAINT k FOREIGN KEY (p) "
                        "REFERENCES public.p(id) NOT VALID;\n"));
    CHECK_FALSE(
        splitForeignKey("ALTER TABLE ONLY public.c\n    ADD CONSTRAINT k FOREIGN KEY (p) "
                        "REFERENCES public.p(id) NOT ENFORCED;\n"));
    CHECK_FALSE(
        splitForeignKey("ALTER TABLE public.parted\n    ADD CONSTRAINT k FOREIGN KEY (p) "
                        "REFERENCES public.p(id);\n"));
}
