// SPDX-License-Identifier: PostgreSQL
// What an archive's entries take for granted, and what is said where the server lacks it.
#include "core/restore/archive_needs.h"

#include <catch2/catch_test_macros.hpp>

#include "core/restore/preflight.h"

using namespace gantry;
using namespace gantry::restore;
using archive::Section;
using archive::TocEntry;
using Names = std::vector<std::string>;

namespace {

struct NeedyContents {
    archive::Toc toc;
    options::RestoreOptions options;

    TocEntry& add(std::string desc, std::string tag, std::string defn,
                  Section section = Section::PreData) {
        TocEntry entry;
        entry.dumpId = DumpId{static_cast<int32_t>(toc.entries.size()) + 1};
        entry.desc = std::move(desc);
        entry.tag = std::move(tag);
        entry.section = section;
        entry.defn = std::move(defn);
        entry.dropStmt = "DROP";
        toc.entries.push_back(std::move(entry));
        return toc.entries.back();
    }
    TocEntry& table(std::string name, std::string owner = "alice") {
        TocEntry& entry = add("TABLE", std::move(name), "CREATE TABLE …");
        entry.namespaceName = "public";
        entry.owner = std::move(owner);
        return entry;
    }
    ArchiveNeeds needs() const { return needsOf(choose(toc, options), {}, toc, options); }
};

/// A server that has everything.
TargetFacts plenty() {
    TargetFacts facts;
    facts.serverMajor = 18;
    facts.database = "target";
    facts.user = "postgres";
    facts.superuser = facts.mayCreateDatabases = facts.mayCreateSchemas = true;
    facts.roles = facts.ownRoles = {"alice", "bob", "postgres"};
    facts.encoding = "UTF8";
    facts.databases = {"target", "postgres"};
    facts.freeConnections = 90;
    facts.tablespaces = {"pg_default"};
    facts.accessMethods = {"heap"};
    facts.schemas = {"pg_catalog", "public"};
    return facts;
}

std::vector<Finding> judged(const NeedyContents& contents, const TargetFacts& facts) {
    return judge(contents.needs(), facts, contents.options, 2);
}

Finding warning(std::string what, std::string remedy) {
    return {FindingSeverity::Warning, std::move(what), std::move(remedy)};
}

}  // namespace

TEST_CASE("roles are found wherever statements name them, and nowhere else") {
    CHECK(rolesNamedIn("GRANT SELECT(a, \"to\") ON TABLE public.to_do TO bob WITH GRANT OPTION;\n"
                       "REVOKE ALL ON FUNCTION s.f(a text, \"from\" int) FROM PUBLIC;\n"
                       "GRANT ALL ON FUNCTION s.f(a text) TO \"Mixed \"\"case\";") ==
          Names{"bob", "Mixed \"case"});
    CHECK(rolesNamedIn("ALTER DEFAULT PRIVILEGES FOR ROLE alice IN SCHEMA s GRANT SELECT ON TABLES "
                       "TO bob;") == Names{"alice", "bob"});
    CHECK(rolesNamedIn("SET SESSION AUTHORIZATION carol;\nGRANT USAGE ON SCHEMA s TO GROUP dave;\n"
                       "RESET SESSION AUTHORIZATION;") == Names{"carol", "dave"});
    CHECK(rolesNamedIn(
              "CREATE POLICY p ON public.t FOR SELECT TO bob, carol USING ((a = 'TO x'));") ==
          Names{"bob", "carol"});
    CHECK(rolesNamedIn("CREATE USER MAPPING FOR bob SERVER s OPTIONS (\"user\" 'x');") ==
          Names{"bob"});
    CHECK(rolesNamedIn("ALTER ROLE bob IN DATABASE d SET work_mem TO '1MB';") == Names{"bob"});
    CHECK(rolesNamedIn("REVOKE ALL ON SCHEMA public FROM CURRENT_USER;").empty());
    CHECK(rolesNamedIn("").empty());
    CHECK(rolesNamedIn("GRANT ALL ON TABLE t TO \"unfinished") == Names{"unfinished"});
    CHECK(rolesNamedIn("GRANT ALL ON TABLE t TO").empty());
}

TEST_CASE("what is there is not found wanting") {
    NeedyContents contents;
    contents.table("a");
    CHECK(judged(contents, plenty()).empty());
}

