// SPDX-License-Identifier: PostgreSQL
// One of each kind of object goes through every format and codec and comes back the same.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <set>

#include "core/archive/archive_reader.h"
#include "core/archive/verify.h"
#include "tests/server/dump/round_trip.h"
#include "tests/server/dump/script_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
namespace fs = std::filesystem;

namespace {

struct Way {
    Format format;
    std::string compression;

    std::string name() const {
        return fmt::format("{}-{}", archive::toString(format),
                           compression.substr(0, compression.find(':')));
    }
    io::Algorithm algorithm() const { return io::parseCompression(compression).algorithm; }
    /// Whether these programs say they can read the codec.
    bool readableBy(const ServerPrograms& tools) const;
};

const std::vector<Way> kArchives{
    {Format::Directory, "none"},   {Format::Directory, "gzip:1"}, {Format::Directory, "lz4"},
    {Format::Directory, "zstd:1"}, {Format::Custom, "none"},      {Format::Custom, "gzip:1"},
    {Format::Custom, "lz4"},       {Format::Custom, "zstd:1"},    {Format::Tar, "none"},
};

const std::vector<Way> kScripts{{Format::Plain, "none"},
                                {Format::Plain, "gzip:1"},
                                {Format::Plain, "lz4"},
                                {Format::Plain, "zstd:1"}};

bool Way::readableBy(const ServerPrograms& tools) const {
    if (format == Format::Plain) return true;  // psql gets it decoded
    if (algorithm() == io::Algorithm::None || algorithm() == io::Algorithm::Gzip) return true;
    if (tools.major < 16) return false;
    // What the program can read is what it can write.
    const TemporaryFolder folder;
    const ToolResult result = runTool({tools.tool("pg_dump").string(), "-Fc", "-Z", compression,
                                       "-f", (folder / "x").string(), "host=/nowhere"});
    return result.errors.find("compression") == std::string::npos;
}

/// As it comes through a pipe, where nothing can be skipped and come back to.
std::vector<std::string> pipedScriptOf(const ServerPrograms& tools, const fs::path& archive) {
    return comparableScript(runToolOk({"sh", "-c", "cat \"$1\" | \"$0\" -f -",
                                       tools.tool("pg_restore").string(), archive.string()}));
}

std::vector<std::string> scriptOf(const ServerPrograms& tools, const fs::path& archive) {
    return comparableScript(
        runToolOk({tools.tool("pg_restore").string(), "-f", "-", archive.string()}));
}

/// Everything in the archive is as its manifest says.
void checkWhole(const fs::path& path, Format format) {
    const archive::VerifyOptions options{.threads = 2, .progress = {}};
    const archive::VerifyReport report =
        format == Format::Plain ? archive::verifyScript(path, options, {})
                                : archive::verify(*archive::openArchive(path), options, {});
    CHECK(report.usedManifest);
    CHECK(report.findings.size() == 0);
    for (const archive::Finding& finding : report.findings) {
        UNSCOPED_INFO(finding.member << ": " << finding.problem);
    }
    CHECK(report.rows > 0);
    CHECK(report.largeObjects > 2000);
}

/// A server 15 with one of each kind of object in the database "source", and pg_dump's archive.
struct Source {
    /// `portable`: without what not every build of PostgreSQL has.
    explicit Source(bool portable = false) {
        cluster.createDatabase("source");
        loadEveryObject(cluster, "source");
        if (portable) {
            cluster.execute("DROP COLLATION IF EXISTS every.without_case CASCADE", "source");
            cluster.execute(
                "DROP EXTENSION IF EXISTS file_fdw, hstore, citext, pg_trgm, btree_gist CASCADE",
                "source");
            cluster.execute(
                "ALTER TABLE every.compressed_columns ALTER l SET COMPRESSION DEFAULT;"
                "ALTER TABLE every.documents ALTER x TYPE text",
                "source");
        }
        runToolOk({tools.tool("pg_dump").string(), "-Fc", "-Z1", "-f", (folder / "stock").string()},
                  cluster.environment("source"));
    }
    /// Our archive, as a file or folder of that name.
    fs::path dump(const Way& way) {
        const fs::path path = folder / way.name();
        EventRecord events;
        runDump(dumpOptions(cluster, "source", path, way.format, way.compression), events);
        const auto ends = events.all<events::RunFinished>();
        REQUIRE(ends.size() == 1);
        CHECK(ends[0].outcome == events::Outcome::Clean);
        CHECK(events.tableSpans() > ends[0].relations);  // some were divided
        return path;
    }

