// SPDX-License-Identifier: PostgreSQL
#include "core/restore/script_needs.h"

#include <catch2/catch_test_macros.hpp>

using gantry::restore::ArchiveNeeds;
using gantry::restore::ScriptNeeds;
using Names = std::vector<std::string>;
using ByName = ArchiveNeeds::ByName;

namespace {

ArchiveNeeds needsOf(const Names& statements) {
    ScriptNeeds needs;
    for (const std::string& statement : statements) needs.add(statement);
    return needs.needs();
}

}  // namespace

TEST_CASE("a script's statements say what they take for granted") {
    const ArchiveNeeds needs =
        needsOf({"SET client_encoding = 'LATIN1';", "CREATE SCHEMA s;",
                 "CREATE EXTENSION IF NOT EXISTS hstore WITH SCHEMA public;",
                 "SET default_tablespace = fast;", "CREATE TABLE public.t (\n    id integer\n);",
                 "ALTER TABLE public.t OWNER TO alice;", "SET default_tablespace = '';",
                 "CREATE VIEW s.\"V \"\"1\" AS\n SELECT 1;", "ALTER SCHEMA s OWNER TO \"Bob B\";",
                 "GRANT SELECT ON TABLE public.t TO carol;",
                 "\nCREATE SEQUENCE public.q\n    AS integer;"});
    CHECK(needs.isScript);
    CHECK(needs.encoding == "LATIN1");
    CHECK(needs.newSchemas == Names{"s"});
    CHECK(needs.extensions == ByName{{"hstore", {"EXTENSION hstore"}}});
    CHECK(needs.tablespaces == ByName{{"fast", {"what follows SET default_tablespace = fast"}}});
    CHECK(needs.newRelations == Names{"public.t", "s.V \"1", "public.q"});
    CHECK(needs.owners == ByName{{"alice", {"TABLE public.t"}}, {"Bob B", {"SCHEMA s"}}});
    CHECK(needs.grantees == ByName{{"carol", {"GRANT SELECT ON TABLE public.t TO carol"}}});
}

TEST_CASE("what a script makes or drops itself is no obstacle to it") {
    const ArchiveNeeds needs = needsOf(
        {"CREATE ROLE alice;", "ALTER ROLE alice WITH NOSUPERUSER;",
         "CREATE TABLESPACE fast OWNER alice LOCATION '/fast';", "SET default_tablespace = fast;",
         "DROP TABLE IF EXISTS public.t;", "CREATE TABLE public.t (i integer);",
         "ALTER TABLE public.t OWNER TO alice;", "CREATE TABLE IF NOT EXISTS public.u (i int);"});
    CHECK(needs.owners.empty());
    CHECK(needs.grantees.empty());
    CHECK(needs.tablespaces.empty());
    CHECK(needs.newRelations.empty());
}

TEST_CASE("behind \\connect only what belongs to the server counts") {
    ScriptNeeds script;
    script.add("CREATE TABLE public.a (i integer);");
    script.leaveDatabase();
    script.add("CREATE TABLE public.b (i integer);");
    script.add("SET client_encoding = 'LATIN1';");
    script.add("ALTER TABLE public.b OWNER TO alice;");
    CHECK(script.needs().newRelations == Names{"public.a"});
    CHECK(script.needs().encoding.empty());
    CHECK(script.needs().owners == ByName{{"alice", {"TABLE public.b"}}});
}

TEST_CASE("statements cut anywhere are no harm") {
    for (const std::string text :
         {"CREATE TABLE public.\"a b\" (i integer);", "ALTER TABLE t OWNER TO \"x y\";",
          "SET default_tablespace = 'x';", "GRANT ALL ON TABLE t TO \"a\", b;",
          "CREATE UNLOGGED TABLE t ();", "DROP MATERIALIZED VIEW IF EXISTS \"a\".\"b\";"}) {
        for (std::size_t size = 0; size <= text.size(); ++size) {
            ScriptNeeds script;
            script.add(std::string_view(text).substr(0, size));
            CHECK(script.needs().isScript);
        }
    }
}
