// SPDX-License-Identifier: PostgreSQL
// The tar format byte by byte, and as tar itself reads it.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "core/archive/archive_reader.h"
#include "core/archive/archive_writer.h"
#include "core/archive/tar_header.h"
#include "core/archive/verify.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"
#include "tests/unit/archive/sample_archive.h"
#include "tests/unit/archive/sample_check.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;

namespace {

using Strings = std::vector<std::string>;

constexpr uint64_t kGiB = uint64_t{1} << 30;

void requireTar() {
    if (::access("/bin/tar", X_OK) != 0 && ::access("/usr/bin/tar", X_OK) != 0) {
        SKIP("no tar on this machine");
    }
}

Strings linesOf(std::string_view text) {
    Strings lines;
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    return lines;
}

// The members as they stand, by the headers alone.
Strings membersOf(const std::string& tar) {
    Strings names;
    for (std::size_t at = 0; tar[at] != '\0';) {
        const TarHeader header = parseTarHeader(std::string_view(tar).substr(at, kTarBlock));
        REQUIRE(header.intact);
        names.emplace_back(header.name);
        at += kTarBlock + (header.size + kTarBlock - 1) / kTarBlock * kTarBlock;
    }
    return names;
}

std::string zeros(std::size_t count) { return std::string(count, '\0'); }

}  // namespace

TEST_CASE("a tar header, byte for byte") {
    // Name, mode, user, group, size, time, checksum, type, link, magic, owners, devices, prefix.
    std::string expected = "123.dat" + zeros(93) + "0000600" + zeros(1) + "0000000" + zeros(1) +
                           "0000000" + zeros(1) + "00000001000" + zeros(1) + "15251656400" +
                           zeros(1) + "012134" + zeros(1) + " " + "0" + zeros(100) + "ustar" +
                           zeros(1) + "00" + "postgres" + zeros(24) + "postgres" + zeros(24) +
                           zeros(183);
    REQUIRE(expected.size() == kTarBlock);
    uint64_t sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        sum += static_cast<unsigned char>(i >= 148 && i < 156 ? ' ' : expected[i]);
    }
    expected.replace(148, 6, fmt::format("{:06o}", sum));
    const bool same = tarHeader("123.dat", 512, 015251656400) == expected;
    CHECK(same);
}

TEST_CASE("sizes up to 8 GiB are octal, from there on in base 256") {
    const auto sizeField = [](uint64_t size) { return tarHeader("a", size, 0).substr(124, 12); };
    CHECK(sizeField(0) == "00000000000" + zeros(1));
    CHECK(sizeField(8 * kGiB - 1) == "77777777777" + zeros(1));
    CHECK(sizeField(8 * kGiB) == "\x80" + zeros(6) + "\x02" + zeros(4));
    CHECK(sizeField(8 * kGiB + 0x1234) == "\x80" + zeros(6) + "\x02" + zeros(2) + "\x12\x34");
    CHECK(sizeField(UINT64_MAX) == "\x80" + zeros(3) + std::string(8, '\xFF'));
    for (const uint64_t size : {uint64_t{0}, uint64_t{1}, 8 * kGiB - 1, 8 * kGiB, 5000 * kGiB}) {
        const std::string block = tarHeader("blob_4294967295.dat", size, 1'700'000'000);
        const TarHeader header = parseTarHeader(block);
        CHECK(header.name == "blob_4294967295.dat");
        CHECK(header.size == size);
        CHECK(header.intact);
    }
}

TEST_CASE("a flipped bit in a tar header does not go unseen") {
    const std::string block = tarHeader("123.dat", 4711, 1'700'000'000);
    for (std::size_t at = 0; at < block.size(); ++at) {
        CAPTURE(at);
        std::string damaged = block;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        // The last two bytes of the checksum field only end it.
        CHECK(parseTarHeader(damaged).intact == (at == 154 || at == 155));
    }
}

TEST_CASE("tar tells the members of a huge archive apart") {
    requireTar();
    const TemporaryFolder folder;
    File file = File::create(folder / "huge.tar");
    constexpr uint64_t kHuge = 9 * kGiB;
    file.writeAt(0, bytesOf(tarHeader("1.dat", kHuge, 0)));
    file.writeAt(kTarBlock + kHuge, bytesOf(tarHeader("2.dat", 3, 0) + "abc"));
    try {
        file.truncate(kHuge + 5 * kTarBlock);  // a hole: it takes no space
    } catch (const Error&) {
        SKIP("this file system has no files of 9 GiB");
    }
    const Strings lines =
        linesOf(runToolOk({"tar", "tvf", (folder / "huge.tar").string(), "--utc"}));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "-rw------- postgres/postgres 9663676416 1970-01-01 00:00 1.dat");
    CHECK(lines[1] == "-rw------- postgres/postgres          3 1970-01-01 00:00 2.dat");
}

TEST_CASE("a tar's members stand in the order of the contents") {
    const TemporaryFolder folder;
    const Sample sample = makeSmallSample(16);
    writeSample(writerOptions(Format::Tar, folder / "a", "none"), sample, 16);
    const std::string tar = readFile(folder / "a");
    const Strings expected = {"toc.dat",       "500.dat",       "501.dat",       "502.dat",
                              "blob_7001.dat", "blob_7002.dat", "blobs_900.toc", "blob_7003.dat",
                              "blobs_901.toc", "restore.sql"};
    Strings members = membersOf(tar);
    CHECK(members == expected);
    CHECK(tar.size() % kTarBlock == 0);
    CHECK(tar.ends_with(zeros(2 * kTarBlock)));
    requireTar();
    CHECK(linesOf(runToolOk({"tar", "tf", (folder / "a").string()})) == expected);
    const auto extracted = [&](const char* name) {
        return runToolOk({"tar", "xOf", (folder / "a").string(), name});
    };
    CHECK(extracted("500.dat") == "\\.\n\n\n");
    CHECK(extracted("blob_7001.dat") == "");
    CHECK(extracted("blob_7002.dat") == "abc");
    CHECK(extracted("blobs_901.toc") == "7003 blob_7003.dat\n");
}

TEST_CASE("a byte that stands where a tar is empty is found") {
    const TemporaryFolder folder;
    writeSample(writerOptions(Format::Tar, folder / "a", "none"), makeSmallSample(16), 16);
    std::string tar = readFile(folder / "a");
    CHECK_FALSE(openArchive(folder / "a")->strayByte());
    const TarHeader contents = parseTarHeader(tar.substr(0, kTarBlock));
    REQUIRE(contents.size % kTarBlock != 0);
    for (const std::size_t at : {kTarBlock + contents.size, tar.size() - 1}) {
        std::string flipped = tar;
        flipped[at] = '\x01';
        std::ofstream(folder / "a", std::ios::binary) << flipped;
        const auto reader = openArchive(folder / "a");
        CHECK(reader->strayByte() == at);
        const VerifyReport report = verify(*reader, {}, {});
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].offset == at);
    }
}

