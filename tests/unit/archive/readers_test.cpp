// SPDX-License-Identifier: PostgreSQL
// One suite for the readers of every format: whole archives read, all else is told.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fstream>

#include "core/archive/archive_reader.h"
#include "core/archive/verify.h"
#include "core/base/error.h"
#include "tests/support/byte_sources.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/archive/allocation_watch.h"
#include "tests/unit/archive/small_archive.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

const std::vector<SmallOptions>& variants() {
    static const std::vector<SmallOptions> all = {
        {Format::Directory, "none", 16, true, false}, {Format::Directory, "gzip", 14, true, false},
        {Format::Directory, "lz4", 15, true, false},  {Format::Directory, "zstd", 16, true, false},
        {Format::Custom, "none", 12, true, false},    {Format::Custom, "gzip", 14, false, false},
        {Format::Custom, "gzip", 16, true, false},    {Format::Custom, "lz4", 15, false, false},
        {Format::Custom, "zstd", 16, true, false},    {Format::Tar, "none", 13, true, false},
        {Format::Tar, "none", 16, true, false},
    };
    return all;
}

std::string nameOf(const SmallOptions& options) {
    return fmt::format("{} {} 1.{}{}{}", toString(options.format), options.compression,
                       options.minorVersion, options.offsets ? "" : " without offsets",
                       options.manifest ? " with a manifest" : "");
}

using Files = std::map<std::string, std::string>;
using Contents = std::map<std::pair<DumpId, uint32_t>, std::string>;

/// What became of an archive.
struct Outcome {
    std::vector<std::string> problems;
    std::size_t members = 0;
    Contents contents;  ///< of members that decode, if there was no problem

    bool isHarmless() const { return !problems.empty() || contents == smallContents(); }
};

Outcome read(const std::filesystem::path& path) {
    Outcome outcome;
    try {
        const auto reader = openArchive(path);
        outcome.members = reader->members().size();
        const VerifyReport report = verify(*reader, {}, {});
        for (const Finding& finding : report.findings) {
            outcome.problems.push_back(finding.member + ": " + finding.problem);
        }
        if (!outcome.problems.empty()) return outcome;
        for (const DataMember& member : reader->members()) {
            try {
                outcome.contents[{member.entry, member.largeObject.value_or(Oid{}).value}] =
                    readAll(*reader->openData(member));
            } catch (const Error& error) {
                outcome.problems.push_back(error.info().message);
            }
        }
    } catch (const Error& error) {
        CHECK((error.kind() == ErrorKind::Format || error.kind() == ErrorKind::Io));
        outcome.problems.push_back(error.info().message);
    }
    return outcome;
}

/// One archive at one place, one of whose files is changed at a time.
class Workshop {
public:
    explicit Workshop(const SmallOptions& options)
        : files_(smallArchive(options)),
          format_(options.format),
          minorVersion_(options.minorVersion),
          dataStep_(options.compression == "zstd" ? 1 : 5),
          path_(folder_ / "archive") {
        writeArchive(files_, format_, path_);
    }

    const Files& files() const { return files_; }

    /// Where to change a file: at every byte of data, or in other codecs at some; the contents have
    /// tests of their own.
    std::vector<std::size_t> positions(const std::string& name) const {
        constexpr std::size_t kStep = 31;
        const std::string& content = files_.at(name);
        const std::size_t contents = writeToc(smallToc(format_, minorVersion_)).size();
        std::vector<std::size_t> list;
        for (std::size_t at = 0; at < content.size();) {
            list.push_back(at);
            const bool ofData = name != "toc.dat" && (!name.empty() || at >= contents);
            const bool padding = at > 0 && at + 1 < content.size() && content[at - 1] == 0 &&
                                 content[at] == 0 && content[at + 1] == 0;
            at += ofData && !padding ? dataStep_ : kStep;
        }
        return list;
    }

    const std::filesystem::path& path() const { return path_; }

    Outcome with(const std::string& name, std::string_view content) {
        put(name, content);
        const Outcome outcome = read(path_);
        put(name, files_.at(name));
        return outcome;
    }

private:
    void put(const std::string& name, std::string_view content) {
        const bool below = format_ == Format::Directory && name != "manifest";
        const auto file = name == "manifest" ? manifestPath(path_, format_)
                          : below            ? path_ / name
                                             : path_;
        std::ofstream stream(file, std::ios::binary);
        stream << content;
        stream.close();
        REQUIRE(stream);
    }