TEST_CASE("missing roles: owners and those who are granted something") {
    NeedyContents contents;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) contents.table(name, "nobody");
    contents.add("ACL", "TABLE a", "GRANT SELECT ON TABLE public.a TO reader;", Section::None);
    CHECK(
        judged(contents, plenty()) ==
        std::vector{warning("The role nobody is missing: it cannot be made the owner of 7 objects "
                            "(TABLE public.a, TABLE public.b, TABLE public.c, TABLE public.d, "
                            "TABLE public.e and 2 more).",
                            "CREATE ROLE nobody; or leave owners out with --no-owner."),
                    warning("The role reader is missing, which the statements for 1 object (ACL "
                            "TABLE a) name: they will fail as a whole.",
                            "CREATE ROLE reader; or leave privileges out with "
                            "--no-privileges.")});
    contents.options.content.noOwner = contents.options.content.noPrivileges = true;
    CHECK(judged(contents, plenty()).empty());
}

TEST_CASE("missing roles are made by who may, if that is wanted") {
    NeedyContents contents;
    contents.table("a", "nobody");
    contents.add("ACL", "TABLE a", "GRANT SELECT ON TABLE public.a TO reader, pg_maintain;",
                 Section::None);
    TargetFacts facts = plenty();
    CHECK(missingRoles(contents.needs(), facts) == Names{"nobody", "reader"});
    facts.mayCreateRoles = true;
    CHECK(judged(contents, facts).at(0).remedy ==
          "CREATE ROLE nobody; let the restore make it with --create-roles, or leave owners out "
          "with --no-owner.");

    contents.options.content.createRoles = true;
    const std::vector<Finding> made = judged(contents, facts);
    REQUIRE(made.size() == 2);
    CHECK(made[0].what.starts_with("The role pg_maintain is missing, which the statements "));
    CHECK(made[0].remedy ==
          "Restore into a server that has it, or leave privileges out with --no-privileges.");
    CHECK(made[1] == Finding{FindingSeverity::Note,
                             "The roles nobody and reader are missing: the restore makes them, "
                             "without LOGIN.",
                             ""});

    facts.mayCreateRoles = facts.superuser = false;
    CHECK(judged(contents, facts).at(0) ==
          warning("The roles nobody and reader are missing, and postgres may not create roles.",
                  "ALTER ROLE postgres CREATEROLE;"));
}

TEST_CASE("a new database needs CREATEDB, which the name of one that is there does not") {
    NeedyContents contents;
    contents.table("a");
    TargetFacts facts = plenty();
    facts.superuser = facts.mayCreateDatabases = false;
    facts.user = "plain";
    CHECK(judged(contents, facts).empty());
    contents.options.newDatabase = true;
    CHECK(judged(contents, facts) ==
          std::vector{Finding{FindingSeverity::Blocker, "The role plain may not create databases.",
                              "ALTER ROLE plain CREATEDB; or restore into a database that is there "
                              "(--dbname)."}});
}

TEST_CASE("what will fail refuses a restore that is to stop at the first error") {
    NeedyContents contents;
    contents.table("a", "nobody");
    contents.options.exitOnError = true;
    CHECK(judged(contents, plenty()).at(0).severity == FindingSeverity::Blocker);
}

TEST_CASE("objects that are there already, and those that are not there to be dropped") {
    NeedyContents contents;
    contents.table("a");
    TargetFacts facts = plenty();
    facts.relations = {{"public.a", true}};
    CHECK(
        judged(contents, facts) ==
        std::vector{warning("The database target holds 1 relation (public.a) that the archive has "
                            "too: they cannot be created, and rows will be added to those that "
                            "they hold.",
                            "Restore into an empty database, drop them first with --clean "
                            "--if-exists, or leave their rows out with "
                            "--no-data-for-failed-tables.")});
    facts.relations = {{"public.other", true}};
    CHECK(judged(contents, facts) ==
          std::vector{Finding{FindingSeverity::Note,
                              "The database target is not empty: it holds 1 relation.", ""}});
    contents.options.content.clean = true;
    CHECK(judged(contents, facts) ==
          std::vector{
              warning("There is nothing to drop of 1 relation (public.a).", "Add --if-exists.")});
}

