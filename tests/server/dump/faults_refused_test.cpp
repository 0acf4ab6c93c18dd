// SPDX-License-Identifier: PostgreSQL
// What a dump refuses before it begins: the message names object, cause and next step, the exit
// code is 2, and nothing has been touched.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/server/dump/faults.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

void writeText(const fs::path& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
}

/// Runs a dump that must be refused with exactly these words, and checks that it left nothing.
void checkRefused(const Cluster& cluster, const std::string& database, const Names& options,
                  const std::string& message) {
    const TemporaryFolder folder;
    const ToolResult result = runDumpTool(cluster, database, folder / "out", options);
    CHECK(result.errors == message);
    CHECK(result.exitCode == kRefused);
    CHECK(result.output.empty());
    CHECK(namesIn(folder.path()).empty());
    if (cluster.pid() != 0) CHECK(sessionsEnd(cluster));
}

}  // namespace

TEST_CASE("no server: where it was looked for, and what to check", "[faults]") {
    ClusterOptions options;
    options.start = false;
    const Cluster cluster(options);
    const std::string socket = cluster.socketFolder().string() + "/.s.PGSQL.5432";
    checkRefused(cluster, "postgres", {},
                 fmt::format("gantryctl: connection to server on socket \"{}\" failed: No such "
                             "file or directory. Is the server running "
                             "locally and accepting connections on that socket?\n"
                             "  Check that the server runs and that host and port are right.\n",
                             socket));
}

TEST_CASE("who may not connect is told why and what to do", "[faults]") {
    const Cluster cluster;
    cluster.execute("CREATE ROLE secretive LOGIN PASSWORD 'right'");
    writeText(cluster.dataFolder() / "pg_hba.conf",
              "local all postgres trust\n"
              "local all secretive scram-sha-256\n");
    cluster.execute("SELECT pg_reload_conf()");
    const std::string socket =
        fmt::format("gantryctl: connection to server on socket \"{}/.s.PGSQL.{}\" failed: ",
                    cluster.socketFolder().string(), cluster.port());

    SECTION("wrong password") {
        const TemporaryFolder folder;
        const ToolResult result =
            runTool(dumpCommand(cluster, "postgres", folder / "out", {"-U", "secretive"}),
                    {{"PGPASSWORD", "wrong"}});
        CHECK(result.errors ==
              socket +
                  "FATAL:  password authentication failed for user \"secretive\"\n"
                  "  Check user and password (PGPASSWORD, the pass file, or -W to be asked).\n");
        CHECK(result.exitCode == kRefused);
        CHECK(namesIn(folder.path()).empty());
    }
    SECTION("no password and nobody to ask") {
        checkRefused(cluster, "postgres", {"-U", "secretive", "-w"},
                     socket +
                         "fe_sendauth: no password supplied (SQLSTATE 28P01)\n"
                         "  Supply one: the pass file, PGPASSWORD or -W.\n");
    }
    SECTION("no such database") {
        checkRefused(cluster, "nowhere", {},
                     socket +
                         "FATAL:  database \"nowhere\" does not exist\n"
                         "  Check the name; psql -l lists the databases of the server.\n");
    }
    SECTION("no such role") {
        checkRefused(cluster, "nowhere", {"-U", "nobody_here"},
                     socket +
                         "FATAL:  no pg_hba.conf entry for host \"[local]\", user "
                         "\"nobody_here\", database \"nowhere\", no encryption\n"
                         "  Add a line for this user, database and address to the server's "
                         "pg_hba.conf.\n");
    }
}

TEST_CASE("client programs that are missing or too old: what was found where, and what to install",
          "[faults]") {
    const Cluster& cluster = sharedCluster();
    const TemporaryFolder folder;
    fs::create_directory(folder / "bin");
    const Names options{"--pg-bindir", (folder / "bin").string()};

    SECTION("none") {
        checkRefused(cluster, "postgres", options,
                     fmt::format("gantryctl: {}: no PostgreSQL programs are in this folder\n"
                                 "  Name the folder that holds pg_dump, or name none to have the "
                                 "usual places searched.\n",
                                 (folder / "bin").string()));
    }
    SECTION("too old") {
        writeText(folder / "bin" / "pg_dump", "#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n");
        fs::permissions(folder / "bin" / "pg_dump", fs::perms::all);
        const TemporaryFolder out;
        const ToolResult result = runDumpTool(cluster, "postgres", out / "out", options);
        CHECK_THAT(result.errors,
                   StartsWith(fmt::format(
                       "gantryctl: pg_dump: the server is version {0}, and no pg_dump of version "
                       "{0} or newer was found on this machine; found: 9.6.24 in {1}\n  Install ",
                       cluster.major(), (folder / "bin").string())));
        CHECK_THAT(result.errors, ContainsSubstring("--pg-bindir.\n"));
        CHECK(result.exitCode == kRefused);
        CHECK(namesIn(out.path()).empty());
    }
}