    TemporaryFolder folder_;
    Files files_;
    Format format_;
    uint8_t minorVersion_;
    std::size_t dataStep_;
    std::filesystem::path path_;
};

std::string problemOf(const Outcome& outcome) {
    return outcome.problems.empty() ? "(none)" : outcome.problems.front();
}

/// A custom archive with other bytes behind its contents.
Outcome readCustom(const Toc& toc, const std::string& data) {
    TemporaryFolder folder;
    std::ofstream(folder / "a", std::ios::binary) << writeToc(toc) << data;
    return read(folder / "a");
}

/// Contents of one table, whose data is at `offset` behind the contents if that is given.
Toc oneTable(std::optional<uint64_t> offset) {
    Toc toc = smallToc(Format::Custom, 16);
    toc.entries = {toc.entries[5]};
    if (offset) {
        const std::size_t behind = writeToc(toc).size();
        toc.entries[0].offsetState = TocEntry::Offset::Set;
        toc.entries[0].offset = behind + *offset;
    }
    return toc;
}

}  // namespace

TEST_CASE("archives of every format, codec and version give back what they hold") {
    SmallOptions options = GENERATE(from_range(variants()));
    options.manifest = GENERATE(false, true);
    CAPTURE(nameOf(options));
    Workshop workshop(options);
    const auto reader = openArchive(workshop.path());
    CHECK(reader->format() == options.format);
    CHECK(reader->missing().empty());
    CHECK(reader->manifest().has_value() == options.manifest);
    CHECK(reader->manifestProblem().empty());
    CHECK(reader->members().size() == 4);
    uint64_t size = 0;
    for (const DataMember& member : reader->members()) {
        size += member.size;
        const auto compressed = reader->openCompressed(member);
        CHECK(readAll(*compressed).size() == member.size);
        // Small portions, and two readers of one archive in turn.
        const auto one = reader->openData(member);
        const auto other = reader->openData(member);
        std::string first = readAll(*one, 3);
        CHECK(first == readAll(*other));
        CHECK(first ==
              smallContents().at({member.entry, member.largeObject.value_or(Oid{}).value}));
    }
    const VerifyReport report = verify(*reader, {}, {});
    for (const Finding& finding : report.findings) FAIL_CHECK(finding.member + finding.problem);
    CHECK(report.usedManifest == options.manifest);
    CHECK(report.members == 4);
    CHECK(report.largeObjects == 2);
    CHECK(report.rows == 30);
    CHECK(report.compressedBytes == size);
}

TEST_CASE("an archive cut anywhere is never taken for a whole one") {
    const SmallOptions options = GENERATE(from_range(variants()));
    CAPTURE(nameOf(options));
    Workshop workshop(options);
    for (const auto& [name, content] : workshop.files()) {
        for (const std::size_t length : workshop.positions(name)) {
            const Outcome outcome =
                workshop.with(name, std::string_view(content).substr(0, length));
            if (outcome.isHarmless()) continue;
            // Only a manifest tells the size of an object that is not compressed.
            const bool bare = options.compression == "none" && name == "blob_5001.dat";
            const bool shorterList = name.starts_with("blobs");
            // What pg_dump writes for an empty object.
            const bool empty =
                length == 0 && (name == "blob_5001.dat.lz4" || name == "blob_5001.dat.zst");
            if (bare || shorterList || empty) continue;
            FAIL_CHECK(fmt::format("{} of {} bytes of {}", length, content.size(), name));
        }
    }
}

TEST_CASE("with a manifest no member of a folder can be cut") {
    SmallOptions options{Format::Directory, "none", 16, true, true};
    options.compression = GENERATE("none", "lz4");
    Workshop workshop(options);
    for (const auto& [name, content] : workshop.files()) {
        if (name == "manifest") continue;
        for (const std::size_t length : workshop.positions(name)) {
            CAPTURE(name, length);
            CHECK(workshop.with(name, std::string_view(content).substr(0, length)).isHarmless());
        }
    }
}

