// SPDX-License-Identifier: PostgreSQL
// An archive that goes nowhere: nothing is kept, and rows are counted all the same.
#include "core/archive/nowhere_writer.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/archive/sample_archive.h"

using namespace gantry;
using namespace gantry::archive;
using namespace gantry::test;

TEST_CASE("what goes nowhere has the size of what is kept, but for its table of contents") {
    const Format format = GENERATE(Format::Directory, Format::Custom, Format::Plain);
    CAPTURE(toString(format));
    const Sample sample = makeSample(10, 16);
    const TemporaryFolder folder;
    const uint64_t kept =
        writeSample(writerOptions(Format::Directory, folder / "a", "zstd:1"), sample, 16);
    const uint64_t gone = writeSample(writerOptions(format, "/dev/null", "zstd:1"), sample, 16);
    CHECK(gone < kept);
    CHECK(gone > kept * 9 / 10);
    CHECK(std::filesystem::is_character_file("/dev/null"));
    CHECK_FALSE(std::filesystem::exists("/dev/null.partial"));
}

TEST_CASE("rows that are missing are missed on the way to nowhere too") {
    const auto options = writerOptions(Format::Directory, "/dev/null", "none");
    const auto writer = createArchiveWriter(options, nullptr);
    const auto encoder = io::makeFrameEncoder(options.compression, writer->frameStyle());
    const auto member = writer->openTable(Oid{7});
    EncodedFrame frame = encodeRows(*encoder, {"1", "2"});
    member->append(frame);
    CHECK(member->compressedSize() == 4);
    CHECK_THROWS_AS(member->finish(3), Error);
    CHECK_NOTHROW(member->finish(2));
}
