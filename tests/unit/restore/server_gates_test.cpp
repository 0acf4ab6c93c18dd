// SPDX-License-Identifier: PostgreSQL
// Archives of newer servers: what older ones do not know is left out, reworded, or said beforehand.
#include "core/restore/server_gates.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::restore;
using archive::Section;
using archive::TocEntry;

namespace {

struct NewerContents {
    archive::Toc toc;

    TocEntry& add(std::string desc, std::string tag, std::string defn) {
        TocEntry entry;
        entry.dumpId = DumpId{static_cast<int32_t>(toc.entries.size()) + 1};
        entry.desc = std::move(desc);
        entry.tag = std::move(tag);
        entry.section = Section::PreData;
        entry.defn = std::move(defn);
        toc.entries.push_back(std::move(entry));
        return toc.entries.back();
    }
};

/// What the one entry says to a server of this version; "" if it is left out.
std::string said(int server, std::string desc, std::string defn,
                 std::vector<std::string>* told = nullptr) {
    NewerContents contents;
    contents.add(std::move(desc), "x", std::move(defn));
    options::RestoreOptions options;
    options.content.create = true;
    Choice choice = choose(contents.toc, options);
    const ServerGates gates = gateFor(server, choice);
    if (told != nullptr) {
        for (const Gated& gated : gates.gated) told->push_back(gated.what);
    }
    return choice.wanted[0].any() ? choice.order[0]->defn.value_or("") : "";
}

}  // namespace

TEST_CASE("statistics wait for a server that takes them") {
    std::vector<std::string> told;
    CHECK(said(17, "STATISTICS DATA", "SELECT * FROM pg_restore_relation_stats();", &told) == "");
    CHECK(told ==
          std::vector<std::string>{"Server 17 does not know how to take statistics (from 18 "
                                   "on): left out of 1 object (x)."});
    CHECK(said(18, "STATISTICS DATA", "SELECT 1;") == "SELECT 1;");
}

TEST_CASE("the privilege MAINTAIN goes, alone with its statement") {
    const std::string acl =
        "GRANT SELECT,MAINTAIN ON TABLE public.\"MAINTAIN,\" TO a;\n"
        "GRANT MAINTAIN,UPDATE ON TABLE public.t TO b;\nGRANT MAINTAIN ON TABLE public.t TO c;\n"
        "REVOKE GRANT OPTION FOR MAINTAIN ON TABLE public.t FROM d;\nGRANT ALL ON TABLE public.t "
        "TO "
        "e;";
    CHECK(said(16, "ACL", acl) ==
          "GRANT SELECT ON TABLE public.\"MAINTAIN,\" TO a;\nGRANT UPDATE ON TABLE public.t TO b;\n"
          "GRANT ALL ON TABLE public.t TO e;");
    CHECK(said(17, "ACL", acl) == acl);
    CHECK(said(15, "DEFAULT ACL",
               "ALTER DEFAULT PRIVILEGES FOR ROLE a GRANT SELECT,MAINTAIN ON TABLES TO b;") ==
          "ALTER DEFAULT PRIVILEGES FOR ROLE a GRANT SELECT ON TABLES TO b;");
}

TEST_CASE("options of subscriptions and publications that the server does not have") {
    const std::string subscription =
        "CREATE SUBSCRIPTION s CONNECTION 'x' PUBLICATION p WITH (connect = false, slot_name = "
        "'s', "
        "streaming = parallel, two_phase = on, origin = none, failover = true);\n";
    CHECK(said(15, "SUBSCRIPTION", subscription) ==
          "CREATE SUBSCRIPTION s CONNECTION 'x' PUBLICATION p WITH (connect = false, slot_name = "
          "'s', streaming = on, two_phase = on);\n");
    CHECK(said(16, "SUBSCRIPTION", subscription) ==
          "CREATE SUBSCRIPTION s CONNECTION 'x' PUBLICATION p WITH (connect = false, slot_name = "
          "'s', streaming = parallel, two_phase = on, origin = none);\n");
    CHECK(said(18, "SUBSCRIPTION", subscription) == subscription);
    CHECK(said(17, "PUBLICATION",
               "CREATE PUBLICATION p WITH (publish = 'insert, update', publish_generated_columns = "
               "stored);") == "CREATE PUBLICATION p WITH (publish = 'insert, update');");
}

