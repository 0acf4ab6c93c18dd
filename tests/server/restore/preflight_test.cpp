// SPDX-License-Identifier: PostgreSQL
// What a restore will meet is said before it touches anything, by --check alone and by each run.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.h"
#include "core/restore/check.h"
#include "core/restore/restore.h"
#include "tests/server/dump/faults.h"
#include "tests/server/dump/round_trip.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

/// A cluster with an archive of a database that has owners, privileges, and a locale of its own.
struct Prepared {
    Cluster cluster;
    TemporaryFolder folder;
    fs::path archive = folder / "a";

    Prepared() {
        cluster.execute("CREATE ROLE alice; CREATE ROLE plain LOGIN");
        cluster.createDatabase("source");
        cluster.execute(
            "CREATE TABLE t(id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 100);"
            "CREATE TABLE u(id int); ALTER TABLE t OWNER TO alice; GRANT SELECT ON u TO alice;"
            "CREATE SCHEMA s",
            "source");
        runDump(dumpOptions(cluster, "source", archive, Format::Directory, "gzip:1"));
        cluster.execute("DROP OWNED BY alice CASCADE; DROP ROLE alice", "source");
    }
    ToolResult check(const std::string& database, const std::vector<std::string>& more = {}) const {
        return checkOf(archive, database, more);
    }
    ToolResult checkOf(const fs::path& file, const std::string& database,
                       const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{gantryctl().string(),
                                       "restore",
                                       "--check",
                                       file.string(),
                                       "-h",
                                       cluster.socketFolder().string(),
                                       "-p",
                                       std::to_string(cluster.port()),
                                       "-U",
                                       "postgres",
                                       "-d",
                                       database};
        words.insert(words.end(), more.begin(), more.end());
        return runTool(words);
    }
};

}  // namespace

TEST_CASE("a check says what will fail and what mends it, and touches nothing") {
    const Prepared prepared;
    const Cluster& cluster = prepared.cluster;

    ToolResult result = prepared.check("target");
    CHECK(result.exitCode == 2);
    CHECK_THAT(result.output, StartsWith("blocker: "));
    CHECK_THAT(result.output,
               ContainsSubstring("database \"target\" does not exist.\n    CREATE DATABASE target "
                                 "TEMPLATE template0; or let --create make the archive's own (with "
                                 "-d postgres).\n"));

    cluster.createDatabase("target");
    result = prepared.check("target");
    CHECK(result.exitCode == 1);
    CHECK(result.output ==
          "warning: The role alice is missing: it cannot be made the owner of 1 object (TABLE "
          "public.t).\n"
          "    CREATE ROLE alice; let the restore make it with --create-roles, or leave owners out "
          "with --no-owner.\n"
          "warning: The role alice is missing, which the statements for 1 object (ACL public.TABLE "
          "u) name: they will fail as a whole.\n"
          "    CREATE ROLE alice; let the restore make it with --create-roles, or leave privileges "
          "out with --no-privileges.\n");
    CHECK(cluster.value("SELECT count(*) FROM pg_class WHERE relname = 't'", "target") == "0");

    result = prepared.check("target", {"-O", "-x"});
    CHECK(result.exitCode == 0);
    CHECK(result.output == "Nothing stands in the way.\n");

    result = prepared.check("target", {"-O", "-x", "-U", "plain"});
    CHECK(result.exitCode == 1);
    CHECK_THAT(result.output,
               StartsWith("warning: plain may not create 1 schema (s) in the database target.\n"
                          "    GRANT CREATE ON DATABASE target TO plain;\n"));

    result = prepared.check("postgres", {"-C", "-x", "-O"});
    CHECK(result.exitCode == 2);
    CHECK(result.output ==
          "blocker: The database source exists already.\n"
          "    Add --clean to drop it first, or leave --create out and name it with -d.\n");

    result = prepared.check("target", {"-O", "-x", "-j", "500"});
    CHECK(result.exitCode == 1);
    CHECK_THAT(result.output, StartsWith("warning: 500 workers and a coordinator need 501 "
                                         "connections, the server has "));
}

