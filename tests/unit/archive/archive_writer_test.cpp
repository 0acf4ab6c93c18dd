// SPDX-License-Identifier: PostgreSQL
// The contract of every writer: what several threads hand over in any order is found again, by our
// reader and by stock pg_restore.
#include "core/archive/archive_writer.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/archive/archive_reader.h"
#include "core/base/error.h"
#include "tests/support/servers.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"
#include "tests/unit/archive/sample_archive.h"
#include "tests/unit/archive/sample_check.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;
namespace fs = std::filesystem;

namespace {

using Strings = std::vector<std::string>;

// pg_restore's of the machine that read archives of a version and codec, the oldest and the newest.
std::vector<ServerPrograms> pgRestores(ArchiveVersion version, io::Algorithm algorithm,
                                       const fs::path& archive) {
    std::vector<ServerPrograms> fitting;
    for (const ServerPrograms& programs : installedServers()) {
        const int newestMinor = programs.major >= 17 ? 16 : programs.major == 16 ? 15 : 14;
        if (!programs.hasClientTools || version.minor > newestMinor) continue;
        // Of lz4 and zstd it depends on how it was built.
        const bool modern = algorithm == io::Algorithm::Lz4 || algorithm == io::Algorithm::Zstd;
        if (modern) {
            const ToolResult tried = runTool(
                {programs.tool("pg_restore").string(), "-f", "/dev/null", archive.string()});
            if (tried.errors.find("this build does not support compression") != std::string::npos) {
                continue;
            }
        }
        fitting.push_back(programs);
    }
    if (fitting.size() > 2) fitting.erase(fitting.begin() + 1, fitting.end() - 1);
    return fitting;
}

struct Variant {
    const char* compression;
    uint8_t minorVersion;
    double tocAfter;
};

// Version 1.14 becomes 1.15 for the codecs that it does not know.
const std::vector<Variant> kVariants = {
    {"none", 14, 0},  {"none", 16, 0.3}, {"gzip:1", 14, 0.5}, {"gzip", 16, 1},
    {"lz4", 15, 0.3}, {"lz4", 16, 0},    {"zstd:1", 14, 0.5}, {"zstd:1,long", 16, 1},
};

const std::vector<Variant> kUncompressed = {
    {"none", 14, 0}, {"none", 15, 0.5}, {"none", 16, 0.3}, {"none", 16, 1}};

const std::vector<Format> kFormats = {Format::Directory, Format::Custom, Format::Tar,
                                      Format::Plain};

Strings namesFor(Format format) {
    if (format == Format::Directory) return {"archive"};
    return {"archive", "archive.gantry-manifest.json"};
}

uint64_t bytesOnDisk(const fs::path& path) {
    if (!fs::is_directory(path)) return fs::file_size(path);
    uint64_t size = 0;
    for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.path().filename() != "gantry-manifest.json") size += entry.file_size();
    }
    return size;
}

void checkWithStockTools(const fs::path& path, const Sample& sample) {
    const auto reader = openArchive(path);
    const Toc& toc = reader->toc();
    const auto programs = pgRestores(toc.version, toc.compression.algorithm, path);
    if (programs.empty()) {
        SKIP("no pg_restore on this machine reads version 1." << int{toc.version.minor} << " with "
                                                              << io::toString(toc.compression));
    }
    for (const ServerPrograms& each : programs) {
        CAPTURE(each.major);
        const std::string pgRestore = each.tool("pg_restore").string();
        const ToolResult list = runTool({pgRestore, "-l", path.string()});
        CHECK(list.exitCode == 0);
        CHECK(list.errors == "");
        CHECK(list.output.find(" TABLE DATA public t1 owner\n") != std::string::npos);
        const ToolResult script = runTool({pgRestore, "-f", "-", path.string()});
        CHECK(script.exitCode == 0);
        CHECK(script.errors == "");
        CHECK(differencesInScript(script.output, sample) == Strings{});
    }
}

void roundTrip(Format format, const Variant& variant, int threads) {
    CAPTURE(toString(format), variant.compression, int{variant.minorVersion}, threads);
    const Sample sample = makeSample(20, variant.minorVersion);
    const TemporaryFolder folder;
    const fs::path path = folder / "archive";
    FeedOptions feeding;
    feeding.threads = threads;
    feeding.seed = static_cast<unsigned>(threads) + variant.minorVersion;
    feeding.tocAfter = variant.tocAfter;
    const uint64_t size = writeSample(writerOptions(format, path, variant.compression), sample,
                                      variant.minorVersion, feeding);
    CHECK(namesIn(folder.path()) == namesFor(format));
    CHECK(size == bytesOnDisk(path));
    CHECK(differencesInArchive(path, format, sample) == Strings{});
    if (format != Format::Plain) checkWithStockTools(path, sample);
}

}  // namespace

