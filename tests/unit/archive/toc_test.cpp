// SPDX-License-Identifier: PostgreSQL
#include "core/archive/toc.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/base/error.h"
#include "tests/support/byte_sources.h"
#include "tests/unit/archive/allocation_watch.h"
#include "tests/unit/archive/small_archive.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

struct TocRefusal {
    std::string message;
    std::optional<uint64_t> offset;
};

/// Reads, and says why not if it cannot; anything but Error{Format} goes through.
std::optional<TocRefusal> refusal(std::string_view bytes, std::size_t portion = 65536) {
    MemorySource source(bytes, portion);
    try {
        (void)readToc(source);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Format);
        return TocRefusal{error.info().message, error.info().byteOffset};
    }
    return std::nullopt;
}

Toc read(std::string_view bytes, Format format, std::size_t portion = 65536) {
    MemorySource source(bytes, portion);
    Toc toc = readToc(source);
    if (format == Format::Directory) toc.format = format;
    return toc;
}

std::string header(int intSize = 4, int offsetSize = 8, uint8_t minor = 16, uint8_t format = 1) {
    std::string text = "PGDMP";
    for (const int byte : {1, int{minor}, 0, intSize, offsetSize, int{format}, 0}) {
        text += static_cast<char>(byte);
    }
    return text;
}

std::string string(std::string_view text, int intSize = 4) {
    return archiveInt(static_cast<int64_t>(text.size()), intSize) + std::string(text);
}

/// A header up to the number of entries.
std::string wholeHeader() {
    std::string text = header();
    for (int i = 0; i < 7; ++i) text += archiveInt(1);
    return text + string("db") + string("18.1") + string("18.1");
}

}  // namespace

TEST_CASE("contents of every version and format read back as they were written") {
    const int minor = GENERATE(range(10, 17));
    const Format format = GENERATE(Format::Custom, Format::Directory, Format::Tar);
    const std::size_t portion = GENERATE(std::size_t{1}, std::size_t{65536});
    CAPTURE(minor, toString(format), portion);
    const Toc written = smallToc(format, static_cast<uint8_t>(minor));
    const std::string bytes = writeToc(written);
    const Toc toc = read(bytes, format, portion);
    CHECK(writeToc(toc) == bytes);
    CHECK(toc.dataStart == bytes.size());
    CHECK(toc.version == ArchiveVersion{1, static_cast<uint8_t>(minor), 0});
    CHECK(toc.format == format);
    CHECK(toc.databaseName == "shop");
    CHECK(toc.created.yearSince1900 == 124);
    CHECK(toc.created.month == 5);
    REQUIRE(toc.entries.size() == 9);
    const TocEntry& table = toc.entries[4];
    CHECK(table.dumpId == DumpId{5});
    CHECK(table.qualifiedName() == "public.odd \"name\"\nof two lines");
    CHECK(table.description() == "TABLE");
    CHECK(table.section == Section::PreData);
    CHECK(table.catalogTableOid == Oid{1259});
    CHECK(table.catalogOid == Oid{16390});
    CHECK(table.owner == "alice");
    CHECK(table.tableAccessMethod ==
          (minor >= 14 ? std::optional<std::string>("heap") : std::nullopt));
    CHECK(table.relkind == (minor >= 16 ? 'r' : 0));
    CHECK(table.copyStmt == std::nullopt);
    CHECK(table.tablespace == "");
    const TocEntry* index = toc.find(DumpId{14});
    REQUIRE(index != nullptr);
    CHECK(index->section == Section::PostData);
    CHECK(index->withOids);
    CHECK(index->dependencies == std::vector{DumpId{4}, DumpId{11}});
    CHECK(toc.find(DumpId{99}) == nullptr);
}

