// SPDX-License-Identifier: PostgreSQL
#include "core/archive/list.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

#include "tests/support/temporary_folder.h"
#include "tests/unit/archive/small_archive.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;

namespace {

constexpr const char* kEntries =
    "1; 0 0 ENCODING - ENCODING \n"
    "2; 0 0 STDSTRINGS - STDSTRINGS \n"
    "3; 0 0 SEARCHPATH - SEARCHPATH \n"
    "4; 1259 16384 TABLE public orders alice\n"
    "5; 1259 16390 TABLE public odd \"name\" of two lines alice\n";

}  // namespace

TEST_CASE("a list is pg_restore's, with sizes behind the entries") {
    TemporaryFolder folder;
    SmallOptions options;
    writeArchive(smallArchive(options), options.format, folder / "a");
    const auto reader = openArchive(folder / "a");
    CHECK(renderList(*reader, listEntries(*reader)) ==
          ";\n; Archive created at 2024-06-04 03:02:01\n;     dbname: shop\n"
          ";     TOC Entries: 9\n;     Compression: none\n;     Dump Version: 1.16-0\n"
          ";     Format: CUSTOM\n;     Integer: 4 bytes\n;     Offset: 8 bytes\n"
          ";     Dumped from database version: 16.4\n;     Dumped by pg_dump version: 16.4\n"
          ";\n;\n; Selected TOC Entries:\n;\n" +
              std::string(kEntries) +
              "11; 0 16384 TABLE DATA public orders alice ; 337 bytes\n"
              "12; 0 16390 TABLE DATA public odd \"name\" of two lines alice ; 5 bytes\n"
              "13; 0 0 BLOBS - BLOBS  ; 24 bytes, 2 objects\n"
              "14; 0 0 INDEX - orders_id \n");
}

TEST_CASE("a list shows names that control terminals without their power") {
    TemporaryFolder folder;
    SmallOptions options;
    auto files = smallArchive(options);
    std::string& bytes = files.at("");
    const auto replace = [&](std::string_view name, std::string_view other) {  // as long
        for (std::size_t at = 0; (at = bytes.find(name, at)) != std::string::npos;) {
            bytes.replace(at, name.size(), other);
        }
    };
    replace("alice", "a\x1b[2J");
    replace("orders", "or\r\n\xc2\x9b");
    replace("16.4", "6\n7;");
    writeArchive(files, options.format, folder / "a");
    const auto reader = openArchive(folder / "a");
    const std::string text = renderList(*reader, listEntries(*reader));
    CHECK(text.find("\n4; 1259 16384 TABLE public or  ? a?[2J\n") != std::string::npos);
    CHECK(text.find("Dumped from database version: 6 7;\n") != std::string::npos);
    CHECK(text.find("Dumped by pg_dump version: 6 7;\n") != std::string::npos);
}

TEST_CASE("a list tells raw sizes and rows where a manifest does") {
    TemporaryFolder folder;
    SmallOptions options;
    options.format = Format::Directory;
    options.manifest = true;
    writeArchive(smallArchive(options), options.format, folder / "a");
    const auto reader = openArchive(folder / "a");
    const auto entries = listEntries(*reader);
    REQUIRE(entries.size() == 9);
    CHECK(entries[5].rows == 30);
    CHECK(entries[5].rawSize == smallContents().at({kRowsEntry, 0}).size());
    CHECK(entries[5].compressedSize == entries[5].rawSize);
    CHECK(entries[7].largeObjects == 2);
    CHECK_FALSE(entries[7].rows);
    CHECK_FALSE(entries[0].compressedSize);
    const std::string text = renderList(*reader, entries);
    CHECK(text.find(";     Data copied by gantry: 0.1.0, snapshot 10:10:\n") != std::string::npos);
    CHECK(text.find(", 30 rows\n") != std::string::npos);
}