TEST_CASE("a directory that several threads wrote is read by us and by pg_restore") {
    roundTrip(Format::Directory, GENERATE(from_range(kVariants)), 4);
}

TEST_CASE("a custom archive that several threads wrote is read by us and by pg_restore") {
    roundTrip(Format::Custom, GENERATE(from_range(kVariants)), 4);
}

TEST_CASE("a tar archive that several threads wrote is read by us and by pg_restore") {
    roundTrip(Format::Tar, GENERATE(from_range(kUncompressed)), 4);
}

TEST_CASE("a plain dump that several threads wrote holds everything in its place") {
    roundTrip(Format::Plain, GENERATE(from_range(kVariants)), 4);
}

TEST_CASE("an archive that one thread wrote is read by us and by pg_restore") {
    roundTrip(GENERATE(from_range(kFormats)), kVariants[1], 1);
}

TEST_CASE("an archive without any data is whole") {
    const Format format = GENERATE(from_range(kFormats));
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const Sample nothing;
    writeSample(writerOptions(format, folder / "archive", "none"), nothing, 16);
    CHECK(namesIn(folder.path()) == namesFor(format));
    CHECK(differencesInArchive(folder / "archive", format, nothing) == Strings{});
}

TEST_CASE("a table far out of turn waits in the spool, whatever its size") {
    const Format format = GENERATE(Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    // 80 MiB behind a table that is finished last; more than the spool keeps when it is emptied.
    constexpr std::size_t kFrames = 10;
    Sample sample;
    sample.tables.resize(3);
    sample.tables[0] = {{"1\tlate\t\\N"}};
    for (std::size_t f = 0; f < kFrames; ++f) {
        sample.tables[1].push_back({fmt::format("{}\t{}\t", f, std::string(8 << 20, 'a'))});
    }
    sample.tables[2] = {{"2\tsmall\t\\N"}};
    const TemporaryFolder folder;
    const auto options = writerOptions(format, folder / "archive", "none");
    const auto writer = createArchiveWriter(options, nullptr);
    const auto encoder = io::makeFrameEncoder(options.compression, writer->frameStyle());
    const auto put = [&](std::size_t table) {
        const auto member =
            writer->openTable(Oid{Sample::firstRelation + static_cast<uint32_t>(table)});
        for (const auto& rows : sample.tables[table]) {
            EncodedFrame frame = encodeRows(*encoder, rows);
            member->append(frame);
        }
        member->finish(sample.rowsOf(table));
    };
    writer->setToc(makeToc(sample, 14));
    put(1);
    put(0);
    // The spool is empty again; what comes out of turn now starts at its front.
    put(2);
    writer->finish({});
    CHECK(differencesInArchive(folder / "archive", format, sample) == Strings{});
}

TEST_CASE("a member tells its size while it grows") {
    const Format format = GENERATE(from_range(kFormats));
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const auto writer = createArchiveWriter(writerOptions(format, folder / "a", "none"), nullptr);
    const auto member = writer->openTable(Oid{1});
    CHECK(member->compressedSize() == 0);
    const auto encoder = io::makeFrameEncoder({}, writer->frameStyle());
    EncodedFrame frame = encodeRows(*encoder, {"12345"});
    member->append(frame);
    CHECK(member->compressedSize() == 6);
    CHECK(writer->openTable(Oid{1}) == member);
}

TEST_CASE("a folder of many tables needs descriptors only for those being written") {
    const auto descriptors = [] {
        return std::distance(fs::directory_iterator("/dev/fd"), fs::directory_iterator());
    };
    const TemporaryFolder folder;
    const auto options = writerOptions(Format::Directory, folder / "a", "none");
    const auto writer = createArchiveWriter(options, nullptr);
    const auto before = descriptors();
    std::vector<std::shared_ptr<TableMember>> members;
    for (uint32_t table = 1; table <= 50; ++table) members.push_back(writer->openTable(Oid{table}));
    CHECK(descriptors() == before);
    CHECK(namesIn(folder / "a.partial") == Strings{});
    const auto encoder = io::makeFrameEncoder({}, writer->frameStyle());
    EncodedFrame frame = encodeRows(*encoder, {"12345"});
    members[7]->append(frame);
    CHECK(descriptors() == before + 1);
    CHECK(namesIn(folder / "a.partial") == Strings{"oid_8.dat"});
    members[7]->finish(1);
    CHECK(descriptors() == before);
}

TEST_CASE("what does not add up is refused, and nothing of it stays") {
    const Format format = GENERATE(from_range(kFormats));
    CAPTURE(toString(format));
    const Sample sample = makeSmallSample(16);
    const TemporaryFolder folder;
    auto writer = createArchiveWriter(writerOptions(format, folder / "archive", "none"), nullptr);
    const auto encoder = io::makeFrameEncoder({}, writer->frameStyle());
    const auto messageOf = [](const auto& step) -> std::string {
        try {
            step();
            return "accepted";
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Internal);
            return error.what();
        }
    };
    constexpr const char* kHint =
        ". Nothing of this archive is kept. Run it again, and report it if it happens twice.";

    SECTION("fewer rows than the server copied") {
        const auto member = writer->openTable(Oid{20001});
        EncodedFrame frame = encodeRows(*encoder, {"1\t\t", "2\t\t"});
        member->append(frame);
        CHECK(messageOf([&] { member->finish(3); }) ==
              std::string("relation 20001: the server copied 3 rows, the archive got 2") + kHint);
    }
    SECTION("a table of which nothing came") {
        writer->setToc(makeToc(sample, 16));
        CHECK(messageOf([&] { writer->finish({}); }) ==
              std::string("public.t0: its data did not reach the archive") + kHint);
    }
    SECTION("a table that was not finished") {
        writer->setToc(makeToc(sample, 16));
        writer->openTable(Oid{20000});
        CHECK(messageOf([&] { writer->finish({}); }) ==
              std::string("public.t0: its data did not reach the archive") + kHint);
    }
    SECTION("large objects that were not finished") {
        Sample objects;
        objects.objects = sample.objects;
        writer->setToc(makeToc(objects, 16));
        writer->openLargeObjects(DumpId{900})->openSink();
        CHECK(messageOf([&] { writer->finish({}); }) ==
              std::string("7001..7002: its data did not reach the archive") + kHint);
    }
    SECTION("rows of a relation without an entry") {
        feed(*writer, sample, {}, makeToc(sample, 16), {});
        writer->openTable(Oid{4711})->finish(0);
        CHECK(messageOf([&] { writer->finish({}); }).find("no entry in the table of contents") !=
              std::string::npos);
    }
    SECTION("no table of contents") {
        CHECK(messageOf([&] { writer->finish({}); }) == "the archive has no table of contents");
    }
    SECTION("data of a kind that no reader knows") {
        Toc toc = makeToc(sample, 16);
        toc.entries[3].hadDumper = true;
        CHECK(messageOf([&] { writer->setToc(toc); }) ==
              "public.t0: its data is of an unknown kind, TABLE");
    }
    writer.reset();
    CHECK(namesIn(folder.path()) == Strings{});
}

