// SPDX-License-Identifier: PostgreSQL
// Plain SQL scripts as a source: what pg_dump, pg_dumpall and we write comes back the same; errors
// are passed over as psql does; what was cut off or asks for more than SQL touches nothing.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fstream>

#include "core/base/error.h"
#include "core/restore/restore.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
namespace fs = std::filesystem;

namespace {

options::RestoreOptions scriptOptions(const Cluster& cluster, const std::string& database,
                                      const fs::path& script) {
    options::RestoreOptions options;
    options.connection = cluster.connection(database);
    options.archive = script;
    return options;
}

/// What was ignored, a line each; then how it ended.
std::string runScript(const options::RestoreOptions& options) {
    EventRecord events;
    std::string told;
    try {
        restore::restore(options, events, {});
    } catch (const Error& error) {
        if (events.all<events::RunStarted>().empty()) return "refused: " + error.info().describe();
    }
    for (const auto& ignored : events.all<events::ErrorIgnored>()) {
        told += ignored.error.describe() + "\n";
    }
    const auto end = events.all<events::RunFinished>().at(0);
    if (end.error) told += end.error->describe() + "\n";
    return told + std::string(toString(end.outcome)) +
           fmt::format(", {} rows, {} tables", end.rows, end.relations);
}

fs::path writeScript(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

}  // namespace

TEST_CASE("time limits of a database do not end a script") {
    const Cluster cluster(18);
    const TemporaryFolder folder;
    cluster.createDatabase("target");
    cluster.execute("ALTER DATABASE target SET statement_timeout = '100ms'");
    const fs::path script = writeScript(folder / "s.sql", "SELECT pg_sleep(0.2);\n");
    CHECK(runScript(scriptOptions(cluster, "target", script)) == "clean, 0 rows, 0 tables");
}

TEST_CASE("every kind of object comes back from plain scripts of every version") {
    const int major = GENERATE(15, 16, 17, 18);
    CAPTURE(major);
    const Cluster cluster(major);
    const ServerPrograms tools = requireClientTools(major);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    loadEveryObject(cluster, "source");
    const auto check = [&](const fs::path& script) {
        CAPTURE(script);
        cluster.createDatabase("target");
        const std::string told = runScript(scriptOptions(cluster, "target", script));
        CHECK(told.starts_with("clean, "));
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"), tools) == "");
        dropDatabase(cluster, "target");
    };
    const auto stock = [&](const std::string& name, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(),
                         {tools.tool("pg_dump").string(), "-d", cluster.conninfo("source"), "-f",
                          (folder / name).string()});
        runToolOk(arguments);
        return folder / name;
    };
    check(stock("stock.sql", {}));
    runDump(dumpOptions(cluster, "source", folder / "ours.sql", Format::Plain, "none"));
    check(folder / "ours.sql");
    if (major == 18) {
        check(stock("stock.sql.gz", {"-Z", "6"}));
        runDump(dumpOptions(cluster, "source", folder / "ours.sql.zst", Format::Plain, "zstd"));
        check(folder / "ours.sql.zst");
        runDump(dumpOptions(cluster, "source", folder / "ours.sql.lz4", Format::Plain, "lz4"));
        check(folder / "ours.sql.lz4");
        // INSERT commands lose the sign of a zero, whoever runs them.
        const fs::path script = stock("inserts.sql", {"--inserts", "--rows-per-insert=7"});
        test::restore(cluster, "by_psql", script, Format::Plain, tools);
        cluster.createDatabase("target");
        CHECK(runScript(scriptOptions(cluster, "target", script)).starts_with("clean, "));
        CHECK(differences(cluster.conninfo("by_psql"), cluster.conninfo("target"), tools) == "");
        dropDatabase(cluster, "by_psql");
        dropDatabase(cluster, "target");
    }
    dropDatabase(cluster, "source");
}

