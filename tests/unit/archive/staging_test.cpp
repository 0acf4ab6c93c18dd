// SPDX-License-Identifier: PostgreSQL
// What is at the target already, and what another run left there or is writing there.
#include "core/archive/staging.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <csignal>
#include <fstream>

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

void putText(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

Sample otherSample() {
    Sample sample = makeSmallSample(16);
    sample.tables.push_back({{"this\tis\tthe new one"}});
    return sample;
}

ArchiveWriter::Options overwriting(Format format, const fs::path& path) {
    ArchiveWriter::Options options = writerOptions(format, path, "none");
    options.overwrite = true;
    return options;
}

struct Refusal {
    std::string object;
    std::string message;
    std::string hint;
};

Refusal refusalOf(const ArchiveWriter::Options& options) {
    try {
        createArchiveWriter(options, nullptr);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Preflight);
        return {error.info().object, error.info().message, error.info().hint};
    }
    return {"", "accepted", ""};
}

// Leaves what a run leaves that is killed after some data, with or without a table of contents.
void leaveKilledRun(const ArchiveWriter::Options& options, const Sample& sample, bool withToc) {
    const pid_t child = ::fork();
    if (child == 0) {
        const auto writer = createArchiveWriter(options, nullptr);
        if (withToc) {
            feed(*writer, sample, options.compression, makeToc(sample, 16), {.threads = 1});
        } else {
            const auto encoder = io::makeFrameEncoder(options.compression, writer->frameStyle());
            EncodedFrame frame = encodeRows(*encoder, {"1\t\t"});
            writer->openTable(Oid{Sample::firstRelation})->append(frame);
        }
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
}

constexpr const char* kNotAnArchive = "the target exists and is not an archive";
constexpr const char* kReplaceOnly =
    "--overwrite replaces archives only; choose another path or remove it yourself.";

}  // namespace

TEST_CASE("a target that exists is refused, whatever it is") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    SECTION("a file") { putText(path, "text"); }
    SECTION("a folder") {
        fs::create_directory(path);
        if (format == Format::Directory) putText(path / "notes", "text");
    }
    SECTION("an archive") { writeSample(writerOptions(format, path, "none"), Sample(), 16); }
    SECTION("a link that leads nowhere") { fs::create_symlink("nowhere", path); }
    const Strings before = namesIn(folder.path());
    const Refusal refusal = refusalOf(writerOptions(format, path, "none"));
    CHECK(refusal.object == path.string());
    CHECK(refusal.message == "the target exists already");
    CHECK(refusal.hint == "Choose another path, or replace the archive with --overwrite.");
    CHECK(namesIn(folder.path()) == before);
}

TEST_CASE("an empty folder becomes the archive, unless something came to lie in it meanwhile") {
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    fs::create_directory(path);
    SECTION("still empty") {
        const Sample sample = otherSample();
        writeSample(writerOptions(Format::Directory, path, "none"), sample, 16);
        CHECK(differencesInArchive(path, Format::Directory, sample) == Strings{});
        CHECK(namesIn(folder.path()) == Strings{"a"});
    }
    SECTION("no more") {
        const auto writer =
            createArchiveWriter(writerOptions(Format::Directory, path, "none"), nullptr);
        writer->setToc(Toc());
        putText(path / "notes", "text");
        CHECK_THROWS_AS(writer->finish({}), Error);
        CHECK(namesIn(path) == Strings{"notes"});
    }
}

TEST_CASE("overwriting refuses what is not an archive") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    SECTION("text") { putText(path, "my thesis"); }
    SECTION("an empty file") { putText(path, ""); }
    SECTION("another tar") { putText(path, "letter.txt" + std::string(600, '\0')); }
    SECTION("a folder without a table of contents") {
        fs::create_directory(path);
        putText(path / "1.dat", "x");
    }
    SECTION("a link that leads nowhere") { fs::create_symlink("nowhere", path); }
    SECTION("compressed, but no dump") {
        Buffer frame;
        io::makeFrameEncoder(io::parseCompression("gzip"), io::FrameStyle::Independent)
            ->encode(bytesOf("a letter to my mother, a longer one than a script's start"), frame);
        putText(path, std::string(textOf(frame.span())));
    }
    const Refusal refusal = refusalOf(overwriting(format, path));
    CHECK(refusal.object == path.string());
    CHECK(refusal.message == kNotAnArchive);
    CHECK(refusal.hint == kReplaceOnly);
    CHECK(namesIn(folder.path()) == Strings{"a"});
}