TEST_CASE("a writer that is given up leaves nothing, whenever that is") {
    const Format format = GENERATE(from_range(kFormats));
    const int stage = GENERATE(0, 1, 2, 3);
    CAPTURE(toString(format), stage);
    const Sample sample = makeSmallSample(16);
    const TemporaryFolder folder;
    {
        const auto options = writerOptions(format, folder / "archive", "none");
        const auto writer = createArchiveWriter(options, nullptr);
        CHECK(namesIn(folder.path()) == Strings{"archive.partial"});
        const auto encoder = io::makeFrameEncoder({}, writer->frameStyle());
        if (stage >= 1) {
            EncodedFrame frame = encodeRows(*encoder, {"1\t\t"});
            writer->openTable(Oid{20001})->append(frame);
        }
        if (stage == 2) writer->setToc(makeToc(sample, 16));
        if (stage == 3) {
            writer->discardTable(Oid{20001});
            feed(*writer, sample, {}, makeToc(sample, 16), {});
        }
        CHECK(namesIn(folder.path()) == Strings{"archive.partial"});
    }
    CHECK(namesIn(folder.path()) == Strings{});
}

TEST_CASE("only directory and custom archives of the modern codecs become version 1.15") {
    const Sample sample = makeSmallSample(14);
    const Format format = GENERATE(Format::Directory, Format::Custom);
    for (const auto& [compression, minor] :
         std::map<std::string, int>{{"none", 14}, {"gzip:9", 14}, {"lz4", 15}, {"zstd", 15}}) {
        CAPTURE(toString(format), compression);
        const TemporaryFolder folder;
        writeSample(writerOptions(format, folder / "archive", compression), sample, 14);
        CHECK(int{openArchive(folder / "archive")->toc().version.minor} == minor);
    }
}