TEST_CASE("scripts that connect elsewhere restore whole clusters") {
    const std::string kOdd = "odd 'name\\";
    const Cluster source(18);
    const TemporaryFolder folder;
    source.execute("CREATE ROLE owner_of_odd");
    source.execute("CREATE DATABASE \"odd 'name\\\" OWNER owner_of_odd");
    source.execute("CREATE TABLE t AS SELECT g FROM generate_series(1, 1000) g", kOdd);
    source.createDatabase("even");
    source.execute("CREATE TABLE e AS SELECT g FROM generate_series(1, 10) g", "even");
    const Cluster target(18);
    SECTION("pg_dumpall") {
        const fs::path script = folder / "all.sql";
        runToolOk({source.tool("pg_dumpall"), "-d", source.conninfo(), "-f", script.string()});
        // The roles that every cluster has are there already.
        CHECK(runScript(scriptOptions(target, "postgres", script))
                  .ends_with("role \"postgres\" already exists (SQLSTATE 42710)\n"
                             "completed_with_errors, 1010 rows, 2 tables"));
        CHECK(target.value("SELECT count(*) FROM e", "even") == "10");
    }
    SECTION("pg_dump --create") {
        const fs::path script = folder / "one.sql";
        runToolOk(
            {source.tool("pg_dump"), "-C", "-d", source.conninfo(kOdd), "-f", script.string()});
        target.execute("CREATE ROLE owner_of_odd");
        CHECK(runScript(scriptOptions(target, "postgres", script)) == "clean, 1000 rows, 1 tables");
    }
    CHECK(target.value("SELECT count(*) FROM t", kOdd) == "1000");
    CHECK(
        target.value("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname LIKE 'odd%'") ==
        "owner_of_odd");
    options::RestoreOptions once =
        scriptOptions(target, "postgres", writeScript(folder / "s", "\\connect postgres\n"));
    once.singleTransaction = true;
    CHECK(runScript(once).starts_with("refused: s, line 1: \\connect ends the session, and with "));
}

TEST_CASE("errors of a script are passed over with line and statement") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("target");
    const fs::path script = writeScript(folder / "s.sql",
                                        "CREATE TABLE a(i int);\n"
                                        "-- told below\nSELECT *\nFROM missing;\n"
                                        "COPY missing (i) FROM stdin;\n1\nDROP TABLE a;\n\\.\n"
                                        "COPY a FROM stdin;\n1\nx\n\\.\n"
                                        "COPY a FROM stdin WITH (FORMAT csv);\n1\n2\n\\.\n"
                                        "COPY a TO stdout;\n"
                                        "INSERT INTO a VALUES (3)\n");
    options::RestoreOptions options = scriptOptions(cluster, "target", script);
    const std::string first =
        "line 3: SELECT *: relation \"missing\" does not exist (SQLSTATE 42P01)\n";
    SECTION("as psql does") {
        CHECK(runScript(options) ==
              first +
                  "line 5: COPY missing (i) FROM stdin;: relation \"missing\" does not exist "
                  "(SQLSTATE 42P01)\n"
                  "line 9: COPY a FROM stdin;: invalid input syntax for type integer: \"x\" "
                  "(SQLSTATE 22P02)\n"
                  "completed_with_errors, 2 rows, 1 tables");
        CHECK(cluster.value("SELECT string_agg(i::text, ' ') FROM a", "target") == "1 2 3");
    }
    SECTION("--exit-on-error stops at the first, what was done stays") {
        options.exitOnError = true;
        CHECK(runScript(options) == first + "failed, 0 rows, 0 tables");
        CHECK(cluster.value("SELECT count(*) FROM a", "target") == "0");
    }
    SECTION("--single-transaction takes all of it back") {
        options.singleTransaction = true;
        CHECK(runScript(options) == first + "failed, 0 rows, 0 tables");
        CHECK(cluster.value("SELECT to_regclass('a') IS NULL", "target") == "t");
    }
    SECTION("--single-transaction keeps what is whole, and sees who ends it early") {
        options.singleTransaction = true;
        options.archive = writeScript(folder / "good", "CREATE TABLE b(); SELECT 1");
        CHECK(runScript(options) == "clean, 0 rows, 0 tables");
        options.archive = writeScript(folder / "ends", "CREATE TABLE c();\nCOMMIT;\n");
        CHECK(runScript(options) ==
              "ends, line 2: the script ends the transaction itself. Leave --single-transaction "
              "out.\nfailed, 0 rows, 0 tables");
        CHECK(cluster.value("SELECT to_regclass('c') IS NULL", "target") == "t");
        options.archive =
            writeScript(folder / "objects", "BEGIN;\nCREATE TABLE d();\nCOMMIT;\nSELECT 1/0;\n");
        CHECK_THAT(runScript(options), ContainsSubstring("failed, 0 rows, 0 tables"));
        CHECK(cluster.value("SELECT to_regclass('d') IS NULL", "target") == "t");
    }
    SECTION("a transaction that is left open did not happen") {
        options.archive = writeScript(folder / "open", "BEGIN;\nCREATE TABLE b();\n");
        CHECK(runScript(options) ==
              options.archive.string() +
                  ": the script leaves a transaction open: what it did in it is not there. Its end "
                  "is missing, or a COMMIT in it.\nfailed, 0 rows, 0 tables");
    }
    SECTION("a connection that is lost says where") {
        options.archive = writeScript(
            folder / "cut", "SELECT 1;\nSELECT pg_terminate_backend(pg_backend_pid());\n");
        CHECK(runScript(options).starts_with("cut, line 2: terminating connection"));
    }
    SECTION("standard_conforming_strings off, and a client encoding with treacherous bytes") {
        options.archive =
            writeScript(folder / "old",
                        "SET standard_conforming_strings = off;\nSET escape_string_warning = off;\n"
                        "INSERT INTO a VALUES (length('\\';'));\nSET client_encoding = 'SJIS';\n"
                        "CREATE TABLE s AS SELECT '\x83\x5C\x5C\x5C'::text AS t;\n"
                        "COPY s FROM stdin;\n\x83\x5C\n\\.\n");
        cluster.execute("CREATE TABLE a(i int)", "target");
        CHECK(runScript(options) == "clean, 1 rows, 1 tables");
        CHECK(cluster.value("SELECT i FROM a", "target") == "2");
        CHECK(cluster.value("SELECT string_agg(t, ',' ORDER BY t) FROM s", "target") == "ソ,ソ\\");
    }
}

