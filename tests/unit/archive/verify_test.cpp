// SPDX-License-Identifier: PostgreSQL
#include "core/archive/verify.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/archive/small_archive.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;

namespace {

using Files = std::map<std::string, std::string>;
using Strings = std::vector<std::string>;

/// "member: problem" or "member: problem @byte", in the order of their text.
Strings findingsOf(const Files& files, Format format, uint32_t threads = 1) {
    TemporaryFolder folder;
    writeArchive(files, format, folder / "archive");
    VerifyOptions options;
    options.threads = threads;
    const VerifyReport report = verify(*openArchive(folder / "archive"), options, {});
    Strings findings;
    for (const Finding& finding : report.findings) {
        findings.push_back(finding.member + ": " + finding.problem +
                           (finding.offset ? fmt::format(" @{}", *finding.offset) : ""));
    }
    std::sort(findings.begin(), findings.end());
    return findings;
}

Files folder(bool manifest = false, const std::string& compression = "none") {
    SmallOptions options;
    options.format = Format::Directory;
    options.compression = compression;
    options.manifest = manifest;
    return smallArchive(options);
}

Files withRows(const std::string& rows) {
    Files files = folder();
    files["11.dat"] = rows;
    return files;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

const Strings kNothing;
const Strings kEndMissing = {
    "11.dat (public.orders): its rows do not end with the end-of-data line: the end is missing"};
const Strings kEndsEarly = {
    "11.dat (public.orders): an end-of-data line stands in the middle of its rows"};

}  // namespace

TEST_CASE("rows must end with the end-of-data line and nothing but") {
    CHECK(findingsOf(withRows("1\ta\n\\.\n\n\n"), Format::Directory) == kNothing);
    CHECK(findingsOf(withRows("\\.\n\n\n"), Format::Directory) == kNothing);
    CHECK(findingsOf(withRows("\n\n\n\\.\n\n\n"), Format::Directory) == kNothing);
    CHECK(findingsOf(withRows("a\\.\n\\\\.\n\\.\n\n\n"), Format::Directory) == kNothing);
    for (const std::string rows : {"", "1\ta\n", "1\ta\n\\.", "1\ta\n\\.\n", "1\ta\n\\.\n\n",
                                   "a\\.\n\n\n", "1\n\\\\.\n\n\n"}) {
        CAPTURE(rows);
        CHECK(findingsOf(withRows(rows), Format::Directory) == kEndMissing);
    }
    for (const std::string rows : {"1\n\\.\n\n\n\n", "1\n\\.\n2\n\\.\n\n\n", "\\.\n2\n\\.\n\n\n",
                                   "1\n\\.\n\n\n2\n\\.\n\n\n", "1\n\\.\n\n\n\\.\n\n\n"}) {
        CAPTURE(rows);
        CHECK(findingsOf(withRows(rows), Format::Directory) == kEndsEarly);
    }
}

TEST_CASE("the end-of-data line is found across the seams of what is read at once") {
    constexpr std::size_t kReadSize = std::size_t{256} << 10;
    for (std::size_t behind = 0; behind <= 12; ++behind) {
        CAPTURE(behind);
        const std::string before = std::string(kReadSize - behind, 'x').replace(10, 1, "\n");
        CHECK(findingsOf(withRows(before + "\n\\.\n\n\n"), Format::Directory) == kNothing);
        CHECK(findingsOf(withRows(before + "\n\\.\n\n\n\n\n\n\nrow\n\\.\n\n\n"),
                         Format::Directory) == kEndsEarly);
        CHECK(findingsOf(withRows(before + "\\.\n\n\n"), Format::Directory) == kEndMissing);
    }
}

TEST_CASE("what the archive lacks is told") {
    Files files = folder();
    files.erase("11.dat");
    files.erase("blob_5002.dat");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): the file is missing",
                  "blob_5002.dat: the file is missing"});
    files = folder(true);
    files.erase("11.dat");
    files.erase("blobs_13.toc");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): the file is missing",
                  "blob_5001.dat: the manifest lists it, the archive lacks it",
                  "blob_5002.dat: the manifest lists it, the archive lacks it",
                  "blobs_13.toc: the list of large objects is missing"});
    files = folder(false, "gzip");
    files["blob_5002.dat.gz"] = "";
    CHECK(findingsOf(files, Format::Directory) == Strings{"blob_5002.dat.gz: the file is empty"});
    // pg_dump may write an empty large object like this.
    files = folder(false, "zstd");
    files["blob_5002.dat.zst"] = "";
    CHECK(findingsOf(files, Format::Directory).empty());
}