    /// Restores our archive on a server of that version, with its own programs. Old servers'
    /// definitions read a little different on new ones: what pg_dump's own archive becomes there is
    /// what ours must become.
    void checkRestored(const Way& way, const fs::path& path, int major,
                       const std::vector<std::string>& arguments = {}) {
        CAPTURE(way.name(), major, arguments.size());
        const ServerPrograms reader = requireClientTools(major);
        if (!way.readableBy(reader)) return;
        const Cluster& target = targetOf(major);
        // Workers of pg_restore attach one partition's indexes while they lock another's for its
        // foreign keys, which now and then is a deadlock of their own.
        for (int left = arguments.empty() ? 0 : 2;; --left) {
            try {
                restore(target, "copy", path, way.format, reader, arguments);
                break;
            } catch (const std::exception& error) {
                const bool deadlock =
                    std::string_view(error.what()).find("deadlock detected") != std::string::npos;
                if (!deadlock || left == 0) throw;
                dropDatabase(target, "copy");
            }
        }
        CHECK(differences(target.conninfo(major == 15 ? "source" : "expected"),
                          target.conninfo("copy"), reader) == "");
        dropDatabase(target, "copy");
    }

    const Cluster& targetOf(int major) {
        if (major == 15) return cluster;
        std::unique_ptr<Cluster>& target = targets[major];
        if (!target) {
            target = std::make_unique<Cluster>(major);
            installTestExtension(*target);
            loadFile(*target, "postgres", testData("every_object/00_roles.sql"));
            restore(*target, "expected", folder / "stock", Format::Custom,
                    requireClientTools(major));
        }
        return *target;
    }

    const Cluster cluster{15};
    std::map<int, std::unique_ptr<Cluster>> targets;
    const ServerPrograms tools = clientToolsFor(15);
    const TemporaryFolder folder;
};

}  // namespace

TEST_CASE("every archive format and codec is, to pg_restore, what pg_dump's archive is", "[dump]") {
    Source source;
    std::map<int, std::vector<std::string>> expected;
    for (const Way& way : kArchives) {
        CAPTURE(way.name());
        const fs::path path = source.dump(way);
        checkWhole(path, way.format);
        for (const int major : {15, 17}) {
            if (!findServer(major)) continue;
            const ServerPrograms reader = requireClientTools(major);
            if (!way.readableBy(reader)) continue;
            if (!expected.contains(major))
                expected[major] = scriptOf(reader, source.folder / "stock");
            CAPTURE(major);
            CHECK(scriptDifference(expected[major], scriptOf(reader, path)) == "");
            if (way.format == Format::Custom) {
                CHECK(scriptDifference(expected[major], pipedScriptOf(reader, path)) == "");
            }
            break;
        }
        fs::remove_all(path);
    }
}

TEST_CASE("a script in every codec does what pg_dump's script does", "[dump]") {
    Source source;
    const std::vector<std::string> expected = comparableScript(
        runToolOk({source.tools.tool("pg_dump").string()}, source.cluster.environment("source")));
    for (const Way& way : kScripts) {
        CAPTURE(way.name());
        const fs::path path = source.dump(way);
        checkWhole(path, way.format);
        CHECK(scriptDifference(expected, comparableScript(readScript(path))) == "");
        fs::remove(path);
    }
}

TEST_CASE("what a dump of each format restores is what was dumped", "[dump]") {
    Source source;
    for (const Way& way : {Way{Format::Directory, "gzip:1"}, Way{Format::Custom, "none"}}) {
        source.checkRestored(way, source.dump(way), 15, {"-j", "2"});
    }
    for (const Way& way : {Way{Format::Tar, "none"}, Way{Format::Plain, "none"}}) {
        source.checkRestored(way, source.dump(way), 15);
    }
}

TEST_CASE("what a dump of any format and codec restores is what was dumped, by any version",
          "[dump][.wide]") {
    Source source(true);
    for (const auto* ways : {&kArchives, &kScripts}) {
        for (const Way& way : *ways) {
            const fs::path path = source.dump(way);
            for (const int major : {15, 16, 17, 18}) {
                const bool parallel = way.format == Format::Directory ||
                                      (way.format == Format::Custom && major % 2 == 0);
                source.checkRestored(
                    way, path, major,
                    parallel ? std::vector<std::string>{"-j", "2"} : std::vector<std::string>{});
            }
            fs::remove_all(path);
        }
    }
}
