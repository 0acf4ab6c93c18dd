// SPDX-License-Identifier: PostgreSQL
// Archives of stock pg_dump, of every server and version of the tools: read, listed and verified.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/archive/archive_reader.h"
#include "core/archive/list.h"
#include "core/archive/verify.h"
#include "core/base/printable.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::archive;
namespace test = gantry::test;
namespace fs = std::filesystem;

namespace {

constexpr int kOldestWithTools = 15;
constexpr int kOldestForEveryObject = 12;
constexpr int kMoreCodecs = 16;
constexpr int kGroupedLargeObjects = 17;

struct Pair {
    int server;
    int tools;
};

/// Every server with the oldest tools that fit, and the oldest server with each version of them.
std::vector<Pair> pairs() {
    std::vector<Pair> all;
    for (const int server : test::installedMajors()) {
        all.push_back({server, std::max(server, kOldestWithTools)});
    }
    if (all.empty()) return all;
    const int oldest = all.front().server;
    for (const int tools : {16, 17, 18}) {
        if (tools > oldest) all.push_back({oldest, tools});
    }
    return all;
}

void fill(const test::Cluster& cluster) {
    cluster.createDatabase("stock");
    if (cluster.major() >= kOldestForEveryObject) {
        test::loadEveryObject(cluster, "stock");
        // Megabytes would only make it slow.
        cluster.execute(
            "DROP TABLE every.wide_rows; SELECT lo_unlink(oid) FROM pg_largeobject_metadata "
            "WHERE oid BETWEEN 1010005 AND 1010007",
            "stock");
        if (cluster.major() < kGroupedLargeObjects) {  // an entry and a file for each
            cluster.execute(
                "SELECT lo_unlink(oid) FROM pg_largeobject_metadata "
                "WHERE oid BETWEEN 1000131 AND 1002300",
                "stock");
        }
        return;
    }
    cluster.execute(
        "CREATE TABLE rows AS SELECT i, 'row ' || i AS t FROM generate_series(1, 5000) i;"
        "CREATE TABLE none (i integer PRIMARY KEY); CREATE TABLE \"odd\n\"\"name\" (x text);"
        "INSERT INTO \"odd\n\"\"name\" VALUES (E'\\\\.'), (''), (NULL), (E'\\n');"
        "SELECT lo_from_bytea(5001, 'bytes'), lo_from_bytea(5002, '')",
        "stock");
}

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The lines of entries, our sizes taken off, and control characters as we show them: pg_restore
/// prints them raw.
std::string entriesOf(const std::string& list) {
    std::istringstream lines(list);
    std::string entries;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(";")) continue;
        entries += printable(line.substr(0, line.find(" ; "))) + "\n";
    }
    return entries;
}

struct Archive {
    std::string name;
    fs::path path;
};

/// One archive of each format; where these tools are the server's own, with each codec of theirs.
std::vector<Archive> dumpAll(const test::Cluster& cluster, const test::ServerPrograms& tools,
                             const fs::path& folder) {
    std::vector<std::vector<std::string>> kinds = {{"-Fc"}, {"-Fd"}, {"-Ft"}};
    if (tools.major == cluster.major()) kinds.insert(kinds.end(), {{"-Fc", "-Z0"}, {"-Fd", "-Z0"}});
    if (tools.major == cluster.major() && tools.major >= kMoreCodecs) {
        for (const std::string codec : {"lz4", "zstd"}) {
            kinds.push_back({"-Fc", "-Z", codec});
            kinds.push_back({"-Fd", "-Z", codec});
        }
    }
    std::vector<Archive> archives;
    for (const std::vector<std::string>& kind : kinds) {
        std::string name;
        std::vector<std::string> command = {tools.tool("pg_dump").string(), "--no-sync"};
        for (const std::string& word : kind) {
            name += word;
            command.push_back(word);
        }
        command.insert(command.end(), {"-f", (folder / name).string()});
        const test::ToolResult result = test::runTool(command, cluster.environment("stock"));
        // Not every build knows every codec.
        if (result.errors.find("does not support compression") != std::string::npos) continue;
        INFO(result.describe());
        REQUIRE(result.exitCode == 0);
        archives.push_back({name, folder / name});
    }
    // Into a pipe: no offsets are set.
    const std::string piped =
        test::runToolOk({tools.tool("pg_dump").string(), "-Fc"}, cluster.environment("stock"));
    std::ofstream(folder / "piped", std::ios::binary) << piped;
    archives.push_back({"piped", folder / "piped"});
    return archives;
}

/// What was read, written again, is what pg_dump wrote.
void checkContentsAreFaithful(const ArchiveReader& reader) {
    if (reader.format() == Format::Tar) return;
    const bool folder = reader.format() == Format::Directory;
    const std::string bytes = contentOf(folder ? reader.path() / "toc.dat" : reader.path());
    CHECK((writeToc(reader.toc()) == bytes.substr(0, reader.toc().dataStart)));
    if (folder) CHECK(reader.toc().dataStart == bytes.size());
}

/// Rows in the script of the same archive, which psql would load.
uint64_t rowsInScript(const std::string& script) {
    std::istringstream lines(script);
    uint64_t rows = 0;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (inside && line == "\\.") {
            inside = false;
        } else if (inside) {
            ++rows;
        } else {
            inside = line.ends_with(" FROM stdin;");  // names may hold line ends
        }
    }
    return rows;
}

}  // namespace

TEST_CASE("archives of every server and pg_dump are read, listed and verified") {
    const Pair pair = GENERATE(from_range(pairs()));
    CAPTURE(pair.server, pair.tools);
    const test::ServerPrograms tools = test::requireClientTools(pair.tools);
    const std::string pgRestore = tools.tool("pg_restore").string();
    const test::Cluster cluster(pair.server);
    fill(cluster);
    const std::string objects =
        cluster.value("SELECT count(*) FROM pg_largeobject_metadata", "stock");
    const test::TemporaryFolder folder;
    std::optional<uint64_t> rows;
    for (const Archive& archive : dumpAll(cluster, tools, folder.path())) {
        CAPTURE(archive.name);
        if (!rows) {
            rows = rowsInScript(test::runToolOk({pgRestore, "-f", "-", archive.path.string()}));
        }
        const auto reader = openArchive(archive.path);
        for (const MissingMember& missing : reader->missing()) {
            FAIL_CHECK(missing.name + ": " + missing.problem);
        }
        checkContentsAreFaithful(*reader);
        const VerifyReport report = verify(*reader, {}, {});
        for (const Finding& finding : report.findings) {
            FAIL_CHECK(finding.member + ": " + finding.problem);
        }
        CHECK(report.rows == rows);
        CHECK(std::to_string(report.largeObjects) == objects);
        const std::string stock = test::runToolOk({pgRestore, "-l", "-v", archive.path.string()});
        CHECK(entriesOf(renderList(*reader, listEntries(*reader))) == entriesOf(stock));
    }
}