TEST_CASE("a check of a script goes by its statements") {
    const Prepared prepared;
    const Cluster& cluster = prepared.cluster;
    const fs::path script = prepared.folder / "s.sql";
    cluster.execute("CREATE ROLE alice", "source");
    cluster.execute(
        "CREATE TABLE t(id int); ALTER TABLE t OWNER TO alice; GRANT SELECT ON u TO alice",
        "source");
    runDump(dumpOptions(cluster, "source", script, Format::Plain, "none"));
    ToolResult result = prepared.checkOf(script, "target");
    CHECK(result.exitCode == 2);
    CHECK_THAT(result.output, ContainsSubstring("database \"target\" does not exist.\n"));
    cluster.createDatabase("target");
    CHECK(prepared.checkOf(script, "target").output == "Nothing stands in the way.\n");

    cluster.execute("DROP OWNED BY alice CASCADE; DROP ROLE alice", "source");
    cluster.execute("CREATE TABLE u(id int)", "target");
    result = prepared.checkOf(script, "target");
    CHECK(result.exitCode == 1);
    CHECK(result.output ==
          "warning: The role alice is missing: it cannot be made the owner of 1 object (TABLE "
          "public.t).\n"
          "    CREATE ROLE alice;\n"
          "warning: The role alice is missing, which the statements for 1 object (GRANT SELECT ON "
          "TABLE public.u TO alice) name: they will fail as a whole.\n"
          "    CREATE ROLE alice;\n"
          "warning: The database target holds 1 relation (public.u) that the archive has too: they "
          "cannot be created, and rows will be added to those that they hold.\n"
          "    Restore into an empty database.\n");
    CHECK(cluster.value("SELECT count(*) FROM pg_class WHERE relname = 't'", "target") == "0");
    CHECK(prepared.checkOf(script, "target", {"--refresh", "-e"}).exitCode == 2);

    // A run says the same, or does not begin.
    options::RestoreOptions options;
    options.connection = cluster.connection("target");
    options.archive = script;
    EventRecord events;
    restore::restore(options, events, {});
    CHECK(events.all<events::Notice>().at(0).message ==
          "The role alice is missing: it cannot be made the owner of 1 object (TABLE public.t). "
          "CREATE ROLE alice;");
    options.exitOnError = true;
    EventRecord none;
    CHECK_THROWS_AS(restore::restore(options, none, {}), Error);
    CHECK(none.all<events::RunStarted>().empty());
}

TEST_CASE("a check of a refresh looks at a database that is yet to be made") {
    const Prepared prepared;
    const Cluster& cluster = prepared.cluster;
    ToolResult result = prepared.check("target", {"-O", "-x", "--refresh"});
    CHECK(result.exitCode == 0);
    CHECK(result.output == "Nothing stands in the way.\n");

    cluster.createDatabase("target");
    cluster.execute("CREATE TABLE t(id int)", "target");
    CHECK(prepared.check("target", {"-O", "-x"}).exitCode == 1);
    result = prepared.check("target", {"-O", "-x", "--refresh"});
    CHECK(result.output == "Nothing stands in the way.\n");

    const pg::Connection user = pg::Connection::open(cluster.connection("target"), "a user", {});
    result = prepared.check("target", {"-O", "-x", "--refresh"});
    CHECK(result.exitCode == 1);
    CHECK(result.output ==
          "warning: \"target\" is in use (1 session: postgres with a user); it can be swapped only "
          "once nobody is connected to it. --terminate-sessions ends who still is.\n");

    result = prepared.check("target", {"-O", "-x", "--refresh", "-U", "plain"});
    CHECK(result.exitCode == 2);
    CHECK_THAT(result.output, StartsWith("blocker: The role plain may not create databases, and "
                                         "--refresh makes one.\n    ALTER ROLE plain CREATEDB; or "
                                         "restore into a database that is there (--dbname).\n"));
    CHECK(cluster.value("SELECT count(*) FROM pg_database WHERE datname LIKE 'target%'") == "1");
}

TEST_CASE("every restore looks first: blockers refuse it, warnings are its first notices") {
    const Prepared prepared;
    const Cluster& cluster = prepared.cluster;
    cluster.createDatabase("target");
    options::RestoreOptions options;
    options.connection = cluster.connection("target");
    options.archive = prepared.archive;
    options.jobs = 1;
    options.failedList = prepared.folder / "failed.list";

    SECTION("warnings") {
        EventRecord events;
        restore::restore(options, events, {});
        const auto notices = events.all<events::Notice>();
        REQUIRE(notices.size() >= 2);
        CHECK(notices[0].severity == events::Severity::Warning);
        CHECK(
            notices[0].message ==
            "The role alice is missing: it cannot be made the owner of 1 object (TABLE public.t). "
            "CREATE ROLE alice; let the restore make it with --create-roles, or leave owners out "
            "with --no-owner.");
        CHECK(events.all<events::RunFinished>().at(0).ignoredErrors == 2);
    }
    SECTION("blockers") {
        options.role = "nobody_there";
        EventRecord events;
        try {
            restore::restore(options, events, {});
            FAIL("it went ahead");
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Preflight);
            CHECK(error.info().describe() ==
                  "The role nobody_there of --role does not exist. CREATE ROLE nobody_there; or "
                  "another --role.");
        }
        CHECK(events.all<events::RunStarted>().empty());
    }
    SECTION("a restore that stops at the first error does not even begin") {
        options.exitOnError = true;
        EventRecord events;
        CHECK_THROWS_AS(restore::restore(options, events, {}), Error);
        CHECK(cluster.value("SELECT count(*) FROM pg_class WHERE relname = 't'", "target") == "0");
    }
}

