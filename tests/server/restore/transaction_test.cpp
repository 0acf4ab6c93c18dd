// SPDX-License-Identifier: PostgreSQL
// --single-transaction and --transaction-size.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "core/base/error.h"
#include "core/events/run_log.h"
#include "core/restore/restore.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
namespace fs = std::filesystem;

TEST_CASE("one transaction brings all or nothing, one of a size what came before") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE a(id int PRIMARY KEY); INSERT INTO a SELECT generate_series(1, 20000);"
        "CREATE TABLE b(id int REFERENCES a); INSERT INTO b SELECT generate_series(1, 20000);"
        "SELECT lo_from_bytea(4711, 'x'); CREATE FUNCTION f() RETURNS int LANGUAGE sql AS "
        "'SELECT 1'",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    options::RestoreOptions options;
    options.connection = cluster.connection("target");
    options.archive = folder / "a";
    options.worthSharing = 64 << 10;
    options.analyze = true;
    const bool single = GENERATE(true, false);
    CAPTURE(single);
    if (single) {
        options.singleTransaction = true;
    } else {
        options.transactionSize = 3;
    }
    const std::string relations = "SELECT count(*) FROM pg_class WHERE relname IN ('a', 'b')";

    SECTION("to the end") {
        const uint64_t before = std::stoull(cluster.value("SELECT txid_current()", "target"));
        EventRecord events;
        restore::restore(options, events, {});
        CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
        CHECK(events.all<events::RunStarted>().at(0).workers == 1);
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"),
                          cluster.programs()) == "");
        // The restore's, that of its durable end, and the one that asks.
        const uint64_t used =
            std::stoull(cluster.value("SELECT txid_current()", "target")) - before;
        if (single) {
            CHECK(used <= 3);
        } else {
            CHECK(used > 3);
        }
        // Once more, what is there being dropped in the same transaction.
        options.content.clean = true;
        EventRecord again;
        restore::restore(options, again, {});
        CHECK(again.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
    }
    SECTION("to a failure") {
        // Nothing that the check before the restore looks for.
        cluster.execute(
            "CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF current_query() LIKE '%FOREIGN KEY%' THEN RAISE 'not today'; END IF;"
            " END $$;"
            "CREATE EVENT TRIGGER slow ON ddl_command_start EXECUTE FUNCTION slow()",
            "target");
        EventRecord events;
        CHECK_THROWS_AS(restore::restore(options, events, {}), Error);
        const auto end = events.all<events::RunFinished>().at(0);
        CHECK(end.outcome == events::Outcome::Failed);
        CHECK(end.error->describe() == "public.b b_id_fkey: not today (SQLSTATE P0001)");
        CHECK(cluster.value(relations, "target") == (single ? "0" : "2"));
        if (single) {
            CHECK(cluster.value("SELECT count(*) FROM pg_largeobject_metadata", "target") == "0");
        }
    }
}

TEST_CASE("what a transaction took back is not told as there, nor as something to resume") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE FUNCTION fits() RETURNS bool LANGUAGE sql IMMUTABLE AS"
        " $$ SELECT current_database() = 'source' $$;"
        "CREATE TABLE a AS SELECT generate_series(1, 10) AS id;"
        "CREATE TABLE b AS SELECT generate_series(1, 20) AS id;"
        "CREATE TABLE c(id int CHECK (fits())); INSERT INTO c VALUES (1)",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "none"));
    cluster.createDatabase("target");
    std::string size;
    std::string told;
    uint64_t tables = 0;
    SECTION("in the middle of the definitions") {
        cluster.execute(
            "CREATE FUNCTION no() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF current_query() LIKE '%TABLE public.c %' THEN RAISE 'not today'; END IF; END $$;"
            "CREATE EVENT TRIGGER no ON ddl_command_start EXECUTE FUNCTION no()",
            "target");
        size = "2";
        told = "There: 2 of 4 definitions, 0 of 3 tables' rows. Not there: TABLE public.b,";
    }
    SECTION("in the middle of the rows") {
        size = "5";
        told =
            "There: 4 of 4 definitions, 1 of 3 tables' rows. Not there: the rows of public.b, the "
            "rows of public.c.";
        tables = 1;
    }
    SECTION("with all of it in one") {
        size = "1000";
        told = "There: 0 of 4 definitions, 0 of 3 tables' rows. Not there:";
    }
    const fs::path record = folder / "events";
    const ToolResult result =
        runTool({gantryctl().string(), "restore", "--transaction-size", size, "--events",
                 record.string(), "-d", cluster.conninfo("target"), (folder / "a").string()});
    INFO(result.describe());
    CHECK(result.exitCode == kFailed);
    CHECK(result.errors.find("--resume") == std::string::npos);
    std::string notices;
    events::RunFinished end;
    for (const events::Event& event : events::readRunLog(record)) {
        if (const auto* notice = std::get_if<events::Notice>(&event.payload)) {
            notices += notice->message + "\n";
        }
        if (const auto* last = std::get_if<events::RunFinished>(&event.payload)) end = *last;
    }
    CHECK(notices.find(told) != std::string::npos);
    CHECK(end.relations == tables);
    CHECK(end.rows == 10 * tables);
    CHECK(end.nothingRestored == (size == "1000"));
    CHECK(cluster.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", "target") ==
          (size == "2"   ? "1"
           : size == "5" ? "3"
                         : "0"));
    if (tables > 0) {
        CHECK(cluster.value("SELECT (SELECT count(*) FROM a) || ',' || (SELECT count(*) FROM b)",
                            "target") == "10,0");
    }
}

TEST_CASE("a connection lost in a commit leaves it in doubt whether that was done") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE a AS SELECT generate_series(1, 10) AS id", "source");
    const bool script = GENERATE(false, true);
    const std::string span = GENERATE("--single-transaction", "--transaction-size=100");
    if (script && span != "--single-transaction") return;  // a script knows no such thing
    CAPTURE(script, span);
    runDump(dumpOptions(cluster, "source", folder / "a", script ? Format::Plain : Format::Directory,
                        "none"));
    cluster.createDatabase("target");
    // Only the commit ends the session.
    cluster.execute(
        "CREATE FUNCTION leave() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF current_query() LIKE '%CREATE TABLE%' THEN INSERT INTO public.waits VALUES (1); END "
        "IF;"
        " END $$;"
        "CREATE TABLE waits(id int);"
        "CREATE FUNCTION go() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;"
        "CREATE CONSTRAINT TRIGGER go AFTER INSERT ON waits DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION go();"
        "CREATE EVENT TRIGGER leave ON ddl_command_end EXECUTE FUNCTION leave()",
        "target");
    const ToolResult result = runTool({gantryctl().string(), "restore", span, "--no-history", "-d",
                                       cluster.conninfo("target"), (folder / "a").string()});
    INFO(result.describe());
    CHECK(result.exitCode == kFailed);
    CHECK(result.errors.find("is as it was") == std::string::npos);
    CHECK(result.errors.find("Nothing of the archive") == std::string::npos);
    if (!script) {
        const char* told =
            span == "--single-transaction"
                ? "All of the archive is there, or nothing: no answer came"
                : "The first of what is not may be there all the same: no answer came";
        CHECK(result.errors.find(told) != std::string::npos);
    }
    CHECK(result.errors.find("Whether what was restored last is in the database \"target\" is not "
                             "known") != std::string::npos);
}