TEST_CASE("an archive with any byte changed holds the same or is told from a whole one") {
    SmallOptions options = GENERATE(from_range(variants()));
    options.manifest = true;
    CAPTURE(nameOf(options));
    Workshop workshop(options);
    for (const auto& [name, content] : workshop.files()) {
        if (name == "manifest") continue;
        for (const std::size_t at : workshop.positions(name)) {
            const int change = at % 2 == 0 ? 0x01 : 0xFF;
            std::string changed = content;
            changed[at] = static_cast<char>(changed[at] ^ change);
            const AllocationWatch watch;
            const Outcome outcome = workshop.with(name, changed);
            const std::size_t peak = watch.peak();
            if (outcome.isHarmless() && peak < 4 * kMegabyte) continue;
            FAIL_CHECK(fmt::format("{} byte {} ^ {}, {} bytes taken", name, at, change, peak));
        }
    }
}

TEST_CASE("a damaged manifest does no harm to what the archive holds") {
    SmallOptions options;
    options.format = GENERATE(Format::Directory, Format::Custom);
    options.manifest = true;
    Workshop workshop(options);
    const std::string& content = workshop.files().at("manifest");
    for (std::size_t at = 0; at < content.size(); at += 5) {
        std::string changed = content;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        CHECK(workshop.with("manifest", changed).members == 4);
    }
}

TEST_CASE("custom archives with impossible blocks are refused") {
    const std::string row = "1\ta\n\\.\n\n\n";
    const auto blockOf = [](int64_t length, const std::string& bytes) {
        return "\1" + archiveInt(11) + archiveInt(length) + bytes;
    };
    const auto whole = static_cast<int64_t>(row.size());
    CHECK(readCustom(oneTable(0), blockOf(whole, row + archiveInt(0))).problems.empty());
    CHECK(readCustom(oneTable({}), blockOf(whole, row + archiveInt(0))).problems.empty());

    const std::size_t begin = writeToc(oneTable(0)).size();
    const auto expect = [&](std::optional<uint64_t> offset, const std::string& data,
                            const std::string& problem, std::size_t at) {
        const AllocationWatch watch;
        const std::string found = problemOf(readCustom(oneTable(offset), data));
        CHECK(watch.peak() < kMegabyte);
        CHECK(found.starts_with("public.orders: /tmp/"));
        CHECK(found.ends_with(fmt::format("/a: {} at byte {}", problem, begin + at)));
    };
    for (const std::optional<uint64_t> offset : {std::optional<uint64_t>(0), {}}) {
        expect(offset, blockOf(0x7FFFFFFF, row), "a block is longer than the rest of the archive",
               11);
        expect(offset, blockOf(-5, row), "a block has a negative length", 6);
        expect(offset, blockOf(whole, row), "the archive ends inside a block header",
               11 + row.size());
    }
    expect({}, "\2" + archiveInt(11), "unknown kind of block", 6);
    expect(0, "\2" + archiveInt(11), "there is no block where its data should begin", 1);
    expect(0, "\1" + archiveInt(12), "another entry's data stands where its data should begin", 6);
    expect(50, blockOf(whole, row), "its data should begin behind the end of the archive", 50);
    Toc far = oneTable(0);
    far.entries[0].offset = UINT64_MAX;
    CHECK(problemOf(readCustom(far, row))
              .ends_with("its data should begin behind the end of the archive at byte "
                         "18446744073709551615"));
    Toc none = oneTable(0);
    none.entries[0].offsetState = TocEntry::Offset::NoData;
    CHECK(problemOf(readCustom(none, blockOf(whole, row + archiveInt(0)))) ==
          "public.orders: its data is missing: the contents say that it has none");
    CHECK(problemOf(readCustom(oneTable({}), "")) == "public.orders: its data is missing");
}

TEST_CASE("a custom archive whose entries share their data is not read again and again") {
    // Every entry's header stands in a block of the one before; all end in one long chain.
    constexpr int kEntries = 400;
    constexpr int kBlocks = 20000;
    Toc toc;
    toc.format = Format::Custom;
    TocEntry entry = smallToc(Format::Custom, 16).entries[5];
    entry.offsetState = TocEntry::Offset::Set;
    for (int id = 1; id <= kEntries; ++id) {
        entry.dumpId = DumpId{id};
        toc.entries.push_back(entry);
    }
    const std::size_t begin = writeToc(toc).size();
    std::string data;
    for (TocEntry& each : toc.entries) {
        each.offset = begin + data.size();
        data += "\1" + archiveInt(each.dumpId.value) + archiveInt(6);
    }
    data += std::string(6, 'x');
    for (int i = 0; i < kBlocks; ++i) data += archiveInt(1) + "x";
    data += archiveInt(0);
    TemporaryFolder folder;
    std::ofstream(folder / "a", std::ios::binary) << writeToc(toc) << data;
    const auto reader = openArchive(folder / "a");
    CHECK(reader->members().size() <= 3);
    REQUIRE(reader->missing().size() >= kEntries - 3);
    CHECK(reader->missing().back().problem.find("the data of several entries overlaps") !=
          std::string::npos);
}