TEST_CASE("schemas that are not restored are found missing, and made if that is wanted") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE SCHEMA crm; CREATE TABLE crm.contact(id int PRIMARY KEY);"
        "CREATE TABLE crm.empty(id int);"
        "INSERT INTO crm.contact SELECT generate_series(1, 100); CREATE SCHEMA ref;"
        "CREATE TABLE ref.country(id int); INSERT INTO ref.country VALUES (1)",
        "source");
    options::DumpOptions dump =
        dumpOptions(cluster, "source", folder / "part", Format::Directory, "none");
    dump.selection.tables = {"crm.*", "ref.country"};
    runDump(dump);
    runDump(dumpOptions(cluster, "source", folder / "all", Format::Directory, "none"));
    cluster.createDatabase("target");
    const auto tool = [&](const std::string& archive, const std::vector<std::string>& more) {
        std::vector<std::string> words{gantryctl().string(),
                                       "restore",
                                       (folder / archive).string(),
                                       "-j",
                                       "2",
                                       "--failed-list",
                                       (folder / "failed").string(),
                                       "-d",
                                       cluster.conninfo("target")};
        words.insert(words.end(), more.begin(), more.end());
        return runTool(words);
    };

    SECTION("an archive without them") {
        const ToolResult check = tool("part", {"--check"});
        CHECK(check.exitCode == 1);
        CHECK(check.output ==
              "warning: The schemas crm and ref are missing: 4 objects (TABLE crm.contact, TABLE "
              "crm.empty, crm.contact contact_pkey, TABLE ref.country) cannot be "
              "created.\n"
              "    CREATE SCHEMA crm; CREATE SCHEMA ref; or let the restore make them with "
              "--create-schemas.\n");
        CHECK(tool("part", {"--check", "-e"}).exitCode == 2);

        const ToolResult restored = tool("part", {});
        CHECK(restored.exitCode == 1);
        CHECK_THAT(restored.output + restored.errors,
                   ContainsSubstring("The schemas crm and ref are missing: ") &&
                       ContainsSubstring("Nothing was restored into \"target\": ") &&
                       ContainsSubstring("The schema crm is missing: CREATE SCHEMA crm; first, or "
                                         "restore its own entry too") &&
                       !ContainsSubstring("finished, with"));
    }
    SECTION("a selection that leaves them out") {
        CHECK_THAT(tool("all", {"--check", "-n", "crm", "-c", "--if-exists"}).output,
                   StartsWith("warning: The schema crm is missing: 3 objects "));
        CHECK(tool("all", {"--check"}).exitCode == 0);
    }
    SECTION("the restore makes them") {
        const std::string how = GENERATE("-j", "-1");
        std::vector<std::string> more{"--create-schemas"};
        if (how == "-1") more = {"--create-schemas", "-1", "-j", "1"};
        const ToolResult restored = tool("part", more);
        CHECK(restored.exitCode == 0);
        CHECK(cluster.value("SELECT count(*) FROM crm.contact", "target") == "100");
        CHECK(cluster.value("SELECT count(*) FROM ref.country", "target") == "1");
    }
    SECTION("what failed with something there is no restore of nothing") {
        cluster.execute("CREATE SCHEMA crm", "target");
        const ToolResult restored = tool("part", {});
        CHECK(restored.exitCode == 1);
        CHECK_THAT(restored.output + restored.errors,
                   ContainsSubstring("finished, with ") &&
                       ContainsSubstring("The schema ref is missing: "));
    }
}

