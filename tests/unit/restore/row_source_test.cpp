// SPDX-License-Identifier: PostgreSQL
// Batches are whole rows, however large a row is and wherever a batch ends within it.
#include "core/restore/row_source.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/archive/small_archive.h"

using namespace gantry;

namespace {

/// Gives out what it holds, as much at a time as is asked for.
class TextBytes final : public io::ByteSource {
public:
    explicit TextBytes(const std::string& text) : text_(text) {}

    std::size_t read(std::span<std::byte> into) override {
        const std::size_t count = std::min(into.size(), text_.size() - at_);
        std::copy_n(std::as_bytes(std::span(text_)).begin() + static_cast<std::ptrdiff_t>(at_),
                    count, into.begin());
        at_ += count;
        return count;
    }

private:
    const std::string& text_;
    std::size_t at_ = 0;
};

/// An archive with one member and no manifest.
class TextArchive final : public archive::ArchiveReader {
public:
    explicit TextArchive(std::string text) : text_(std::move(text)) { members_.emplace_back(); }

    std::unique_ptr<io::ByteSource> openCompressed(const archive::DataMember&) const override {
        return std::make_unique<TextBytes>(text_);
    }

private:
    std::string text_;
};

std::string rowsOf(std::string member) {
    const TextArchive archive(std::move(member));
    const auto rows = restore::openRows(archive, archive.members().front());
    std::string all;
    Buffer batch;
    while (rows->next(batch)) {
        all += textOf(batch.span());
        CHECK(all.ends_with('\n'));
    }
    return all;
}

/// So many bytes, line end included.
std::string rowOf(std::size_t size) { return std::string(size - 1, 'x') + "\n"; }

}  // namespace

TEST_CASE("rows come whole, wherever a batch ends in them or in the end-of-data line") {
    constexpr std::size_t kBatch = std::size_t{1} << 20;
    for (const std::size_t batches : {1U, 2U, 3U}) {
        for (std::size_t size = batches * kBatch - 5; size < batches * kBatch + 3; ++size) {
            INFO(size);
            for (const std::string before : {"", "1\n2\n"}) {
                const std::string rows = before + rowOf(size - before.size());
                CHECK(rowsOf(rows + "\\.\n") == rows);
                CHECK(rowsOf(rows + "3\n\\.\n\n\n") == rows + "3\n");
                CHECK_THROWS_AS(rowsOf(rows), Error);
                CHECK_THROWS_AS(rowsOf(rows + "\\.\n3\n\\.\n"), Error);
            }
        }
    }
    CHECK(rowsOf("\\.\n").empty());
}

TEST_CASE("frames come by the manifest's checksums, of whichever version it is") {
    test::SmallOptions options;
    options.format = archive::Format::Directory;
    options.manifest = true;
    options.oldManifest = GENERATE(false, true);
    const test::TemporaryFolder folder;
    auto files = test::smallArchive(options);
    const auto firstRows = [&](const char* name) {
        test::writeArchive(files, options.format, folder / name);
        const auto reader = archive::openArchive(folder / name);
        REQUIRE(reader->manifest());
        const auto& members = reader->members();
        const auto member =
            std::find_if(members.begin(), members.end(),
                         [](const archive::DataMember& m) { return m.fileName == "11.dat"; });
        REQUIRE(member != members.end());
        Buffer batch;
        (void)restore::openRows(*reader, *member)->next(batch);
        return std::string(textOf(batch.span()));
    };
    const std::string rows = firstRows("whole");
    CHECK(rows.ends_with("\n"));
    CHECK(files.at("11.dat").starts_with(rows));
    files.at("11.dat").front() ^= 1;
    CHECK_THROWS_AS(firstRows("flipped"), Error);
}