TEST_CASE("tables that this role may not read whole are named before anything is touched",
          "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string guarded = freshDatabase(cluster);
    makeReader(cluster);
    cluster.execute(
        "CREATE TABLE open_one (a int); CREATE TABLE closed (a int);"
        "CREATE TABLE \"Also Closed\" (a int); GRANT SELECT ON open_one TO reader",
        guarded);

    SECTION("without the right to read") {
        checkRefused(
            cluster, guarded, {"-U", "reader"},
            "gantryctl: public.closed, public.Also Closed: permission denied: this role "
            "may not read it\n  Grant it SELECT, and USAGE of the schema (or pg_read_all_data), "
            "or leave the table out with -T.\n");
        const TemporaryFolder folder;
        const ToolResult without =
            runDumpTool(cluster, guarded, folder / "out", {"-U", "reader", "-T", "*losed"});
        CHECK(without.exitCode == 0);
    }
    SECTION("row security would hide rows") {
        cluster.execute(
            "GRANT SELECT ON closed, \"Also Closed\" TO reader;"
            "ALTER TABLE open_one ENABLE ROW LEVEL SECURITY",
            guarded);
        checkRefused(cluster, guarded, {"-U", "reader"},
                     "gantryctl: public.open_one: row-level security would hide rows from this "
                     "role\n  Use a role with BYPASSRLS, or --enable-row-security to dump only the "
                     "rows that this role may see.\n");
        const TemporaryFolder folder;
        const ToolResult filtered = runDumpTool(cluster, guarded, folder / "out",
                                                {"-U", "reader", "--enable-row-security"});
        CHECK(filtered.exitCode == 0);
    }
    SECTION("a schema that it may not look into") {
        cluster.execute(
            "GRANT SELECT ON closed, \"Also Closed\" TO reader;"
            "CREATE SCHEMA hidden; CREATE TABLE hidden.one (a int);"
            "GRANT SELECT ON hidden.one TO reader",
            guarded);
        checkRefused(cluster, guarded, {"-U", "reader"},
                     "gantryctl: hidden.one: permission denied: this role may not read it\n"
                     "  Grant it SELECT, and USAGE of the schema (or pg_read_all_data), or leave "
                     "the table out with -T.\n");
    }
    SECTION("where no rows are read, the right to lock is enough") {
        if (cluster.major() < 16) return;  // only SELECT gave it
        cluster.execute(
            "GRANT UPDATE ON closed TO reader; GRANT SELECT ON \"Also Closed\" TO reader;"
            "CREATE TABLE parted (a int) PARTITION BY LIST (a);"
            "CREATE TABLE part PARTITION OF parted DEFAULT;"
            "GRANT INSERT ON parted TO reader; GRANT SELECT ON part TO reader",
            guarded);
        const TemporaryFolder folder;
        const ToolResult result = runDumpTool(cluster, guarded, folder / "out",
                                              {"-U", "reader", "--exclude-table-data=closed"});
        CAPTURE(result.describe());
        CHECK(result.exitCode == 0);
        checkRefused(cluster, guarded, {"-U", "reader", "--exclude-table-data=part"},
                     "gantryctl: public.closed: permission denied: this role may not read it\n"
                     "  Grant it SELECT, and USAGE of the schema (or pg_read_all_data), or leave "
                     "the table out with -T.\n");
    }
    SECTION("who else is connected need not be seen") {
        cluster.execute("REVOKE SELECT ON pg_catalog.pg_stat_activity FROM PUBLIC", guarded);
        const TemporaryFolder folder;
        const ToolResult result =
            runDumpTool(cluster, guarded, folder / "out", {"-U", "reader", "-t", "open_one"});
        CAPTURE(result.describe());
        CHECK(result.exitCode == 0);
    }
}