TEST_CASE("large contents are handed on in pieces") {
    Toc toc = smallToc(Format::Directory, 16);
    const TocEntry table = toc.entries[4];
    for (int id = 1000; id < 6000; ++id) {
        toc.entries.push_back(table);
        toc.entries.back().dumpId = DumpId{id};
        toc.entries.back().tag = "t" + std::to_string(id);
    }
    std::string bytes;
    std::size_t pieces = 0;
    std::size_t longest = 0;
    writeToc(toc, [&](std::string_view piece) {
        bytes += piece;
        ++pieces;
        longest = std::max(longest, piece.size());
    });
    CHECK(pieces > 5);
    CHECK(longest < 70'000);
    const Toc again = read(bytes, Format::Directory);
    REQUIRE(again.entries.size() == toc.entries.size());
    CHECK(again.entries.back().tag == "t5999");
    CHECK(again.entries.capacity() < 2 * toc.entries.size());
    CHECK(writeToc(again) == bytes);
}

TEST_CASE("contents have the layout of pg_dump's archiver") {
    Toc toc;
    toc.version.minor = 16;
    toc.format = Format::Custom;
    toc.compression.algorithm = io::Algorithm::Zstd;
    toc.created = {1, 2, 3, 4, 5, 126, -1};
    toc.databaseName = "db";
    TocEntry entry;
    entry.dumpId = DumpId{300};
    entry.hadDumper = true;
    entry.catalogOid = Oid{12};
    entry.tag = "";
    entry.desc = "TABLE DATA";
    entry.section = Section::Data;
    entry.relkind = 'r';
    entry.dependencies = {DumpId{7}};
    entry.offsetState = TocEntry::Offset::Set;
    entry.offset = 0x0102030405060708;
    toc.entries = {entry};

    using namespace std::string_literals;
    const std::string none = "\1\1\0\0\0"s;
    std::string expected = "PGDMP\1\x10\0\4\x8\1\3"s;
    expected += "\0\1\0\0\0\0\2\0\0\0\0\3\0\0\0\0\4\0\0\0\0\5\0\0\0\0\x7e\0\0\0\1\1\0\0\0"s;
    expected += "\0\2\0\0\0db"s + none + none;
    expected += "\0\1\0\0\0"s;                                     // entries
    expected += "\0\x2c\1\0\0\0\1\0\0\0"s;                         // number, has data
    expected += "\0\1\0\0\0"s + "0" + "\0\2\0\0\0"s + "12";        // table OID, OID
    expected += "\0\0\0\0\0"s + "\0\x0a\0\0\0"s + "TABLE DATA";    // tag, desc
    expected += "\0\3\0\0\0"s;                                     // section
    for (int i = 0; i < 6; ++i) expected += none;                  // defn … table AM
    expected += "\0\x72\0\0\0"s + none + "\0\5\0\0\0"s + "false";  // relkind, owner, OIDs
    expected += "\0\1\0\0\0"s + "7" + none;                        // dependencies
    expected += "\2\x08\7\6\5\4\3\2\1"s;                           // offset
    CHECK(writeToc(toc) == expected);
}

TEST_CASE("compression is a level before 1.15 and an algorithm since") {
    Toc toc = smallToc(Format::Custom, 14);
    toc.compression = io::parseCompression("gzip:7");
    CHECK(read(writeToc(toc), Format::Custom).compression == io::parseCompression("gzip:7"));
    toc.compression = io::parseCompression("gzip");
    CHECK(read(writeToc(toc), Format::Custom).compression == io::parseCompression("gzip"));
    toc.version.minor = 15;
    toc.compression = io::parseCompression("lz4");
    CHECK(read(writeToc(toc), Format::Custom).compression == io::parseCompression("lz4"));
}

TEST_CASE("contents cut anywhere are refused where they end") {
    const std::string bytes = writeToc(smallToc(Format::Custom, 16));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CAPTURE(length);
        const auto refused = refusal(std::string_view(bytes).substr(0, length));
        REQUIRE(refused);
        CHECK(refused->message == "the table of contents ends in the middle");
        CHECK(refused->offset == length);
    }
}

TEST_CASE("contents with any byte changed are read or refused, within bounds") {
    const int minor = GENERATE(10, 14, 16);
    const std::string bytes = writeToc(smallToc(Format::Directory, static_cast<uint8_t>(minor)));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int change : {0x01, 0x40, 0x80, 0xFF}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ change);
            const AllocationWatch watch;
            if (refusal(changed)) ++refused;
            CHECK(watch.peak() < kMiB);
        }
    }
    CHECK(refused > bytes.size());
}