TEST_CASE("rows alone need their tables, and come on top of what those hold") {
    NeedyContents contents;
    const DumpId a = contents.table("a").dumpId;
    TocEntry& rows = contents.add("TABLE DATA", "a", "", Section::Data);
    rows.namespaceName = "public";
    rows.hadDumper = true;
    rows.dependencies = {a};
    contents.options.content.dataOnly = true;
    TargetFacts facts = plenty();
    CHECK(judged(contents, facts) ==
          std::vector{warning("Rows are restored alone, and the database target lacks 1 table "
                              "(public.a).",
                              "Restore the definitions first (--schema-only), or together with the "
                              "rows.")});
    facts.relations = {{"public.a", true}};
    CHECK(judged(contents, facts) ==
          std::vector{warning(
              "1 table (public.a) may hold rows already: those of the archive are added to them.",
              "TRUNCATE them first, if they are to hold the archive's rows "
              "alone.")});
    facts.relations = {{"public.a", false}};
    CHECK(judged(contents, facts).empty());
}

TEST_CASE("what the archive brings along is not missing") {
    NeedyContents contents;
    contents.table("a").tableAccessMethod = "own";
    contents.add("ACCESS METHOD", "own", "CREATE ACCESS METHOD own TYPE TABLE HANDLER h;");
    contents.add("EXTENSION", "e", "CREATE EXTENSION IF NOT EXISTS e;");
    TocEntry& rows = contents.add("TABLE DATA", "config", "", Section::Data);
    rows.hadDumper = true;
    TargetFacts facts = plenty();
    facts.extensions["e"] = {.version = "1", .versions = {"1"}};
    CHECK(judged(contents, facts).empty());
}

TEST_CASE("schemas that neither the choice nor the database has") {
    NeedyContents contents;
    contents.table("contact").namespaceName = "crm";
    contents.table("country").namespaceName = "Ref";
    contents.table("a");
    contents.add("ACL", "TABLE b", "GRANT …", Section::None).namespaceName = "other";
    TargetFacts facts = plenty();
    CHECK(judged(contents, facts) ==
          std::vector{warning("The schemas \"Ref\" and crm are missing: 2 objects (TABLE "
                              "Ref.country, TABLE crm.contact) cannot be created.",
                              "CREATE SCHEMA \"Ref\"; CREATE SCHEMA crm; or let the restore make "
                              "them with --create-schemas.")});

    SECTION("one of them is there") {
        facts.schemas.insert("Ref");
        const Finding only =
            warning("The schema crm is missing: 1 object (TABLE crm.contact) cannot be created.",
                    "CREATE SCHEMA crm; or let the restore make it with --create-schemas.");
        CHECK(judged(contents, facts) == std::vector{only});
        contents.options.content.clean = contents.options.content.ifExists = true;
        CHECK(judged(contents, facts) == std::vector{only});
        contents.options.exitOnError = true;
        CHECK(judged(contents, facts).at(0).severity == FindingSeverity::Blocker);
    }
    SECTION("the archive brings them, unless that is not chosen") {
        contents.add("SCHEMA", "crm", "CREATE SCHEMA crm;");
        contents.add("SCHEMA", "Ref", "CREATE SCHEMA \"Ref\";");
        CHECK(judged(contents, facts).empty());
        contents.options.selection.schemas = {"crm"};
        CHECK(judged(contents, facts).at(0).what ==
              "The schema crm is missing: 1 object (TABLE crm.contact) cannot be created.");
    }
    SECTION("what an archive does not define may come with its extension") {
        contents.add("EXTENSION", "e", "CREATE EXTENSION IF NOT EXISTS e;");
        facts.extensions["e"] = {.version = "1", .versions = {"1"}};
        CHECK(judged(contents, facts).empty());
        facts.schemas.erase("public");
        CHECK(judged(contents, facts).at(0).what ==
              "The schema public is missing: 1 object (TABLE public.a) cannot be created.");
    }
    SECTION("a database that is made has public alone") {
        contents.add("DATABASE", "shop", "CREATE DATABASE shop;");
        contents.options.content.create = true;
        facts.schemas = {"Ref", "crm"};
        CHECK(judged(contents, facts).at(0).what ==
              "The schemas \"Ref\" and crm are missing: 2 objects (TABLE Ref.country, TABLE "
              "crm.contact) cannot be created.");
    }
    SECTION("the restore makes them, if it may") {
        contents.options.content.createSchemas = true;
        CHECK(judged(contents, facts) ==
              std::vector{
                  Finding{FindingSeverity::Note,
                          "The schemas \"Ref\" and crm are missing: the restore makes them.", ""}});
        facts.superuser = facts.mayCreateSchemas = false;
        CHECK(judged(contents, facts).at(0).what ==
              "postgres may not create 2 schemas (Ref, crm) in the database target.");
    }
    SECTION("rows alone need their tables, not their schemas") {
        contents.options.content.dataOnly = true;
        CHECK(judged(contents, facts).empty());
    }
}