TEST_CASE("what is asked for and not there is told with the option it was asked by", "[faults]") {
    const Cluster& cluster = sharedCluster();
    const std::string database = freshDatabase(cluster);
    cluster.execute("CREATE TABLE t (i int)", database);
    const TemporaryFolder folder;
    const auto errorsOf = [&](const Names& options, int exitCode) {
        const ToolResult result = runDumpTool(cluster, database, folder / "out", options);
        CHECK(result.exitCode == exitCode);
        CHECK_FALSE(fs::exists(folder / "out"));
        CHECK_FALSE(fs::exists(folder / "out.partial"));
        return result.errors;
    };
    CHECK_THAT(
        errorsOf({"-n", "nowhere"}, kFailed),
        ContainsSubstring("no matching schemas were found") && ContainsSubstring("-n '\"Name\"'"));
    CHECK_THAT(
        errorsOf({"-t", "nothing"}, kFailed),
        ContainsSubstring("no matching tables were found") && ContainsSubstring("-t '\"Name\"'"));
    CHECK_THAT(errorsOf({"--role=nobody"}, kRefused),
               ContainsSubstring("--role: role \"nobody\" does not exist") &&
                   ContainsSubstring("a member of"));
    CHECK_THAT(errorsOf({"-E", "nosuch"}, kRefused),
               ContainsSubstring("--encoding: ") && ContainsSubstring("UTF8 or LATIN1"));
    CHECK_THAT(errorsOf({"--lock-wait-timeout=abc"}, kRefused),
               ContainsSubstring("--lock-wait-timeout: ") && ContainsSubstring("5s"));
}

TEST_CASE("a target that exists stays, unless it is an archive and --overwrite is given",
          "[faults]") {
    const Cluster& cluster = sharedCluster();
    const TemporaryFolder folder;
    const fs::path target = folder / "out";
    const std::string format = GENERATE("d", "c", "t", "p");
    CAPTURE(format);
    const auto dump = [&](Names more) {
        more.insert(more.end(), {"-F", format});
        return runDumpTool(cluster, "postgres", target, more);
    };
    const std::string exists = fmt::format(
        "gantryctl: {}: the target exists already\n"
        "  Choose another path, or replace the archive with --overwrite.\n",
        target.string());
    const std::string foreign = fmt::format(
        "gantryctl: {}: the target exists and is not an archive\n"
        "  --overwrite replaces archives only; choose another path or remove it yourself.\n",
        target.string());

    SECTION("an archive") {
        REQUIRE(dump({}).exitCode == 0);
        const Names before = namesIn(folder.path());
        const auto written = fs::last_write_time(target);
        const ToolResult again = dump({});
        CHECK(again.errors == exists);
        CHECK(again.exitCode == kRefused);
        CHECK(fs::last_write_time(target) == written);
        const ToolResult over = dump({"--overwrite"});
        CHECK(over.errors.empty());
        CHECK(over.exitCode == 0);
        CHECK(fs::last_write_time(target) != written);
        CHECK(namesIn(folder.path()) == before);
    }
    SECTION("a folder of something else") {
        fs::create_directory(target);
        writeText(target / "precious", "keep me");
        CHECK(dump({}).errors == exists);
        const ToolResult over = dump({"--overwrite"});
        CHECK(over.errors == foreign);
        CHECK(over.exitCode == kRefused);
        CHECK(namesIn(target) == Names{"precious"});
    }
    SECTION("a file that is no archive") {
        writeText(target, "keep me");
        CHECK(dump({}).errors == exists);
        const ToolResult over = dump({"--overwrite"});
        CHECK(over.errors == foreign);
        CHECK(over.exitCode == kRefused);
        CHECK(fs::file_size(target) == 7);
    }
    SECTION("a folder above it that does not exist") {
        const ToolResult result =
            runDumpTool(cluster, "postgres", folder / "no" / "out", {"-F", format});
        CHECK(result.errors ==
              fmt::format("gantryctl: {}: the folder for the archive does not exist\n"
                          "  Create it or choose another path.\n",
                          (folder / "no").string()));
        CHECK(result.exitCode == kRefused);
    }
}