TEST_CASE("a script that may be anybody's is replaced by a script only") {
    const char* compression = GENERATE("none", "gzip", "lz4", "zstd");
    CAPTURE(compression);
    const TemporaryFolder folder;
    writeSample(writerOptions(Format::Plain, folder / "a", compression), Sample(), 16);
    fs::remove(manifestPath(folder / "a", Format::Plain));
    CHECK(refusalOf(overwriting(Format::Custom, folder / "a")).message == kNotAnArchive);
    CHECK(refusalOf(overwriting(Format::Plain, folder / "a")).message == "accepted");
}

TEST_CASE("overwriting refuses a folder that holds more than an archive") {
    const Format format = GENERATE(Format::Directory, Format::Custom);
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    writeSample(writerOptions(Format::Directory, path, "none"), makeSmallSample(16), 16);
    std::string stranger;
    SECTION("a file") {
        stranger = "holiday.dat";
        putText(path / stranger, "a picture");
    }
    SECTION("a copy of the contents") {
        stranger = "toc.dat.old";
        putText(path / stranger, "x");
    }
    SECTION("a folder with an archive's name") {
        stranger = "99.dat";
        fs::create_directory(path / stranger);
    }
    SECTION("a link") {
        stranger = "blob_1.dat";
        fs::create_symlink("toc.dat", path / stranger);
    }
    const Refusal refusal = refusalOf(overwriting(format, path));
    CHECK(refusal.object == path.string());
    CHECK(refusal.message == "the target holds an archive, but other files too: " + stranger);
    CHECK(refusal.hint == "--overwrite would delete them; move them away or choose another path.");
}

TEST_CASE("overwriting replaces an archive of any format, its manifest included") {
    const Format before = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const Format after = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const bool plainFileSystem = GENERATE(false, true);
    CAPTURE(toString(before), toString(after), plainFileSystem);
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    writeSample(writerOptions(before, path, "none"), makeSmallSample(16), 16);
    const Sample sample = otherSample();
    {
        FileCalls calls;
        if (plainFileSystem) calls.withoutRenameFlags();
        writeSample(overwriting(after, path), sample, 16);
    }
    CHECK(differencesInArchive(path, after, sample) == Strings{});
    CHECK(namesIn(folder.path()) ==
          (after == Format::Directory ? Strings{"a"} : Strings{"a", "a.gantry-manifest.json"}));
}

TEST_CASE("overwriting follows a link to the archive") {
    const TemporaryFolder folder;
    const Sample sample = otherSample();
    writeSample(writerOptions(Format::Custom, folder / "real", "none"), makeSmallSample(16), 16);
    fs::create_symlink("real", folder / "link");
    writeSample(overwriting(Format::Custom, folder / "link"), sample, 16);
    CHECK(namesIn(folder.path()) == Strings{"link", "real", "real.gantry-manifest.json"});
    CHECK(differencesInArchive(folder / "real", Format::Custom, sample) == Strings{});
}

TEST_CASE("a run that fails with --overwrite leaves the old archive and its manifest") {
    const Format before = GENERATE(Format::Directory, Format::Custom, Format::Tar);
    const Format after = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const bool plainFileSystem = GENERATE(false, true);
    CAPTURE(toString(before), toString(after), plainFileSystem);
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    const Sample sample = makeSmallSample(16);
    writeSample(writerOptions(before, path, "none"), sample, 16);
    const Strings names = namesIn(folder.path());
    std::size_t writes = 0;
    {
        const TemporaryFolder once;
        const FileCalls watched;
        writeSample(writerOptions(after, once / "a", "none"), otherSample(), 16, {.threads = 1});
        writes = watched.count(FileCalls::Kind::Write);
    }
    {
        FileCalls broken;
        if (plainFileSystem) broken.withoutRenameFlags();
        broken.failFrom(FileCalls::Kind::Write, writes - 1, ENOSPC);
        CHECK_THROWS_AS(writeSample(overwriting(after, path), otherSample(), 16, {.threads = 1}),
                        Error);
    }
    CHECK(namesIn(folder.path()) == names);
    CHECK(differencesInArchive(path, before, sample) == Strings{});
    CHECK_THROWS_AS(
        [&] {
            FileCalls broken;
            if (plainFileSystem) broken.withoutRenameFlags();
            broken.failFrom(FileCalls::Kind::Rename, 0, EIO);
            writeSample(overwriting(after, path), otherSample(), 16, {.threads = 1, .tocAfter = 0});
        }(),
        Error);
    CHECK(fs::exists(path));
    CHECK_FALSE(fs::exists(folder / "a.partial"));
    CHECK_FALSE(fs::exists(folder / "a.replaced"));
}