TEST_CASE("tar archives with impossible members are refused") {
    const std::string contents = writeToc(smallToc(Format::Tar, 16));
    const auto problemFor = [](const std::string& bytes) {
        TemporaryFolder folder;
        std::ofstream(folder / "a", std::ios::binary) << bytes;
        const AllocationWatch watch;
        const std::string problem = problemOf(read(folder / "a"));
        CHECK(watch.peak() < kMegabyte);
        return problem;
    };
    const std::string end(1024, '\0');
    CHECK(problemFor(tarMember("other", "x") + end) ==
          "a tar file without toc.dat is no archive of pg_dump");
    CHECK(problemFor(tarMember("toc.dat", contents) + end) ==
          "11.dat (public.orders): the member is missing");
    // A size of base 256 that would wrap around.
    std::string huge = tarMember("toc.dat", contents);
    huge.replace(124, 12, "\x80" + std::string(3, '\0') + std::string(8, '\xFF'));
    unsigned sum = 0;
    huge.replace(148, 8, "        ");
    for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(huge[i]);
    huge.replace(148, 8, fmt::format("{:06o}", sum) + std::string(2, '\0'));
    CHECK(problemFor(huge + end) ==
          "a tar file without toc.dat is no archive of pg_dump (the archive ends inside the member "
          "at byte 512)");
    std::string damaged = tarMember("toc.dat", contents) + tarMember("11.dat", "x");
    damaged[damaged.size() - 1024] = 'y';
    CHECK(problemFor(damaged + end)
              .starts_with("11.dat (public.orders): damaged tar header at byte "));
    CHECK(problemFor(tarMember("toc.dat", "PGDMP") + end) ==
          "the table of contents ends in the middle");
}

TEST_CASE("a folder's names may not lead out of it, nor its lists fill the memory") {
    SmallOptions options;
    options.format = Format::Directory;
    Workshop workshop(options);
    CHECK(problemOf(workshop.with("blobs_13.toc", "5001 ../secret\n"))
              .ends_with("the list of large objects has a line that is none"));
    for (const std::string line :
         {"5001", "x blob.dat", "5001 ", "4294967296 a", "1 /etc/passwd", "1 ..", "-1 a"}) {
        CAPTURE(line);
        CHECK(problemOf(workshop.with("blobs_13.toc", line + "\n"))
                  .find("the list of large objects has a line that is none") != std::string::npos);
    }
    Toc toc = smallToc(Format::Directory, 16);
    toc.entries[5].fileName = "../11.dat";
    CHECK(problemOf(workshop.with("toc.dat", writeToc(toc))) ==
          "../11.dat (public.orders): the name of its file is not acceptable");

    // Contents that decode to far more than they are: a long string in a valid header.
    std::string bomb = writeToc(smallToc(Format::Directory, 16)).substr(0, 12);
    for (int i = 0; i < 7; ++i) bomb += archiveInt(1);
    bomb += archiveInt(int64_t{60} << 20) + std::string(std::size_t{60} << 20, 'x');
    TemporaryFolder folder;
    std::filesystem::create_directory(folder / "a");
    std::ofstream(folder / "a" / "toc.dat.zst", std::ios::binary) << compressed("zstd", bomb);
    bomb = {};
    const AllocationWatch watch;
    CHECK(problemOf(read(folder / "a")) == "it decodes to far more than such a list can have");
    CHECK(watch.peak() < 80 * kMegabyte);
}