TEST_CASE("databases and columns for servers before 15 and before 13") {
    const std::string database =
        "CREATE DATABASE x WITH TEMPLATE = template0 ENCODING = 'UTF8' LOCALE_PROVIDER = libc "
        "LOCALE "
        "= 'de_DE.utf8';";
    CHECK(said(14, "DATABASE", database) ==
          "CREATE DATABASE x WITH TEMPLATE = template0 ENCODING = 'UTF8' LOCALE = 'de_DE.utf8';");
    CHECK(said(12, "DATABASE", database) ==
          "CREATE DATABASE x WITH TEMPLATE = template0 ENCODING = 'UTF8' LC_COLLATE = 'de_DE.utf8' "
          "LC_CTYPE = 'de_DE.utf8';");
    CHECK(said(15, "DATABASE", database) == database);
    CHECK(
        said(13, "TABLE",
             "CREATE TABLE t (\n    a text\n);\nALTER TABLE ONLY t ALTER COLUMN a SET COMPRESSION "
             "pglz;\n") == "CREATE TABLE t (\n    a text\n);\n");
}

TEST_CASE("NOT NULL of tables is said of columns, and is a check where children have it not") {
    std::vector<std::string> told;
    CHECK(
        said(17, "TABLE",
             "CREATE TABLE s.x (\n    own text NOT NULL NO INHERIT,\n    \"my own\" text "
             "CONSTRAINT o NOT NULL NO INHERIT,\n    b integer CONSTRAINT n NOT NULL,\n    NOT "
             "NULL id,\n    CONSTRAINT \"my \"\"n\" NOT NULL \"other id\" NO INHERIT,\n    NOT "
             "NULL last\n)\nINHERITS (s.parent);\n",
             &told) ==
        "CREATE TABLE s.x (\n    own text CHECK ((own IS NOT NULL)) NO INHERIT,\n    \"my own\" "
        "text CONSTRAINT o CHECK ((\"my own\" IS NOT NULL)) NO INHERIT,\n    b integer CONSTRAINT "
        "n NOT NULL,\n    CONSTRAINT \"my \"\"n\" CHECK ((\"other id\" IS NOT NULL)) NO "
        "INHERIT\n)\nINHERITS (s.parent);\n"
        "ALTER TABLE ONLY \"\".x ALTER COLUMN id SET NOT NULL;\n"
        "ALTER TABLE ONLY \"\".x ALTER COLUMN last SET NOT NULL;\n");
    CHECK(told == std::vector<std::string>{"Server 17 does not know NOT NULL that is not inherited "
                                           "(from 18 on): a check in 1 object (TABLE x)."});
    const std::string check = "CREATE TABLE s.x (\n    CONSTRAINT c CHECK ((a IS NOT NULL))\n);\n";
    CHECK(said(17, "TABLE", check) == check);
}

TEST_CASE("access methods of partitioned tables") {
    NewerContents contents;
    TocEntry& entry = contents.add("TABLE", "x", "CREATE TABLE x () PARTITION BY LIST (a);");
    entry.relkind = 'p';
    entry.tableAccessMethod = "heap";
    Choice choice = choose(contents.toc, {});
    const ServerGates gates = gateFor(16, choice);
    CHECK_FALSE(choice.order[0]->tableAccessMethod.has_value());
    CHECK(entry.tableAccessMethod == "heap");
    REQUIRE(gates.gated.size() == 1);
    CHECK_FALSE(gates.gated[0].fails);
}

TEST_CASE("what cannot be mended is said") {
    const auto told = [](int server, std::string desc, std::string defn) {
        std::vector<std::string> found;
        (void)said(server, std::move(desc), std::move(defn), &found);
        return found.empty() ? "" : found.front();
    };
    const std::string table =
        "CREATE TABLE public.x (\n    a integer,\n    b integer GENERATED ALWAYS AS ((a * 2)),\n"
        "    c integer GENERATED ALWAYS AS ((a * 3)) STORED\n);\n";
    CHECK(told(17, "TABLE", table) ==
          "Server 17 does not know virtual generated columns (from 18 on): 1 object (TABLE x) will "
          "fail.");
    CHECK(told(18, "TABLE", table) == "");
    CHECK(
        told(
            17, "TABLE",
            "CREATE TABLE public.x (\n    c integer GENERATED ALWAYS AS (1) STORED,\n    d integer "
            "CONSTRAINT n NOT NULL\n);\n") == "");
    // pg_dump breaks long expressions into lines.
    const std::string ofCase =
        "CREATE TABLE public.x (\n    a integer,\n    g integer GENERATED ALWAYS AS (\nCASE\n    "
        "WHEN (a > 0) THEN 1\n    ELSE 0\nEND)";
    CHECK(told(15, "TABLE", ofCase + " STORED\n);\n") == "");
    CHECK(told(15, "TABLE", ofCase + " STORED NOT NULL\n);\n") == "");
    CHECK(told(15, "TABLE", ofCase + " NOT NULL\n);\n") != "");
    CHECK(told(14, "INDEX", "CREATE UNIQUE INDEX x ON t USING btree (a) NULLS NOT DISTINCT;") ==
          "Server 14 does not know NULLS NOT DISTINCT (from 15 on): 1 object (x) will fail.");
    CHECK(told(16, "COLLATION", "CREATE COLLATION x (provider = builtin, locale = 'C');") ==
          "Server 16 does not know the locale provider \"builtin\" (from 17 on): 1 object "
          "(COLLATION x) will fail.");
}