TEST_CASE("what a killed run left behind is removed and told") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const char* compression = format == Format::Tar ? "none" : GENERATE("none", "zstd");
    const bool withToc = GENERATE(false, true);
    CAPTURE(toString(format), compression, withToc);
    const TemporaryFolder folder;
    const Sample sample = makeSmallSample(16);
    const auto options = writerOptions(format, folder / "a", compression);
    leaveKilledRun(options, sample, withToc);
    REQUIRE(namesIn(folder.path()) == Strings{"a.partial"});
    uint64_t bytes = 0;
    std::size_t files = 1;
    if (format == Format::Directory) {
        files = namesIn(folder / "a.partial").size();
        for (const auto& entry : fs::directory_iterator(folder / "a.partial")) {
            bytes += entry.file_size();
        }
    } else {
        bytes = fs::file_size(folder / "a.partial");
    }
    std::optional<std::string> leftover;
    createArchiveWriter(options, &leftover);
    CHECK(leftover == fmt::format("Removed {}, which a run that was killed had left behind ({} "
                                  "bytes in {} {}).",
                                  (folder / "a.partial").string(), bytes, files,
                                  files == 1 ? "file" : "files"));
    CHECK(namesIn(folder.path()) == Strings{});
    // Nothing to tell the next time.
    leftover.reset();
    createArchiveWriter(options, &leftover);
    CHECK_FALSE(leftover);
}

TEST_CASE("an archive that had made way for a new one when the run was killed is found") {
    const Format format = GENERATE(Format::Directory, Format::Custom);
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const Sample sample = makeSmallSample(16);
    leaveKilledRun(writerOptions(format, folder / "a", "none"), sample, true);
    writeSample(writerOptions(format, folder / "a.replaced", "none"), sample, 16);
    fs::remove(manifestPath(folder / "a.replaced", Format::Custom));
    auto next = writerOptions(format, folder / "a", "none");
    std::optional<std::string> leftover;
    SECTION("the name is free") {
        CHECK_THROWS_AS(createArchiveWriter(next, &leftover), Error);
        CHECK(namesIn(folder.path()) == Strings{"a.partial", "a.replaced"});
        next.overwrite = true;
        createArchiveWriter(next, &leftover);
        REQUIRE(leftover);
        CHECK(leftover->find("\"a\" again: a run was killed while it replaced it. Removed ") !=
              std::string::npos);
        CHECK(namesIn(folder.path()) == Strings{"a"});
    }
    SECTION("the new one is there") {
        fs::copy(folder / "a.replaced", folder / "a", fs::copy_options::recursive);
        next.overwrite = true;
        CHECK_THROWS_AS(createArchiveWriter(next, &leftover), Error);
        CHECK(namesIn(folder.path()) == Strings{"a", "a.partial", "a.replaced"});
    }
}

TEST_CASE("a left-over of another format is one too") {
    const TemporaryFolder folder;
    leaveKilledRun(writerOptions(Format::Directory, folder / "a", "none"), makeSmallSample(16),
                   true);
    std::optional<std::string> leftover;
    createArchiveWriter(writerOptions(Format::Custom, folder / "a", "none"), &leftover);
    CHECK(leftover);
    CHECK(namesIn(folder.path()) == Strings{});
}

TEST_CASE("what is in the way and none of ours stays") {
    const Format format = GENERATE(Format::Directory, Format::Custom);
    const TemporaryFolder folder;
    const fs::path partial = folder / "a.partial";
    SECTION("a text") { putText(partial, "half a letter"); }
    SECTION("a folder of letters") {
        fs::create_directory(partial);
        putText(partial / "letter.txt", "x");
    }
    SECTION("a link") {
        putText(folder / "1.dat", "PGDMP");
        fs::create_symlink("1.dat", partial);
    }
    const Strings before = namesIn(folder.path());
    const Refusal refusal = refusalOf(writerOptions(format, folder / "a", "none"));
    CHECK(refusal.object == partial.string());
    CHECK(refusal.message ==
          "it is in the way and does not look like an archive that was being written");
    CHECK(refusal.hint == "Move it away or choose another path, then run it again.");
    CHECK(namesIn(folder.path()) == before);
}

