// SPDX-License-Identifier: PostgreSQL
// Writers on disks that are full or broken: an error that says so, nothing that looks like an
// archive, and no name before everything is on disk.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cerrno>

#include "core/archive/archive_writer.h"
#include "core/base/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/archive/file_calls.h"
#include "tests/unit/archive/sample_archive.h"
#include "tests/unit/archive/sample_check.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;
namespace fs = std::filesystem;

namespace {

using Strings = std::vector<std::string>;
using Kind = FileCalls::Kind;

// A small one that still has all kinds of writes: of text, of rows, and copies out of the spool.
Sample faultSample() {
    Sample sample = makeSmallSample(16);
    sample.tables.push_back({{std::string(100'000, 'z') + "\t\t"}});
    return sample;
}

ArchiveWriter::Options optionsFor(Format format, const fs::path& path) {
    ArchiveWriter::Options options = writerOptions(format, path, "none");
    options.sync = true;
    return options;
}

std::optional<ErrorInfo> failureOf(const ArchiveWriter::Options& options, const Sample& sample,
                                   const FeedOptions& feeding) {
    try {
        writeSample(options, sample, 16, feeding);
    } catch (const Error& error) {
        return error.info();
    }
    return std::nullopt;
}

// Which of the calls fails does not depend on chance: one thread, and the contents after the data.
constexpr FeedOptions kOneThread{.threads = 1, .seed = 1, .tocAfter = 0.5};

std::size_t callsOf(Kind kind, const ArchiveWriter::Options& options, const Sample& sample) {
    const FileCalls watched;
    writeSample(options, sample, 16, kOneThread);
    return watched.count(kind);
}

}  // namespace

TEST_CASE("a disk that is full at any moment: an error that says so, and nothing stays") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const Sample sample = faultSample();
    const TemporaryFolder once;
    const std::size_t writes = callsOf(Kind::Write, optionsFor(format, once / "a"), sample);
    REQUIRE(writes > 5);
    for (std::size_t nth = 0; nth < writes; ++nth) {
        CAPTURE(toString(format), nth);
        const TemporaryFolder folder;
        FileCalls broken;
        broken.failFrom(Kind::Write, nth, ENOSPC);
        const auto failure = failureOf(optionsFor(format, folder / "a"), sample, kOneThread);
        REQUIRE(failure);
        CHECK(failure->kind == ErrorKind::Io);
        CHECK(failure->message == "cannot write: No space left on device");
        CHECK(failure->hint ==
              "Free some space there or choose another destination, then run it again.");
        CHECK(failure->object.starts_with(folder.path().string()));
        CHECK(namesIn(folder.path()) == Strings{});
    }
}

TEST_CASE("a disk that is full under several threads fails all of them, and none waits for ever") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const Sample sample = faultSample();
    for (std::size_t nth = 0; nth < 12; ++nth) {
        CAPTURE(toString(format), nth);
        const TemporaryFolder folder;
        FileCalls broken;
        broken.failFrom(Kind::Write, nth, ENOSPC);
        const auto failure = failureOf(optionsFor(format, folder / "a"), sample, {});
        REQUIRE(failure);
        CHECK(failure->kind == ErrorKind::Io);
        CHECK(namesIn(folder.path()) == Strings{});
    }
}

TEST_CASE("writes that are only half done are done to their end") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const Sample sample = faultSample();
    const TemporaryFolder folder;
    {
        FileCalls slow;
        slow.writeHalf();
        writeSample(optionsFor(format, folder / "a"), sample, 16, {});
    }
    CHECK(differencesInArchive(folder / "a", format, sample) == Strings{});
}

TEST_CASE("a flush that fails leaves nothing without its name being safe") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const Sample sample = faultSample();
    const TemporaryFolder once;
    const std::size_t flushes = callsOf(Kind::Sync, optionsFor(format, once / "a"), sample);
    REQUIRE(flushes >= 2);
    for (std::size_t nth = 0; nth < flushes; ++nth) {
        CAPTURE(toString(format), nth);
        const TemporaryFolder folder;
        FileCalls broken;
        broken.failFrom(Kind::Sync, nth, EIO);
        const auto failure = failureOf(optionsFor(format, folder / "a"), sample, kOneThread);
        REQUIRE(failure);
        CHECK(failure->kind == ErrorKind::Io);
        CHECK(failure->message == "cannot flush to disk: Input/output error");
        if (nth + 1 < flushes) {
            CHECK(namesIn(folder.path()) == Strings{});
        } else {
            // The last one is of the folder: what it names is whole.
            CHECK(differencesInArchive(folder / "a", format, sample) == Strings{});
        }
    }
}