TEST_CASE("no password of a statement that fails gets into the record of the run") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("target");
    const fs::path script = writeScript(
        folder / "s.sql",
        "CREATE ROLE postgres PASSWORD 'geheim';\n"
        "CREATE USER MAPPING FOR nobody_there SERVER none OPTIONS (password 'geheim');\n");
    EventRecord events;
    restore::restore(scriptOptions(cluster, "target", script), events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 2);
    CHECK(ignored[0].error.object == "line 1: CREATE ROLE postgres PASSWORD '***';");
    for (const auto& one : ignored) {
        CHECK(one.error.statement.find("***") != std::string::npos);
        CHECK(one.error.statement.find("geheim") == std::string::npos);
        CHECK(one.error.describe().find("geheim") == std::string::npos);
    }
}

TEST_CASE("a script that cannot be run as it stands touches nothing") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("target");
    const auto refusal = [&](const std::string& text) {
        const std::string told =
            runScript(scriptOptions(cluster, "target", writeScript(folder / "s.sql", text)));
        CHECK(cluster.value("SELECT to_regclass('a') IS NULL", "target") == "t");
        return told;
    };
    const std::string good = "CREATE TABLE a(i int);\n";
    CHECK(refusal(good + "\\! touch /tmp/x\n") ==
          "refused: s.sql, line 2: \\! is a command of psql that a script may not give: only "
          "\\connect, \\restrict and \\unrestrict are carried out. Take it out, or run the script "
          "with psql if you trust whoever wrote it.");
    CHECK(refusal(good + "SELECT 1 \\gexec\n").starts_with("refused: s.sql, line 2: \\gexec is"));
    CHECK(refusal(good + "COPY a FROM stdin;\n1\n2\n") ==
          "refused: s.sql, line 2: the script ends within the rows of this COPY: the line \\. is "
          "missing. The script was cut off: get the whole of it.");

    const auto dumped = [&](const std::string& codec) {
        const fs::path path = folder / ("dump-" + codec);
        cluster.createDatabase("source");
        cluster.execute("CREATE TABLE a AS SELECT md5(g::text) FROM generate_series(1, 50000) g",
                        "source");
        runDump(dumpOptions(cluster, "source", path, Format::Plain, codec));
        dropDatabase(cluster, "source");
        return path;
    };
    const std::string codec = GENERATE("none", "gzip", "lz4", "zstd");
    const fs::path path = dumped(codec);
    const uint64_t size = fs::file_size(path);
    for (const uint64_t cut : {size / 2, size - 40, size - 70}) {
        CAPTURE(codec, cut);
        fs::resize_file(path, cut);
        CHECK(runScript(scriptOptions(cluster, "target", path)).starts_with("refused: "));
        CHECK(cluster.value("SELECT to_regclass('a') IS NULL", "target") == "t");
    }
}

TEST_CASE("options that need a table of contents are refused with a script") {
    const Cluster cluster;
    const TemporaryFolder folder;
    const fs::path script = writeScript(folder / "s.sql", "SELECT 1;");
    options::RestoreOptions options = scriptOptions(cluster, "postgres", script);
    options.selection.tables = {"t"};
    options.jobs = 4;
    CHECK(runScript(options) ==
          "refused: " + script.string() +
              ": a plain SQL script runs as it stands. --table: a script has no table of contents "
              "to choose from. Leave it out, or dump in another format. --jobs: a script runs over "
              "one connection. Leave it out, or dump in another format.");
    options.selection.tables.clear();
    options.jobs = 1;
    CHECK(runScript(options) == "clean, 0 rows, 0 tables");
    options.dryRun = true;
    options.archive = writeScript(folder / "t.sql", "CREATE TABLE t();");
    CHECK(runScript(options) == "clean, 0 rows, 0 tables");
    CHECK(cluster.value("SELECT to_regclass('t') IS NULL") == "t");
}
