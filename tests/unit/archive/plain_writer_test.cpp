// SPDX-License-Identifier: PostgreSQL
// Plain dumps, compared with the script that pg_restore prints of the same contents.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cctype>
#include <set>

#include "core/archive/archive_writer.h"
#include "core/archive/restrict_key.h"
#include "core/archive/verify.h"
#include "core/base/file.h"
#include "tests/support/servers.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"
#include "tests/unit/archive/sample_archive.h"
#include "tests/unit/archive/sample_check.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;

namespace {

using Strings = std::vector<std::string>;

// pg_restore writes a key of its own.
std::string withoutRestrict(std::string script) {
    for (const char* command : {"\\restrict ", "\\unrestrict "}) {
        const auto at = script.find(command);
        if (at != std::string::npos) script.erase(at, script.find("\n\n", at) + 2 - at);
    }
    return script;
}

// Where two scripts part, with some of either.
std::string firstDifference(const std::string& ours, const std::string& theirs) {
    const auto [here, there] = std::ranges::mismatch(ours, theirs);
    if (here == ours.end() && there == theirs.end()) return {};
    const auto at = static_cast<std::size_t>(here - ours.begin());
    constexpr std::size_t kShown = 120;
    return fmt::format("byte {}\nours: {}\ntheirs: {}", at, ours.substr(at, kShown),
                       theirs.substr(at, kShown));
}

// One thread and one frame a table: rows and objects are in the order of the sample.
Sample orderedSample(uint8_t minorVersion) {
    Sample sample = makeSmallSample(minorVersion);
    for (auto& table : sample.tables) {
        if (table.size() > 1) table.resize(1);
    }
    return sample;
}

constexpr FeedOptions kInOrder{.threads = 1, .seed = 1, .tocAfter = 1};

}  // namespace

TEST_CASE("a plain dump is what pg_restore prints of a custom archive") {
    const ServerPrograms programs = newestServer();
    const uint8_t minor = programs.major >= 17 ? 16 : 14;
    const bool standardStrings = GENERATE(true, false);
    const char* compression = GENERATE("none", "gzip", "lz4", "zstd");
    CAPTURE(programs.major, standardStrings, compression);
    Sample sample = orderedSample(minor);
    // Objects of several threads come in any order; pg_restore has pieces of its own of large ones.
    for (auto& [entry, objects] : sample.objects) {
        while (objects.size() > 1) objects.erase(objects.begin());
    }
    Toc toc = makeToc(sample, minor);
    for (TocEntry& entry : toc.entries) {
        if (entry.desc == "STDSTRINGS" && !standardStrings) {
            entry.defn = "SET standard_conforming_strings = 'off';\n";
        }
    }
    const TemporaryFolder folder;
    const auto write = [&](Format format, const char* name, const char* codec) {
        auto options = writerOptions(format, folder / name, codec);
        const auto writer = createArchiveWriter(options, nullptr);
        feed(*writer, sample, options.compression, toc, kInOrder);
        writer->finish({});
    };
    write(Format::Custom, "custom", "none");
    write(Format::Plain, "plain", compression);
    const std::string theirs =
        runToolOk({programs.tool("pg_restore").string(), "-f", "-", (folder / "custom").string()});
    CHECK(firstDifference(withoutRestrict(readScript(folder / "plain")), withoutRestrict(theirs)) ==
          "");
}

TEST_CASE("every flipped byte of a plain dump is found") {
    const char* compression = GENERATE("none", "zstd");
    CAPTURE(compression);
    const TemporaryFolder folder;
    writeSample(writerOptions(Format::Plain, folder / "a", compression), orderedSample(16), 16,
                kInOrder);
    const std::string whole = readFile(folder / "a");
    const std::string text = readScript(folder / "a");
    std::filesystem::copy_file(folder / "a.gantry-manifest.json",
                               folder / "b.gantry-manifest.json");
    const auto problemsOf = [&](const std::string& bytes) {
        std::filesystem::remove(folder / "b");
        File::create(folder / "b").writeAt(0, bytesOf(bytes));
        const auto report = verifyScript(folder / "b", {}, {});
        CHECK(report.usedManifest);
        return report.findings.size();
    };
    CHECK(problemsOf(whole) == 0);
    for (std::size_t at = 0; at < whole.size(); at += 5) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 4);
        CAPTURE(at);
        // Some bits of a compressed block can be said in two ways.
        CHECK((problemsOf(damaged) > 0 || readScript(folder / "b") == text));
        CHECK(problemsOf(whole.substr(0, at)) > 0);
    }
}

TEST_CASE("a script with a key begins and ends with it") {
    const TemporaryFolder folder;
    auto options = writerOptions(Format::Plain, folder / "a", "none");
    options.script.restrictKey = "Key4711";
    writeSample(options, orderedSample(16), 16, kInOrder);
    const std::string script = readScript(folder / "a");
    CHECK(script.find("\n\\restrict Key4711\n") < script.find("SET "));
    CHECK(script.ends_with("\n\\unrestrict Key4711\n\n"));
}

TEST_CASE("keys are random, 63 letters and digits") {
    std::set<std::string> keys;
    std::set<char> characters;
    for (int i = 0; i < 200; ++i) {
        const std::string key = randomRestrictKey();
        CHECK(key.size() == 63);
        CHECK(std::ranges::all_of(key, [](unsigned char c) { return std::isalnum(c) != 0; }));
        characters.insert(key.begin(), key.end());
        keys.insert(key);
    }
    CHECK(keys.size() == 200);
    CHECK(characters.size() == 62);
}