TEST_CASE("an archive that cannot be given its name is not kept") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const Sample sample = faultSample();
    const TemporaryFolder folder;
    FileCalls broken;
    // A directory renames members before: those that were open when the contents came.
    const std::size_t members = format == Format::Directory ? 1 : 0;
    FeedOptions feeding = kOneThread;
    feeding.tocAfter = members > 0 ? 0.2 : 0.5;
    broken.failFrom(Kind::Rename, members, EACCES);
    const auto failure = failureOf(optionsFor(format, folder / "a"), sample, feeding);
    REQUIRE(failure);
    CHECK(failure->kind == ErrorKind::Io);
    CHECK(failure->message == "cannot rename a.partial to: Permission denied");
    CHECK(failure->object == (folder / "a").string());
    CHECK(failure->hint == "Check the permissions of the file and of the folders above it.");
    CHECK(namesIn(folder.path()) == Strings{});
}

TEST_CASE("a manifest that cannot be given its name leaves no draft") {
    const Format format = GENERATE(Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    FileCalls broken;
    broken.failFrom(Kind::Rename, 1, EIO);
    CHECK(failureOf(optionsFor(format, folder / "a"), faultSample(), kOneThread));
    CHECK(namesIn(folder.path()) == Strings{"a"});
}

TEST_CASE("an archive gets its name when all of it is on disk") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const std::string partial = (folder / "a.partial").string();
    const std::string target = (folder / "a").string();
    const FileCalls watched;
    writeSample(optionsFor(format, folder / "a"), faultSample(), 16, {});
    const auto calls = watched.calls();
    const std::size_t named = watched.firstOf(Kind::Rename, target);
    REQUIRE(named < calls.size());
    std::map<std::string, bool> flushed;
    for (std::size_t at = 0; at < named; ++at) {
        if (calls[at].kind == Kind::Write) flushed[calls[at].path] = false;
        if (calls[at].kind == Kind::Sync) flushed[calls[at].path] = true;
    }
    CHECK(flushed[partial]);  // the file, or the folder with the members' names
    for (const auto& [path, isFlushed] : flushed) {
        // Members may have been renamed since; spools have no name.
        if (path.find("(deleted)") != std::string::npos || path.find("/oid_") != path.npos) {
            continue;
        }
        CAPTURE(path);
        CHECK(isFlushed);
    }
    CHECK(watched.lastOf(Kind::Sync, folder.path().string()) == calls.size() - 1);
    for (std::size_t at = named; at < calls.size(); ++at) CHECK(calls[at].kind != Kind::Write);
    if (format == Format::Directory) {
        for (const auto& name : namesIn(folder / "a")) {
            CAPTURE(name);
            CHECK(watched.lastOf(Kind::Sync, partial + "/" + name) < named);
        }
    } else {
        CHECK(watched.firstOf(Kind::Rename, target + ".gantry-manifest.json") > named);
    }
}

TEST_CASE("without sync nothing is flushed") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const FileCalls watched;
    writeSample(writerOptions(format, folder / "a", "none"), faultSample(), 16, {});
    CHECK(watched.count(Kind::Sync) == 0);
}

TEST_CASE("a large directory is flushed with its whole file system") {
    Sample sample;
    sample.tables.resize(250);
    const TemporaryFolder folder;
    const FileCalls watched;
    writeSample(optionsFor(Format::Directory, folder / "a"), sample, 16, {});
    CHECK(watched.count(Kind::Sync) == 2);
    CHECK(watched.firstOf(Kind::Sync, (folder / "a.partial").string()) <
          watched.firstOf(Kind::Rename, (folder / "a").string()));
    CHECK(differencesInArchive(folder / "a", Format::Directory, sample) == Strings{});
}