TEST_CASE("the database that --create makes") {
    NeedyContents contents;
    contents
        .add("DATABASE", "shop",
             "CREATE DATABASE shop WITH TEMPLATE = template0 ENCODING = 'UTF8' "
             "LOCALE_PROVIDER = libc LOCALE = 'xx_XX.UTF-8';")
        .owner = "alice";
    contents.options.content.create = true;
    TargetFacts facts = plenty();
    CHECK(
        judged(contents, facts) ==
        std::vector{warning("The server's machine does not seem to have the locale xx_XX.UTF-8: 1 "
                            "object (DATABASE shop) cannot be created then.",
                            "Install the locale there and restart the server.")});
    facts.libcLocales = {"xx_XX.utf8"};
    CHECK(judged(contents, facts).empty());

    facts.databases.insert("shop");
    CHECK(
        judged(contents, facts) ==
        std::vector{Finding{FindingSeverity::Blocker, "The database shop exists already.",
                            "Add --clean to drop it first, or leave --create out and name it with "
                            "-d."}});
    contents.options.content.clean = true;
    CHECK(judged(contents, facts).empty());
    facts.sessionsThere = 3;
    CHECK(
        judged(contents, facts) ==
        std::vector{Finding{FindingSeverity::Blocker,
                            "The database shop cannot be dropped: 3 sessions are in it.",
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname "
                            "= 'shop'; ends them."}});
    facts.mayCreateDatabases = false;
    facts.databases.erase("shop");
    CHECK(judged(contents, facts).at(0).what ==
          "The role postgres may not create databases: shop cannot be made.");
}

TEST_CASE("extensions, tablespaces, collations and access methods that are not there") {
    NeedyContents contents;
    contents.add("EXTENSION", "postgis",
                 "CREATE EXTENSION IF NOT EXISTS postgis WITH SCHEMA public;");
    contents.add("EXTENSION", "hstore",
                 "CREATE EXTENSION IF NOT EXISTS hstore WITH SCHEMA public VERSION '1.8';");
    TocEntry& table = contents.table("a");
    table.tablespace = "fast";
    table.tableAccessMethod = "columnar";
    table.defn = "CREATE TABLE public.a (t text COLLATE pg_catalog.\"de_DE\");";
    contents.add("COLLATION", "i", "CREATE COLLATION public.i (provider = icu, locale = 'de');");
    TargetFacts facts = plenty();
    facts.extensions["hstore"] = {.version = "1.4", .versions = {"1.4"}};
    Names found;
    for (const Finding& finding : judged(contents, facts)) found.push_back(finding.what);
    CHECK(
        found ==
        Names{"The extension hstore is available in version 1.4, not in 1.8.",
              "The extension postgis is not available on the server: it and what depends on it "
              "will be missing.",
              "The tablespace fast is missing: 1 object (TABLE public.a) cannot be created in it.",
              "The table access method columnar is missing: 1 object (TABLE public.a) cannot be "
              "created with it.",
              "The collation \"de_DE\" is missing: 1 object (TABLE public.a) cannot be created.",
              "The server was built without ICU: 1 object (COLLATION i) cannot be created."});
}

