// SPDX-License-Identifier: PostgreSQL
#include "core/archive/archive_reader.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/archive/custom_reader.h"
#include "core/archive/directory_reader.h"
#include "core/archive/file_source.h"
#include "core/archive/script_file.h"
#include "core/archive/tar_header.h"
#include "core/archive/tar_reader.h"
#include "core/base/error.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr std::string_view kCustomMark = "PGDMP";
constexpr std::size_t kTarMark = 257;  // "ustar"
constexpr std::size_t kPieceSize = std::size_t{64} << 10;
constexpr uint64_t kAlwaysDecoded = uint64_t{16} << 20;
constexpr uint64_t kBestRatio = 64;
constexpr std::size_t kMostMissing = 100000;
constexpr std::string_view kTooLarge = "it decodes to far more than such a list can have";

/// A decoder together with the compressed stream that it reads from.
class DecodedSource final : public io::ByteSource {
public:
    DecodedSource(std::unique_ptr<io::ByteSource> compressed, const DataMember& member)
        : compressed_(std::move(compressed)),
          decoder_(io::makeDecoder(member.algorithm, *compressed_, member.style)),
          name_(member.name) {}

    std::size_t read(std::span<std::byte> into) override {
        try {
            return decoder_->read(into);
        } catch (const Error& error) {
            if (!error.info().object.empty()) throw;
            ErrorInfo info = error.info();
            info.object = name_;
            throw Error(std::move(info));
        }
    }

private:
    std::unique_ptr<io::ByteSource> compressed_;
    std::unique_ptr<io::ByteSource> decoder_;
    std::string name_;
};

/// Passes bytes on, keeps their checksum, and stops a stream that is longer than can be.
class ContentsSource final : public io::ByteSource {
public:
    ContentsSource(io::ByteSource& source, uint64_t limit) : source_(source), left_(limit) {}

    std::size_t read(std::span<std::byte> into) override {
        const std::size_t got = source_.read(into);
        if (got > left_) throw Error(ErrorKind::Format, std::string(kTooLarge));
        left_ -= got;
        xxh3_.update(into.first(got));
        xxh64_.update(into.first(got));
        return got;
    }

    void readToEnd() {
        std::vector<std::byte> buffer(kPieceSize);
        while (read(buffer) > 0) {
        }
    }
    /// Which of them the manifest has is known later.
    uint64_t checksum(io::ChecksumKind kind) const {
        return kind == io::ChecksumKind::Xxh3 ? xxh3_.value() : xxh64_.value();
    }

private:
    io::ByteSource& source_;
    uint64_t left_;
    io::Checksum xxh3_{io::ChecksumKind::Xxh3};
    io::Checksum xxh64_;
};

}  // namespace

std::unique_ptr<io::ByteSource> ArchiveReader::openData(const DataMember& member) const {
    return std::make_unique<DecodedSource>(openCompressed(member), member);
}

void ArchiveReader::readContents(io::ByteSource& source, uint64_t limit, Format format,
                                 const std::string& name) {
    ContentsSource contents(source, limit);
    try {
        toc_ = readToc(contents);
        contents.readToEnd();
    } catch (const Error& error) {
        ErrorInfo info = error.info();
        info.object = name;
        throw Error(std::move(info));
    }
    toc_.format = format;
    findManifest([&](io::ChecksumKind kind) { return contents.checksum(kind); });
}

std::string ArchiveReader::fileOf(const TocEntry& entry, std::optional<Oid> object,
                                  const std::string& fileName) {
    return object ? fileName : fmt::format("{} ({})", fileName, entry.qualifiedName());
}

void ArchiveReader::findManifest(
    const std::function<uint64_t(io::ChecksumKind)>& checksumOfContents) {
    const std::filesystem::path path = existingManifestPath(path_, toc_.format);
    std::error_code unreadable;
    if (!std::filesystem::exists(path, unreadable) && !unreadable) return;
    try {
        Manifest manifest = readManifest(path);
        if (manifest.tocChecksum == checksumOfContents(manifest.checksums)) {
            manifest_ = std::move(manifest);
        } else {
            manifestProblem_ =
                "it was made for other contents than the archive has: one of them was changed "
                "or replaced";
        }
    } catch (const Error& error) {
        manifestProblem_ = error.info().describe();
    }
}

std::unique_ptr<ArchiveReader> openArchive(const std::filesystem::path& path) {
    std::error_code unreadable;  // which opening it then tells
    if (std::filesystem::is_directory(path, unreadable)) return openDirectoryArchive(path);
    auto file = std::make_shared<const File>(File::openForRead(path));
    std::array<std::byte, kTarBlock> start{};
    const std::size_t got = file->readAt(0, start);
    const std::string_view text = textOf(std::span(start).first(got));
    if (text.starts_with(kCustomMark)) return openCustomArchive(path, std::move(file));
    if (got == kTarBlock && text.substr(kTarMark).starts_with("ustar")) {
        return openTarArchive(path, std::move(file));
    }
    if (isDumpScript(*file)) {
        throw Error(ErrorKind::Format, "a plain SQL script, which has no table of contents",
                    path.string(), "gantryctl restore runs it.");
    }
    throw Error(ErrorKind::Format, "not an archive of pg_dump", path.string(),
                "Archives are folders with a toc.dat, files that begin with PGDMP, and tar files "
                "with a toc.dat.");
}

bool isPlainFileName(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

void forEachLargeObject(std::string_view text, const std::string& name,
                        const std::function<void(Oid, const std::string& fileName)>& use) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        uint32_t oid = 0;
        const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), oid);
        const auto used = static_cast<std::size_t>(stop - line.data());
        if (error != std::errc() || used >= line.size() || line[used] != ' ' ||
            !isPlainFileName(line.substr(used + 1))) {
            throw Error(ErrorKind::Format, "the list of large objects has a line that is none",
                        name);
        }
        use(Oid{oid}, std::string(line.substr(used + 1)));
    }
}

void ArchiveReader::addMissing(MissingMember member) {
    if (missing_.size() >= kMostMissing) {
        throw Error(ErrorKind::Format,
                    fmt::format("more than {} members are missing", kMostMissing), member.name);
    }
    missing_.push_back(std::move(member));
}

void ArchiveReader::addFound(DataMember member, std::size_t files) {
    if (members_.size() >= files) {
        throw Error(ErrorKind::Format, "lists of large objects name more files than there are",
                    member.name);
    }
    members_.push_back(std::move(member));
}

uint64_t largestDecoded(uint64_t compressedSize) {
    return kAlwaysDecoded + kBestRatio * compressedSize;
}

std::string readAll(io::ByteSource& source, uint64_t limit, const std::string& name) {
    std::string text;
    std::vector<std::byte> buffer(kPieceSize);
    while (const std::size_t got = source.read(buffer)) {
        const std::string_view piece = textOf(std::span(buffer).first(got));
        if (piece.find('\0') != std::string_view::npos) {
            throw Error(ErrorKind::Format, "it holds a zero byte, and is no text", name);
        }
        text += piece;
        if (text.size() > limit) throw Error(ErrorKind::Format, std::string(kTooLarge), name);
    }
    return text;
}

}  // namespace gantry::archive
