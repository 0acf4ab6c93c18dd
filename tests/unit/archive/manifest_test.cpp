// SPDX-License-Identifier: PostgreSQL
#include "core/archive/manifest.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Manifest sample() {
    Manifest manifest;
    manifest.gantryVersion = "0.1.0";
    manifest.format = Format::Directory;
    manifest.compression = io::parseCompression("zstd:1");
    manifest.serverVersion = "18.1 \"quoted\"\n";
    manifest.pgDumpVersion = "18.1";
    manifest.databaseName = "caf\xC3\xA9";
    manifest.snapshot = "10:10:";
    manifest.lsn = "0/1A2B";
    manifest.startedAt = "2026-01-02T03:04:05Z";
    manifest.finishedAt = "2026-01-02T03:05:05Z";
    manifest.settings = {{"jobs", "4"}, {"chunks", "on"}};
    manifest.archiveSize = 0;
    manifest.tocChecksum = 0xFFEEDDCCBBAA9988u;
    Member table;
    table.dumpId = DumpId{17};
    table.fileName = "17.dat.zst";
    table.rows = 3;
    table.rawSize = 50;
    table.compressedSize = 40;
    table.frames = {{0, 30, 45, 3, 0x1234}, {30, 10, 5, 0, 0xFFFFFFFFFFFFFFFFu}};
    Member object;
    object.dumpId = DumpId{18};
    object.largeObject = Oid{4000000000};
    object.rawSize = 0;
    manifest.members = {table, object};
    return manifest;
}

std::string messageFor(const std::string& text) {
    test::TemporaryFolder folder;
    std::ofstream(folder / "m.json") << text;
    try {
        readManifest(folder / "m.json");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Format);
        CHECK(error.info().object == (folder / "m.json").string());
        return error.info().message;
    }
    return "(accepted)";
}

}  // namespace

TEST_CASE("a manifest reads back as it was written") {
    test::TemporaryFolder folder;
    const Manifest written = sample();
    const std::string text = writeManifest(written);
    std::ofstream(folder / "m.json") << text;
    const Manifest read = readManifest(folder / "m.json");
    CHECK(writeManifest(read) == text);
    CHECK(read.databaseName == written.databaseName);
    CHECK(read.settings == written.settings);
    CHECK(read.tocChecksum == written.tocChecksum);
    REQUIRE(read.members.size() == 2);
    CHECK(read.members[0].fileName == "17.dat.zst");
    REQUIRE(read.members[0].frames.size() == 2);
    CHECK(read.members[0].frames[1].offset == 30);
    CHECK(read.members[0].frames[1].checksum == 0xFFFFFFFFFFFFFFFFu);
    CHECK(read.members[1].frames.empty());
    CHECK(read.members[1].largeObject == Oid{4000000000});
}

TEST_CASE("a manifest holds one member a line") {
    CHECK_THAT(writeManifest(sample()),
               ContainsSubstring("\n{\"dump_id\":17,\"file\":\"17.dat.zst\",\"rows\":3,\"raw\":50,"
                                 "\"compressed\":40,\"frames\":[[0,30,45,3,\"0000000000001234\"],"
                                 "[30,10,5,0,\"ffffffffffffffff\"]]},\n"));
}

TEST_CASE("a large manifest is handed on in pieces") {
    test::TemporaryFolder folder;
    Manifest written = sample();
    written.members.resize(5000, written.members.front());
    std::string text;
    std::size_t pieces = 0;
    writeManifest(written, [&](std::string_view piece) {
        text += piece;
        ++pieces;
    });
    CHECK(pieces > 5);
    std::ofstream(folder / "m.json") << text;
    const Manifest read = readManifest(folder / "m.json");
    CHECK(read.members.size() == 5000);
    CHECK(writeManifest(read) == text);
}

TEST_CASE("a name that is not UTF-8 does not cost the manifest") {
    Manifest manifest = sample();
    manifest.databaseName = "caf\xE9";
    CHECK_THAT(writeManifest(manifest), ContainsSubstring("\"database\":\"caf\xEF\xBF\xBD\""));
}

TEST_CASE("a manifest lies beside its archive") {
    const TemporaryFolder folder;
    std::ofstream(folder / "real.gantry-manifest.json").put('x');
    std::ofstream(folder / "real").put('x');
    std::filesystem::create_symlink("real", folder / "link");
    CHECK(existingManifestPath(folder / "link", Format::Custom) ==
          std::filesystem::canonical(folder / "real.gantry-manifest.json"));
    CHECK(existingManifestPath(folder / "none", Format::Custom) ==
          folder / "none.gantry-manifest.json");
    CHECK(manifestPath("/a/d", Format::Directory) == "/a/d/gantry-manifest.json");
    CHECK(manifestPath("/a/f.dump", Format::Custom) == "/a/f.dump.gantry-manifest.json");
}

TEST_CASE("what is no manifest is refused") {
    CHECK_THAT(messageFor(""), ContainsSubstring("the manifest cannot be read: "));
    CHECK(messageFor("{}") == "the manifest cannot be read: it is no manifest of an archive");
    CHECK(messageFor("[1]") == "the manifest cannot be read: it is no manifest of an archive");
    CHECK(messageFor(R"({"manifest":"gantry","version":0,"members":[]})") ==
          "the manifest cannot be read: version 0 of the manifest is not known, only 1 to 2");
    CHECK(messageFor(R"({"manifest":"gantry","version":3,"members":[]})") ==
          "the manifest cannot be read: version 3 of the manifest is not known, only 1 to 2");
    const std::string head =
        R"({"manifest":"gantry","version":1,"format":"directory","compression":"none")";
    CHECK(messageFor(head + "}") ==
          "the manifest cannot be read: it ends before the list of members");
    CHECK(messageFor(head + R"(,"members":[{"dump_id":-1,"rows":1,"raw":1,"compressed":1}]})") ==
          "the manifest cannot be read: a number is negative, broken or missing");
    CHECK(messageFor(head + R"(,"members":[{"dump_id":4294967296,"rows":1}]})") ==
          "the manifest cannot be read: the number 4294967296 is too large");
    CHECK(messageFor(head + R"(,"members":[{"dump_id":1,"frames":[[1,2,3]]}]})") ==
          "the manifest cannot be read: a frame is not [offset, compressed, raw, rows, "
          "\"checksum\"]");
    CHECK(messageFor(head + R"(,"members":[{"dump_id":1,"frames":[[1,2,3,4,"x"]]}]})") ==
          "the manifest cannot be read: \"x\" is no checksum");
    CHECK(messageFor(head + R"(,"members":[{"dump_id":1}]})") ==
          "the manifest cannot be read: a member has no \"rows\"");
    CHECK(messageFor(std::string(1000000, '[')) ==
          "the manifest cannot be read: it is nested too deeply");
}

TEST_CASE("a manifest cut or changed anywhere is read or refused, never more") {
    const std::string text = writeManifest(sample());
    for (std::size_t length = 0; length + 2 < text.size(); ++length) {
        CAPTURE(length);
        CHECK(messageFor(text.substr(0, length)) != "(accepted)");
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (const char replacement : {'[', '"', '9', '\xFF'}) {
            std::string changed = text;
            changed[at] = replacement;
            messageFor(changed);
        }
    }
}