TEST_CASE("a file where the manifest belongs is replaced if it is one") {
    const Format format = GENERATE(Format::Custom, Format::Tar, Format::Plain);
    const bool overwrite = GENERATE(false, true);
    CAPTURE(toString(format), overwrite);
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    const fs::path manifest = manifestPath(path, format);
    auto options = writerOptions(format, path, "none");
    options.overwrite = overwrite;
    SECTION("somebody's file stays") {
        putText(manifest, "addresses");
        const Refusal refusal = refusalOf(options);
        CHECK(refusal.object == manifest.string());
        CHECK(refusal.message == "it is where the archive's manifest belongs, and is none");
        CHECK(namesIn(folder.path()) == Strings{manifest.filename().string()});
    }
    SECTION("that of an archive which has been moved away does not") {
        writeSample(options, makeSmallSample(16), 16);
        fs::remove(path);
        writeSample(options, otherSample(), 16);
        CHECK(differencesInArchive(path, format, otherSample()) == Strings{});
    }
}

TEST_CASE("two runs do not write the same archive") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    const TemporaryFolder folder;
    const auto options = writerOptions(format, folder / "a", "none");
    auto first = createArchiveWriter(options, nullptr);
    const Refusal refusal = refusalOf(options);
    CHECK(refusal.object == (folder / "a").string());
    CHECK(refusal.message == "another run is writing this archive right now");
    CHECK(refusal.hint == "Wait until it ends or choose another path.");
    CHECK(namesIn(folder.path()) == Strings{"a.partial"});
    first.reset();
    CHECK(refusalOf(options).message == "accepted");
}

TEST_CASE("the folder for the archive must be there") {
    const TemporaryFolder folder;
    const Refusal refusal = refusalOf(writerOptions(Format::Custom, folder / "no/such/a", "none"));
    CHECK(refusal.object == (folder / "no/such").string());
    CHECK(refusal.message == "the folder for the archive does not exist");
    CHECK(refusal.hint == "Create it or choose another path.");
}

TEST_CASE("a name too long for those made of it is refused, and not when all has been written") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Tar, Format::Plain);
    CAPTURE(toString(format));
    const TemporaryFolder folder;
    const std::size_t added = format == Format::Directory
                                  ? std::string_view(".partial").size()
                                  : std::string_view(".gantry-manifest.json.partial").size();
    const std::string longest(255 - added, 'x');
    for (const std::size_t more : {std::size_t{1}, added + 1}) {
        const fs::path path = folder / (longest + std::string(more, 'x'));
        const Refusal refusal = refusalOf(writerOptions(format, path, "none"));
        CHECK(refusal.object == path.string());
        CHECK(refusal.message ==
              "the name is too long for what is added to it until the archive is whole");
        CHECK(refusal.hint ==
              fmt::format("Choose one that leaves room for {} more characters.", added));
    }
    CHECK(namesIn(folder.path()).empty());
    writeSample(writerOptions(format, folder / longest, "none"), Sample(), 16);
    CHECK(fs::exists(folder / longest));
}

TEST_CASE("a target that cannot be looked at is refused") {
    const Format format = GENERATE(Format::Directory, Format::Custom);
    const TemporaryFolder folder;
    fs::create_symlink("circle", folder / "circle");  // root may search any folder, but not this
    const Refusal refusal = refusalOf(writerOptions(format, folder / "circle/a", "none"));
    CHECK(refusal.object == (folder / "circle/a").string());
    CHECK(refusal.message == "cannot look there: Too many levels of symbolic links");
    CHECK(refusal.hint == "Check the permissions of the folders above it, or choose another path.");
}

TEST_CASE("a folder's name may end with a slash") {
    const TemporaryFolder folder;
    writeSample(writerOptions(Format::Directory, folder.path() / "a/", "none"), Sample(), 16);
    CHECK(namesIn(folder.path()) == Strings{"a"});
}