TEST_CASE("files with holes, lists that say one thing again and again, and pipes cost nothing") {
    SmallOptions options;
    options.format = Format::Directory;
    options.manifest = true;
    const Workshop workshop(options);
    const std::filesystem::path& archive = workshop.path();
    const auto makeLong = [](const std::filesystem::path& file) {
        std::filesystem::resize_file(file, uint64_t{2} << 30);
    };
    const AllocationWatch watch;
    SECTION("contents") {
        std::string claim = writeToc(smallToc(Format::Directory, 16)).substr(0, 12);
        for (int i = 0; i < 7; ++i) claim += archiveInt(1);
        std::ofstream(archive / "toc.dat", std::ios::binary) << claim << archiveInt(0x7FFFFF00);
        makeLong(archive / "toc.dat");
        CHECK(problemOf(read(archive)) == "a string holds a zero byte");
    }
    SECTION("a list of large objects") {
        std::filesystem::remove(manifestPath(archive, Format::Directory));
        makeLong(archive / "blobs_13.toc");
        CHECK(problemOf(read(archive)).ends_with("it holds a zero byte, and is no text"));
    }
    SECTION("a list that names one object often") {
        const std::string line = workshop.files().at("blobs_13.toc");
        std::ofstream list(archive / "blobs_13.toc");
        for (int i = 0; i < 100000; ++i) list << line;
        list.close();
        CHECK(problemOf(read(archive)).find("more files than there are") != std::string::npos);
    }
    SECTION("a list of objects that are not there") {
        std::ofstream list(archive / "blobs_13.toc");
        for (int i = 1; i < 1000000; ++i) list << i << " a\n";
        list.close();
        const std::vector<std::string> problems = read(archive).problems;
        CHECK(problems.size() < 110000);
        CHECK(std::any_of(problems.begin(), problems.end(), [](const std::string& problem) {
            return problem.find("more than 100000 members are missing") != std::string::npos;
        }));
    }
    SECTION("a manifest") {
        const std::filesystem::path manifest = manifestPath(archive, Format::Directory);
        std::filesystem::resize_file(manifest, uint64_t{1} << 30);
        CHECK(problemOf(read(archive)).find("cannot be read: it holds a zero byte") !=
              std::string::npos);
    }
    SECTION("a pipe for a manifest, which nobody ever writes into") {
        const std::filesystem::path manifest = manifestPath(archive, Format::Directory);
        std::filesystem::remove(manifest);
        REQUIRE(::mkfifo(manifest.c_str(), 0600) == 0);
        CHECK(problemOf(read(archive)).find("cannot be read: it is no file") != std::string::npos);
    }
    CHECK(watch.peak() < 80 * kMegabyte);
}

TEST_CASE("what is no archive is named for what it is") {
    TemporaryFolder folder;
    const auto messageFor = [&](const std::string& content) {
        std::ofstream(folder / "a", std::ios::binary) << content;
        return problemOf(read(folder / "a"));
    };
    CHECK(messageFor("") == "not an archive of pg_dump");
    CHECK(messageFor("hello") == "not an archive of pg_dump");
    CHECK(messageFor("--\n-- PostgreSQL database dump\n--\n\nSET x = 1;\n") ==
          "a plain SQL script, which has no table of contents");
    CHECK(messageFor("PGDMP") == "the table of contents ends in the middle");
    CHECK(problemOf(read(folder / "absent")).starts_with("cannot open"));
    std::filesystem::create_directory(folder / "empty");
    CHECK(problemOf(read(folder / "empty")) == "not an archive: the folder has no toc.dat");
    int pipe[2] = {};
    REQUIRE(::pipe(pipe) == 0);
    CHECK(problemOf(read(fmt::format("/dev/fd/{}", pipe[0]))) ==
          "a pipe, of which no part can be read by itself");
    for (const int end : pipe) ::close(end);
}

TEST_CASE("members that were compressed afterwards are found") {
    SmallOptions options;
    options.format = Format::Directory;
    TemporaryFolder folder;
    Files files = smallArchive(options);
    const std::string rows = files.at("11.dat");
    files["11.dat.zst"] = compressed("zstd", rows);
    files.erase("11.dat");
    files["toc.dat.gz"] = compressed("gzip", files.at("toc.dat"));
    files.erase("toc.dat");
    files["blobs_13.toc.lz4"] = compressed("lz4", files.at("blobs_13.toc"));
    files.erase("blobs_13.toc");
    writeArchive(files, options.format, folder / "a");
    const Outcome outcome = read(folder / "a");
    CHECK(outcome.problems == std::vector<std::string>{});
    CHECK(outcome.contents == smallContents());
}