TEST_CASE("the object that a group is named after stands before the others") {
    // Objects come as their threads finish them; pg_restore overlooks all before the first.
    const TemporaryFolder folder;
    Sample sample;
    sample.objects[900] = {{10, "ten"}, {11, "eleven"}, {12, "twelve"}};
    const auto writer =
        createArchiveWriter(writerOptions(Format::Tar, folder / "a", "none"), nullptr);
    writer->setToc(makeToc(sample, 16));
    const auto objects = writer->openLargeObjects(DumpId{900});
    for (const uint32_t oid : {12U, 11U, 10U}) {
        const auto sink = objects->openSink();
        sink->begin(Oid{oid});
        sink->write(bytesOf(sample.objects[900][oid]));
        sink->end();
    }
    objects->finish();
    writer->finish({});
    CHECK(membersOf(readFile(folder / "a")) == Strings{"toc.dat", "blob_10.dat", "blob_12.dat",
                                                       "blob_11.dat", "blobs_900.toc",
                                                       "restore.sql"});
    CHECK(differencesInArchive(folder / "a", Format::Tar, sample) == Strings{});
}

TEST_CASE("a group without the object that it is named after is still written") {
    const TemporaryFolder folder;
    Sample sample;
    sample.objects[900] = {{10, "ten"}, {11, "eleven"}};
    const auto writer =
        createArchiveWriter(writerOptions(Format::Tar, folder / "a", "none"), nullptr);
    writer->setToc(makeToc(sample, 16));
    const auto objects = writer->openLargeObjects(DumpId{900});
    const auto sink = objects->openSink();
    sink->begin(Oid{11});
    sink->write(bytesOf("eleven"));
    sink->end();
    objects->finish();
    writer->finish({});
    CHECK(membersOf(readFile(folder / "a")) ==
          Strings{"toc.dat", "blob_11.dat", "blobs_900.toc", "restore.sql"});
}

TEST_CASE("a tar has a script for people") {
    const TemporaryFolder folder;
    writeSample(writerOptions(Format::Tar, folder / "a", "none"), makeSmallSample(16), 16);
    const std::string tar = readFile(folder / "a");
    CHECK(tar.find("COPY public.t1 (a, b, c) FROM '$$PATH$$/501.dat';\n") != std::string::npos);
    CHECK(tar.find("FROM stdin;\n\n") == std::string::npos);
}

TEST_CASE("tar takes no compression") {
    const TemporaryFolder folder;
    try {
        createArchiveWriter(writerOptions(Format::Tar, folder / "a", "gzip"), nullptr);
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Usage);
        CHECK(error.info().message == "the tar format takes no compression");
        CHECK(error.info().object == "gzip");
        CHECK(error.info().hint == "Use the custom or directory format, or no compression.");
    }
    CHECK(namesIn(folder.path()) == Strings{});
}