TEST_CASE("impossible contents are refused with the reason") {
    const auto messageFor = [](const std::string& bytes) {
        const auto refused = refusal(bytes);
        return refused ? refused->message : "(accepted)";
    };
    CHECK(messageFor("PGDNP" + header().substr(5)) ==
          "not an archive of pg_dump: it lacks the mark PGDMP");
    CHECK(messageFor(header(4, 8, 17)) == "archive version 1.17 is not known; 1.10 to 1.16 are");
    CHECK(messageFor(header(4, 8, 9)) == "archive version 1.9 is not known; 1.10 to 1.16 are");
    CHECK(messageFor(header(3)) == "the sizes of its numbers are impossible");
    CHECK(messageFor(header(9)) == "the sizes of its numbers are impossible");
    CHECK(messageFor(header(4, 0)) == "the sizes of its numbers are impossible");
    CHECK(messageFor(header(4, 9)) == "the sizes of its numbers are impossible");
    CHECK(messageFor(header(4, 8, 16, 2)) == "unknown archive format 2");
    std::string codec = header();
    codec.back() = 4;
    CHECK(messageFor(codec) == "unknown compression 4");
    CHECK(messageFor(header() + "\2") == "the table of contents ends in the middle");
    CHECK(messageFor(header() + std::string("\2\0\0\0\0", 5)) == "a number has an impossible sign");
    CHECK(messageFor(header() + std::string("\0\0\0\0\x80", 5)) == "a number is out of range");
    CHECK(messageFor(header(8) + std::string("\0\0\0\0\0\1\0\0\0", 9)) ==
          "a number is out of range");
    CHECK(messageFor(wholeHeader() + archiveInt(-1)) == "the number of entries is negative");
    CHECK(messageFor(wholeHeader() + archiveInt(1) + archiveInt(0)) ==
          "an entry has an impossible number");
    const std::string begin = wholeHeader() + archiveInt(1) + archiveInt(5) + archiveInt(0);
    CHECK(messageFor(begin + archiveInt(-2)) == "a string has a negative length");
    CHECK(messageFor(begin + string("12x")) == "an object identifier is not a number");
    CHECK(messageFor(begin + string("4294967296")) == "an object identifier is not a number");
    CHECK(messageFor(begin + string("1") + string("1") + string("t") + string("TABLE") +
                     archiveInt(5)) == "an entry has an unknown section");
    Toc toc = smallToc(Format::Custom, 16);
    toc.entries[1].dumpId = DumpId{1};
    CHECK(messageFor(writeToc(toc)) == "two entries have the number 1");
    std::string offset = writeToc(smallToc(Format::Custom, 16));
    offset[offset.size() - 9] = 4;
    CHECK(messageFor(offset) == "a data offset has an unknown flag");
    std::string dependency = writeToc(smallToc(Format::Custom, 16));
    dependency[dependency.rfind("11")] = 'x';
    CHECK(messageFor(dependency) == "a dependency is not a number");
}

TEST_CASE("what contents claim costs nothing before it is there") {
    const std::string longString = header() + std::string(35, '\0') + archiveInt(0x7FFFFFFF);
    const std::string manyEntries = wholeHeader() + archiveInt(0x7FFFFFFF);
    for (const std::string& bytes : {longString, manyEntries}) {
        const AllocationWatch watch;
        const auto refused = refusal(bytes + std::string(1000, '\0'));
        REQUIRE(refused);
        CHECK(watch.peak() < kMiB);
    }
}

TEST_CASE("reading contents takes no byte more than a pipe has to give") {
    /// Ends behind the contents by failing, as a read that would wait.
    class Pipe : public io::ByteSource {
    public:
        explicit Pipe(std::string bytes) : source_(bytes, 100) {}
        std::size_t read(std::span<std::byte> into) override {
            const std::size_t got = source_.read(into);
            if (got == 0) throw std::logic_error("waits for more");
            return got;
        }

    private:
        MemorySource source_;
    } pipe(writeToc(smallToc(Format::Custom, 16)));
    CHECK(readToc(pipe).entries.size() == 9);
}

TEST_CASE("kinds of entries have their section where archives do not say it") {
    CHECK(sectionOf("TABLE") == Section::PreData);
    CHECK(sectionOf("TABLE DATA") == Section::Data);
    CHECK(sectionOf("BLOBS") == Section::Data);
    CHECK(sectionOf("FK CONSTRAINT") == Section::PostData);
    CHECK(sectionOf("COMMENT") == Section::None);
}