TEST_CASE("every difference from the manifest is told") {
    const Files good = folder(true);
    const std::string& manifest = good.at("manifest");
    CHECK(findingsOf(good, Format::Directory) == kNothing);

    Files files = good;
    files["11.dat"] = replaced(good.at("11.dat"), "7\tvalue 7\n", "7\tvalue 8\n");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): frame 1 differs from what was dumped @0"});
    // The size of the first frame is the offset of the second.
    const std::string second = fmt::format("{}", good.at("11.dat").find("21\t"));
    files["11.dat"] = replaced(good.at("11.dat"), "27\tvalue 10\n", "27\tvalue 11\n");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): frame 2 differs from what was dumped @" + second});

    files = good;
    files["manifest"] = replaced(manifest, "\"rows\":30", "\"rows\":31");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): it holds 30 rows, the manifest says 31"});
    files["manifest"] = replaced(manifest, ",20,\"", ",21,\"");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): frame 1 holds 20 rows, the manifest says 21 @0"});
    const std::string raw = fmt::format("{}", good.at("11.dat").size());
    files["manifest"] = replaced(manifest, "\"raw\":" + raw, "\"raw\":1");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): it holds " + raw + " bytes, the manifest says 1"});
    files["manifest"] = replaced(manifest, "[" + second + ",", "[1,");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"11.dat (public.orders): the frames that the manifest lists do not follow each "
                  "other in it"});
    files["manifest"] = replaced(manifest, "{\"dump_id\":12,", "{\"dump_id\":99,");
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"12.dat (public.odd \"name\"\nof two lines): the manifest does not list it",
                  "12.dat: the manifest lists it, the archive lacks it"});
}

TEST_CASE("frames that are missing or too many are told") {
    SmallOptions options;
    options.manifest = true;
    const Files good = smallArchive(options);
    Files files = good;
    // In the custom format frames cannot be told from positions: what they hold must agree.
    const std::string& manifest = good.at("manifest");
    const std::size_t frames = manifest.find("\"frames\":[[");
    const std::size_t end = manifest.find("],[", manifest.find("],[", frames) + 1);
    files["manifest"] = std::string(manifest).erase(end + 1, manifest.find("]]", end) - end);
    CHECK(findingsOf(files, Format::Custom) ==
          Strings{"entry 11 (public.orders): it holds more than the manifest lists"});
    files["manifest"] = replaced(manifest, "]]}", "],[1,2,3,4,\"00\"]]}");
    CHECK(findingsOf(files, Format::Custom) ==
          Strings{"entry 11 (public.orders): it ends early: 3 of 4 frames are there @1"});
    files = good;
    files[""] += "x";
    CHECK(findingsOf(files, Format::Custom) ==
          Strings{fmt::format("archive: it has {} bytes, the manifest says {}", files[""].size(),
                              good.at("").size())});
}

TEST_CASE("a manifest of version 1 tells as much as one of today") {
    SmallOptions options;
    options.format = GENERATE(Format::Directory, Format::Custom, Format::Tar);
    options.manifest = true;
    options.oldManifest = true;
    Files files = smallArchive(options);
    const std::string today = [&options] {
        options.oldManifest = false;
        return smallArchive(options).at("manifest");
    }();
    CHECK(files.at("manifest") != today);
    CHECK(findingsOf(files, options.format) == kNothing);
    std::string& object = files.at(options.format == Format::Directory ? "blob_5001.dat" : "");
    const std::size_t at = object.find("of some bytes");
    REQUIRE(at != std::string::npos);
    object[at] ^= 1;
    const Strings findings = findingsOf(files, options.format);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].find("differs from what was dumped") != std::string::npos);
}

TEST_CASE("a manifest that cannot be used is a finding") {
    Files files = folder(true);
    files["manifest"] = "{";
    const Strings findings = findingsOf(files, Format::Directory);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].starts_with("gantry-manifest.json: "));
    CHECK(findings[0].find("the manifest cannot be read: ") != std::string::npos);
    files = folder(true);
    files["toc.dat"] += "x";
    CHECK(findingsOf(files, Format::Directory) ==
          Strings{"gantry-manifest.json: it was made for other contents than the archive has: one "
                  "of them was changed or replaced"});
}

TEST_CASE("several threads find what one finds, and progress reaches the end") {
    Files files = folder(false, "zstd");
    files["11.dat.zst"].resize(20);
    files["blob_5001.dat.zst"].resize(12);
    const Strings expected = {
        "11.dat.zst (public.orders): the zstd data ends in the middle of a frame @20",
        "blob_5001.dat.zst: the zstd data ends in the middle of a frame @12"};
    CHECK(findingsOf(files, Format::Directory, 1) == expected);
    CHECK(findingsOf(files, Format::Directory, 4) == expected);

    TemporaryFolder place;
    writeArchive(files, Format::Directory, place / "archive");
    const auto reader = openArchive(place / "archive");
    std::vector<uint64_t> steps;
    VerifyOptions options;
    options.threads = 3;
    options.progress = [&](uint64_t done, uint64_t all) {
        CHECK(done <= all);
        steps.push_back(done);
    };
    const VerifyReport report = verify(*reader, options, {});
    CHECK(steps.size() == 4);
    CHECK(std::is_sorted(steps.begin(), steps.end()));
    CHECK(steps.back() == report.compressedBytes);
}

TEST_CASE("a verification that is stopped says so") {
    TemporaryFolder place;
    writeArchive(folder(), Format::Directory, place / "archive");
    const auto reader = openArchive(place / "archive");
    std::stop_source stop;
    stop.request_stop();
    try {
        (void)verify(*reader, {}, stop.get_token());
        FAIL("it went on");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Cancelled);
    }
}