TEST_CASE("collations are needed where a definition uses them, not where a text has the word") {
    NeedyContents contents;
    const auto add = [&](const char* desc, const char* tag, std::string defn) {
        contents.add(desc, tag, std::move(defn));
    };
    add("COMMENT", "TABLE t", "COMMENT ON TABLE public.t IS 'it''s sorted COLLATE \"a\" please';");
    add("FUNCTION", "f()",
        "CREATE FUNCTION public.f() RETURNS void LANGUAGE plpgsql\n    AS $_$\nBEGIN\n"
        "EXECUTE $$SELECT 'x' COLLATE \"a\"$$;\nEND $_$;\n");
    add("FUNCTION", "g()", "CREATE FUNCTION public.g() … AS 'SELECT ''x'' COLLATE \"a\"';\n");
    add("VIEW", "v", "CREATE VIEW public.v AS\n SELECT 'COLLATE \"a\"'::text AS t;");
    add("RULE", "r", "-- COLLATE \"a\"\nCREATE RULE /* COLLATE \"a\" */ r AS …;");
    add("TABLE", "n",
        "CREATE TABLE public.n (\"COLLATE \" text COLLATE public.\"a\", b text COLLATE "
        "\"a\".\"a\");");
    CHECK(contents.needs().collations.empty());

    add("FUNCTION", "h()",
        "CREATE FUNCTION public.h() RETURNS text LANGUAGE sql\n    BEGIN ATOMIC\n"
        " SELECT ('x'::text COLLATE \"a\");\nEND;\n");
    add("INDEX", "i", "CREATE INDEX i ON public.t USING btree (a COLLATE pg_catalog.\"b \"\"c\");");
    using ByName = ArchiveNeeds::ByName;
    CHECK(contents.needs().collations == ByName{{"a", {"FUNCTION h()"}}, {"b \"c", {"i"}}});
}

TEST_CASE("encodings that differ") {
    NeedyContents contents;
    contents.add("ENCODING", "ENCODING", "SET client_encoding = 'UTF8';\n");
    contents.table("a");
    TargetFacts facts = plenty();
    facts.encoding = "LATIN1";
    CHECK(
        judged(contents, facts).at(0) ==
        warning("The archive is in UTF8, the database in LATIN1: tables with characters that "
                "LATIN1 does not have will fail.",
                "Restore into a database that was made with TEMPLATE template0 ENCODING 'UTF8'."));
    facts.encodingConverts = false;
    CHECK(judged(contents, facts).at(0).severity == FindingSeverity::Blocker);
}

TEST_CASE("a user without rights") {
    NeedyContents contents;
    contents.table("a", "alice");
    contents.add("EVENT TRIGGER", "e", "CREATE EVENT TRIGGER e …", Section::PostData);
    contents.add("SCHEMA", "s", "CREATE SCHEMA s;").owner = "bob";
    TargetFacts facts = plenty();
    facts.user = "bob";
    facts.superuser = facts.mayCreateSchemas = facts.mayUsePublic = false;
    facts.ownRoles = {"bob"};
    CHECK(
        judged(contents, facts) ==
        std::vector{warning("bob may not give 1 object (TABLE public.a) to the role alice.",
                            "GRANT alice TO bob; or leave owners out with --no-owner."),
                    warning("Only a superuser may create 1 object (EVENT TRIGGER e); bob is none.",
                            "Restore as a superuser (-U)."),
                    warning("bob may not create 1 schema (s) in the database target.",
                            "GRANT CREATE ON DATABASE target TO bob;"),
                    warning("bob may not create anything in the schema public.",
                            "GRANT CREATE ON SCHEMA public TO bob;")});
    facts.mayBecomeUser = false;
    CHECK(judged(contents, facts) ==
          std::vector{Finding{FindingSeverity::Blocker,
                              "The connection's user is no member of the role bob of --role.",
                              "GRANT bob TO the user, or connect as another (-U)."}});
    facts.userExists = false;
    CHECK(judged(contents, facts).at(0).what == "The role bob of --role does not exist.");
}

TEST_CASE("connections and disk") {
    NeedyContents contents;
    TargetFacts facts = plenty();
    facts.freeConnections = 1;
    CHECK(judged(contents, facts) ==
          std::vector{warning("2 workers and a coordinator need 3 connections, the server has 2 "
                              "left.",
                              "Use -j 1, or raise max_connections.")});
    facts.freeConnections = 0;
    CHECK(judged(contents, facts).at(0).severity == FindingSeverity::Blocker);
    facts.freeConnections = 90;
    facts.freeDisk = 1'500'000'000;
    facts.dataFolder = "/data";
    ArchiveNeeds needs;
    needs.bytes = 4'000'000'000;
    CHECK(judge(needs, facts, contents.options, 2) ==
          std::vector{warning("The archive holds about 4.0 GB of rows, and the disk of /data has "
                              "1.5 GB left: it will probably be full before the end.",
                              "Make room there, or leave tables out (--exclude-table-data).")});
}

TEST_CASE("locales are compared as the system library takes them") {
    CHECK(plainLocale("de_DE.UTF-8") == "de_DE.utf8");
    CHECK(plainLocale("de_DE.utf8") == "de_DE.utf8");
    CHECK(plainLocale("C") == "C");
}
