// SPDX-License-Identifier: PostgreSQL
// Servers of every version, dumped and restored; encodings; rows of 200 MB; foreign rows.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/server/dump/round_trip.h"
#include "tests/server/dump/script_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;

namespace {

constexpr int kOldestWithEveryObject = 12;

/// Dumps "source" in this format, restores it as "copy" and tells what differs.
std::string roundTrip(const Cluster& cluster, Format format, const std::string& compression,
                      const std::vector<std::string>& restoreArguments = {},
                      const std::string& encoding = {}) {
    const TemporaryFolder folder;
    options::DumpOptions options =
        dumpOptions(cluster, "source", folder / "dump", format, compression);
    options.encoding = encoding;
    runDump(options);
    const ServerPrograms tools = clientToolsFor(cluster.major());
    const std::string ofSource = cluster.value("SHOW server_encoding", "source");
    restore(cluster, "copy", folder / "dump", format, tools, restoreArguments,
            "ENCODING '" + ofSource + "'");
    std::string found = differences(cluster.conninfo("source"), cluster.conninfo("copy"), tools);
    dropDatabase(cluster, "copy");
    return found;
}

/// pg_restore 17 sets what older servers do not know.
void requireFittingTools(const Cluster& cluster) {
    const int tools = clientToolsFor(cluster.major()).major;
    if (tools >= 17 && cluster.major() < 17) {
        SKIP("only client programs " << tools << " for server " << cluster.major());
    }
}

void fill(const Cluster& cluster) {
    requireFittingTools(cluster);
    cluster.createDatabase("source");
    if (cluster.major() >= kOldestWithEveryObject) {
        loadEveryObject(cluster, "source");
    } else {
        installTestExtension(cluster);
        loadFile(cluster, "source", testData("selection.sql"));
    }
}

}  // namespace

TEST_CASE("the newest server's dump restores to the same", "[dump]") {
    const Cluster cluster(18);
    fill(cluster);
    CHECK(roundTrip(cluster, Format::Directory, "gzip:1", {"-j", "2"}) == "");
}

TEST_CASE("a dump of a server of any version restores to the same", "[dump][.wide]") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    const Cluster cluster(major);
    fill(cluster);
    CHECK(roundTrip(cluster, Format::Directory, "gzip:1", {"-j", "2"}) == "");
    CHECK(roundTrip(cluster, Format::Custom, "none") == "");
    CHECK(roundTrip(cluster, Format::Plain, "none") == "");
}

TEST_CASE("a dump of the oldest servers restores to the same", "[dump]") {
    const Cluster cluster(10);
    fill(cluster);
    CHECK(roundTrip(cluster, Format::Directory, "gzip:1") == "");
    CHECK(roundTrip(cluster, Format::Plain, "none") == "");
}

TEST_CASE("databases in other encodings than UTF8 come back byte for byte", "[dump]") {
    const Cluster cluster(18);
    const std::string encoding = GENERATE("SQL_ASCII", "LATIN1");
    CAPTURE(encoding);
    cluster.createDatabase("source", "ENCODING '" + encoding + "'");
    loadFile(cluster, "source",
             testData(encoding == "LATIN1" ? "encodings/latin1.sql" : "encodings/sql_ascii.sql"),
             encoding);
    CHECK(roundTrip(cluster, Format::Directory, "gzip:1") == "");
    CHECK(roundTrip(cluster, Format::Custom, "none") == "");
    CHECK(roundTrip(cluster, Format::Tar, "none") == "");
    CHECK(roundTrip(cluster, Format::Plain, "none") == "");
    if (encoding == "LATIN1") {
        CHECK(roundTrip(cluster, Format::Directory, "gzip:1", {}, "UTF8") == "");
        CHECK(roundTrip(cluster, Format::Plain, "none", {}, "UTF8") == "");
    }
}

TEST_CASE("rows of foreign tables are dumped when they are asked for", "[dump]") {
    const Cluster cluster(15);
    cluster.createDatabase("source");
    if (cluster.value("SELECT count(*) FROM pg_available_extensions WHERE name = 'file_fdw'",
                      "source") == "0") {
        SKIP("this server has no foreign data wrapper to read with");
    }
    cluster.execute(
        "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;"
        "CREATE SERVER other FOREIGN DATA WRAPPER file_fdw;"
        "CREATE TABLE parent (n integer);"
        "CREATE FOREIGN TABLE far (n integer) SERVER files OPTIONS (program 'seq 1000');"
        "CREATE FOREIGN TABLE child (own text) INHERITS (parent) SERVER files"
        " OPTIONS (program 'printf \"1\\ta\\n2\\tb\\n\"');"
        "CREATE FOREIGN TABLE left_out (n integer) SERVER other OPTIONS (program 'seq 7')",
        "source");
    const TemporaryFolder folder;
    options::DumpOptions options =
        dumpOptions(cluster, "source", folder / "dump", Format::Directory, "gzip:1");
    options.jobs = 1;
    options.selection.includeForeignData = {"fil*"};
    EventRecord events;
    runDump(options, events);
    const ServerPrograms tools = clientToolsFor(15);
    const std::string script =
        runToolOk({tools.tool("pg_restore").string(), "-f", "-", (folder / "dump").string()});
    runToolOk({tools.tool("pg_dump").string(), "--include-foreign-data=files", "-f",
               (folder / "stock").string()},
              cluster.environment("source"));
    CHECK(scriptDifference(comparableScript(readScript(folder / "stock")),
                           comparableScript(script)) == "");
    CHECK(events.all<events::RunFinished>().at(0).rows == 1002);
}

TEST_CASE("rows of foreign tables that a filter file asks for are read over one connection",
          "[dump]") {
    const ServerPrograms tools = requireClientTools(17);
    const Cluster cluster(14);
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;"
        "CREATE FOREIGN TABLE far (n integer) SERVER files OPTIONS (program 'seq 1000')",
        "source");
    const TemporaryFolder folder;
    std::ofstream(folder / "filter") << "# far rows\n  INCLUDE\tForeign_Data files\n";
    options::DumpOptions options =
        dumpOptions(cluster, "source", folder / "dump", Format::Directory, "gzip:1");
    options.clientToolsFolder = tools.binFolder;
    options.selection.filterFiles = {folder / "filter"};
    EventRecord events;
    options.jobs = 2;
    CHECK_THROWS_WITH(runDump(options, events),
                      Catch::Matchers::ContainsSubstring("can only be read over one"));
    options.jobs.reset();
    runDump(options, events);
    CHECK(events.all<events::RunFinished>().at(0).rows == 1000);
    CHECK(events.all<events::RunStarted>().back().workers == 1);

    // No number of jobs is advised that the dump would then refuse.
    runToolOk(
        {gantryctl().string(), "dump", "-q", "--no-sync", "--pg-bindir", tools.binFolder.string(),
         "--filter", (folder / "filter").string(), "-f", (folder / "told").string()},
        cluster.environment("source"));
}

TEST_CASE("rows of 200 MB come back byte for byte", "[dump][.wide]") {
    const Cluster cluster(15);
    cluster.createDatabase("source");
    loadFile(cluster, "source", testData("huge_rows.sql"));
    CHECK(roundTrip(cluster, Format::Directory, "gzip:1", {"-j", "2"}) == "");
    CHECK(roundTrip(cluster, Format::Custom, "none") == "");
    CHECK(roundTrip(cluster, Format::Custom, "gzip:1") == "");
    CHECK(roundTrip(cluster, Format::Tar, "none") == "");
    CHECK(roundTrip(cluster, Format::Plain, "none") == "");
}