TEST_CASE("what is quoted is no SQL that a server may not know") {
    const auto passes = [](std::string desc, const std::string& defn) {
        std::vector<std::string> told;
        const bool same = said(12, std::move(desc), defn, &told) == defn;
        return same && told.empty();
    };
    CHECK(passes("TABLE",
                 "CREATE TABLE public.x (\n    a text DEFAULT 'b GENERATED ALWAYS AS (1)'::text,\n"
                 "    b text DEFAULT 'it''s (\n    NOT NULL b NO INHERIT,\n)'::text,\n"
                 "    \"c GENERATED ALWAYS AS (1)\" text\n);\n"));
    CHECK(passes("CONSTRAINT",
                 "ALTER TABLE ONLY public.x\n    ADD CONSTRAINT \"n NOT ENFORCED\" UNIQUE (a, \"b "
                 "WITHOUT OVERLAPS\");"));
    CHECK(passes("CHECK CONSTRAINT",
                 "ALTER TABLE public.x\n    ADD CONSTRAINT n CHECK ((a <> ' NOT ENFORCED'::text)) "
                 "NOT VALID;"));
    CHECK(passes("VIEW", "CREATE VIEW public.\"security_invoker=\" AS\n SELECT 1 AS a;"));
    CHECK(
        passes("INDEX", "CREATE INDEX x ON t USING btree (a) WHERE (a = ' NULLS NOT DISTINCT');"));
    CHECK(passes("FUNCTION",
                 "CREATE FUNCTION f() RETURNS text\n    LANGUAGE sql\n    AS $_$ SELECT 'it$$s\n"
                 "    BEGIN ATOMIC\n'$_$;"));
    CHECK(passes("DATABASE",
                 "CREATE DATABASE \"a LOCALE_PROVIDER = icu LOCALE = 'C'\" WITH TEMPLATE = "
                 "template0;"));
    CHECK(
        passes("ACL", "GRANT SELECT(\"a,MAINTAIN\") ON TABLE public.t TO \"GRANT MAINTAIN ON \";"));
    CHECK(passes("SUBSCRIPTION",
                 "CREATE SUBSCRIPTION s CONNECTION 'x WITH (' PUBLICATION p WITH (slot_name = 's, "
                 "binary = true, streaming = parallel');\n"));
    // Behind a name or a parameter a dollar opens nothing.
    CHECK_FALSE(passes("FUNCTION",
                       "CREATE FUNCTION f$a$(integer) RETURNS integer\n    LANGUAGE sql\n"
                       "    BEGIN ATOMIC\n SELECT ($1 + $1);\nEND;"));
}

TEST_CASE("columns that are not null are told among quoted lines") {
    CHECK(said(17, "TABLE",
               "CREATE TABLE s.x (\n    a text DEFAULT '(,\n)'::text,\n    NOT NULL \"i\"\" "
               "d\"\n);\n") ==
          "CREATE TABLE s.x (\n    a text DEFAULT '(,\n)'::text\n);\n"
          "ALTER TABLE ONLY \"\".x ALTER COLUMN \"i\"\" d\" SET NOT NULL;\n");
}

TEST_CASE("versions as servers write them") {
    CHECK(majorOf("18.1 (Debian 18.1-1)") == 18);
    CHECK(majorOf("9.6.24") == 9);
    CHECK(majorOf("17beta1") == 17);
    CHECK(majorOf(std::nullopt) == 0);
}