TEST_CASE(
    "roles that an archive of pg_dump names are made, by a superuser or who may create roles") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.execute(
        "CREATE ROLE \"Owner\"; CREATE ROLE reader; CREATE ROLE maker LOGIN CREATEROLE CREATEDB");
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE t(id int); INSERT INTO t VALUES (1); GRANT SELECT ON t TO reader;"
        "CREATE SCHEMA s; ALTER SCHEMA s OWNER TO \"Owner\"; CREATE TABLE s.u(id int);"
        "ALTER TABLE s.u OWNER TO \"Owner\"",
        "source");
    const std::string archive = (folder / "a").string();
    runToolOk({cluster.tool("pg_dump"), "-Fc", "-f", archive}, cluster.environment("source"));
    cluster.execute("DROP OWNED BY \"Owner\", reader CASCADE", "source");
    cluster.execute("DROP ROLE \"Owner\"; DROP ROLE reader");

    const std::string user = GENERATE("postgres", "maker");
    cluster.execute("CREATE DATABASE target OWNER " + user);
    const auto tool = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{gantryctl().string(),
                                       "restore",
                                       archive,
                                       "-U",
                                       user,
                                       "--failed-list",
                                       (folder / "failed").string(),
                                       "-d",
                                       cluster.conninfo("target") + " user=" + user};
        words.insert(words.end(), more.begin(), more.end());
        return runTool(words);
    };
    const auto roles = [&] {
        return cluster.value(
            "SELECT string_agg(rolname || CASE WHEN rolcanlogin THEN '!' ELSE '' END, ' ' ORDER BY"
            " rolname) FROM pg_roles WHERE rolname IN ('Owner', 'reader')");
    };
    CHECK_THAT(tool({"--check"}).output,
               ContainsSubstring("CREATE ROLE reader; let the restore make it with --create-roles, "
                                 "or leave privileges out with --no-privileges."));
    CHECK_THAT(
        tool({"--create-roles", "--dry-run"}).output + tool({"--create-roles", "--dry-run"}).errors,
        ContainsSubstring("The roles \"Owner\" and reader are missing: the restore makes "
                          "them, without LOGIN."));
    CHECK(roles().empty());

    std::vector<std::string> more{"--create-roles"};
    if (user == "postgres" && GENERATE(false, true)) more.insert(more.end(), {"-1", "-j", "1"});
    const ToolResult restored = tool(more);
    CHECK_THAT(restored.output + restored.errors,
               ContainsSubstring("ROLE reader was missing, and has been made."));
    // What belongs to postgres is nobody else's to give.
    CHECK(restored.exitCode == (user == "postgres" ? 0 : 1));
    CHECK_FALSE(roles().empty());
    CHECK(roles().find('!') == std::string::npos);
    CHECK(cluster.value("SELECT tableowner FROM pg_tables WHERE tablename = 'u'", "target") ==
          "Owner");
    CHECK(cluster.value("SELECT has_table_privilege('reader', 't', 'SELECT')", "target") == "t");
}

TEST_CASE("what is doomed is counted: of a choice what is there, of a refresh all") {
    const Prepared prepared;
    const Cluster& cluster = prepared.cluster;
    cluster.createDatabase("target");
    cluster.execute(
        "CREATE TABLE t AS SELECT g FROM generate_series(1, 10000) g; CREATE INDEX ON t(g);"
        "CREATE TABLE other AS SELECT 1 AS a",
        "target");
    options::RestoreOptions options;
    options.connection = cluster.connection("target");
    options.archive = prepared.archive;
    options.content.clean = options.content.ifExists = true;
    const restore::Doomed cleaned = restore::whatIsDoomed(options, {});
    CHECK(cleaned.tables == 1);
    CHECK(std::to_string(cleaned.bytes) == cluster.value("SELECT pg_relation_size('t') + "
                                                         "pg_indexes_size('t')",
                                                         "target"));
    options.content.clean = options.content.ifExists = false;
    options.refresh = true;
    const restore::Doomed refreshed = restore::whatIsDoomed(options, {});
    CHECK(refreshed.tables == 2);
    CHECK(refreshed.bytes > cleaned.bytes);
}

TEST_CASE("what --clean could not drop is not advised to be dropped with --clean") {
    const Prepared prepared;
    const Cluster& cluster = prepared.cluster;
    cluster.createDatabase("target");
    cluster.execute("CREATE TABLE u(id int); CREATE VIEW v AS SELECT * FROM u", "target");
    options::RestoreOptions options;
    options.connection = cluster.connection("target");
    options.archive = prepared.archive;
    options.jobs = 1;
    options.failedList = prepared.folder / "failed.list";
    options.content.clean = options.content.ifExists = true;
    options.content.noOwner = options.content.noPrivileges = true;
    EventRecord events;
    restore::restore(options, events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 2);
    CHECK(ignored[0].error.sqlState == "2BP01");
    CHECK_THAT(ignored[1].error.describe(),
               StartsWith("TABLE public.u: relation \"u\" already exists") &&
                   ContainsSubstring("--clean could not drop what is there"));
    CHECK_FALSE(events.all<events::RunFinished>().at(0).nothingRestored);
}
