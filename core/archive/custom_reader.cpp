// SPDX-License-Identifier: PostgreSQL
#include "core/archive/custom_reader.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>

#include "core/archive/file_source.h"
#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr uint8_t kDataBlock = 1;
constexpr uint8_t kLargeObjectsBlock = 3;
constexpr int kLargestInt = 8;

/// Reads block headers at a position that it moves.
class BlockCursor {
public:
    BlockCursor(const File& file, uint64_t fileSize, int intSize, uint64_t position)
        : file_(file), fileSize_(fileSize), intSize_(intSize), position_(position) {}

    uint64_t position() const { return position_; }

    [[noreturn]] void fail(std::string message) const {
        ErrorInfo info;
        info.kind = ErrorKind::Format;
        info.message = std::move(message);
        info.object = file_.path().string();
        info.byteOffset = position_;
        throw Error(std::move(info));
    }

    std::optional<uint8_t> typeOrEnd() {
        std::byte type{};
        if (position_ >= fileSize_) return std::nullopt;
        if (file_.readAt(position_, std::span(&type, 1)) == 0) return std::nullopt;
        ++position_;
        return std::to_integer<uint8_t>(type);
    }

    uint32_t number() {
        std::array<std::byte, kLargestInt + 1> bytes{};
        const std::size_t size = static_cast<std::size_t>(intSize_) + 1;
        if (file_.readAt(position_, std::span(bytes).first(size)) != size) {
            fail("the archive ends inside a block header");
        }
        if (bytes[0] != std::byte{0}) fail("a block has a negative length");
        uint64_t value = 0;
        for (std::size_t i = size - 1; i >= 1; --i) {
            if (value >> 32 != 0) fail("a block's length is out of range");
            value = (value << 8) | std::to_integer<uint64_t>(bytes[i]);
        }
        if (value > std::numeric_limits<uint32_t>::max()) fail("a block's length is out of range");
        position_ += size;
        return static_cast<uint32_t>(value);
    }

    void skip(uint64_t bytes) { position_ += bytes; }

    /// Moves behind a chain and returns the bytes in its blocks.
    uint64_t skipChain() {
        uint64_t bytes = 0;
        while (const uint32_t length = number()) {
            if (length > fileSize_ - std::min(position_, fileSize_)) {
                fail("a block is longer than the rest of the archive");
            }
            skip(length);
            bytes += length;
        }
        return bytes;
    }

private:
    const File& file_;
    uint64_t fileSize_;
    int intSize_;
    uint64_t position_;
};

/// The bytes of one chain, block headers taken off.
class ChainSource final : public io::ByteSource {
public:
    ChainSource(std::shared_ptr<const File> file, uint64_t fileSize, int intSize, uint64_t position)
        : file_(std::move(file)), cursor_(*file_, fileSize, intSize, position) {}

    std::size_t read(std::span<std::byte> into) override {
        if (ended_) return 0;
        if (left_ == 0) {
            left_ = cursor_.number();
            if (left_ == 0) {
                ended_ = true;
                return 0;
            }
        }
        if (into.size() > left_) into = into.first(static_cast<std::size_t>(left_));
        const std::size_t got = file_->readAt(cursor_.position(), into);
        if (got == 0) cursor_.fail("the archive ends inside a block");
        cursor_.skip(got);
        left_ -= got;
        return got;
    }

private:
    std::shared_ptr<const File> file_;
    BlockCursor cursor_;
    uint64_t left_ = 0;
    bool ended_ = false;
};

class CustomReader final : public ArchiveReader {
public:
    CustomReader(const std::filesystem::path& path, std::shared_ptr<const File> file)
        : file_(std::move(file)), fileSize_(file_->size()) {
        path_ = path;
        FileSource source(file_, 0, fileSize_);
        try {
            toc_ = readToc(source);
        } catch (const Error& error) {
            ErrorInfo info = error.info();
            info.object = path.string();
            throw Error(std::move(info));
        }
        toc_.format = Format::Custom;
        findManifest([this](io::ChecksumKind kind) { return checksumOfContents(kind); });
        locate();
    }

    std::unique_ptr<io::ByteSource> openCompressed(const DataMember& member) const override {
        return std::make_unique<ChainSource>(file_, fileSize_, toc_.intSize, member.position);
    }

private:
    /// The data of a table, or of one large object.
    struct Chain {
        std::optional<Oid> object;
        uint64_t position = 0;  ///< its first block
        uint64_t size = 0;      ///< bytes in its blocks
    };

    uint64_t checksumOfContents(io::ChecksumKind kind) const {
        Buffer contents;
        contents.resize(toc_.dataStart);
        contents.resize(file_->readAt(0, contents.span()));
        return io::checksumOf(contents.span(), kind);
    }

    void locate() {
        const bool scan =
            std::any_of(toc_.entries.begin(), toc_.entries.end(), [](const TocEntry& entry) {
                return entry.hadDumper && entry.offsetState == TocEntry::Offset::NotSet;
            });
        if (scan) scanBlocks();
        for (const TocEntry& entry : toc_.entries) {
            if (!entry.hadDumper) continue;
            if (entry.offsetState == TocEntry::Offset::NoData) {
                addMissing(entry, "its data is missing: the contents say that it has none");
            } else if (entry.offsetState == TocEntry::Offset::Set) {
                addAtOffset(entry);
            } else if (const auto found = scanned_.find(entry.dumpId); found != scanned_.end()) {
                addMembers(entry, found->second);
            } else {
                addMissing(entry, scanProblem_.empty() ? "its data is missing" : scanProblem_);
            }
        }
    }

    void addAtOffset(const TocEntry& entry) {
        std::vector<Chain> chains;
        try {
            BlockCursor cursor(*file_, fileSize_, toc_.intSize, entry.offset);
            const std::optional<uint8_t> type = cursor.typeOrEnd();
            if (!type) cursor.fail("its data should begin behind the end of the archive");
            if (*type != kDataBlock && *type != kLargeObjectsBlock) {
                cursor.fail("there is no block where its data should begin");
            }
            if (cursor.number() != static_cast<uint32_t>(entry.dumpId.value)) {
                cursor.fail("another entry's data stands where its data should begin");
            }
            // Crossed chains would be walked again and again.
            if (walked_ > fileSize_) cursor.fail("the data of several entries overlaps");
            readBlock(cursor, *type, chains);
        } catch (const Error& error) {
            addMissing(entry, error.info().describe());
        }
        addMembers(entry, chains);
    }

    /// Appends what the block holds, as far as it is whole.
    void readBlock(BlockCursor& cursor, uint8_t type, std::vector<Chain>& chains) {
        const uint64_t begin = cursor.position();
        const auto readChain = [&](std::optional<Oid> object) {
            const uint64_t position = cursor.position();
            chains.push_back({object, position, cursor.skipChain()});
        };
        try {
            if (type == kDataBlock) {
                readChain(std::nullopt);
            } else {
                while (const uint32_t oid = cursor.number()) readChain(Oid{oid});
            }
        } catch (const Error&) {
            walked_ += cursor.position() - begin;
            throw;
        }
        walked_ += cursor.position() - begin;
    }

    void scanBlocks() {
        BlockCursor cursor(*file_, fileSize_, toc_.intSize, toc_.dataStart);
        try {
            while (const std::optional<uint8_t> type = cursor.typeOrEnd()) {
                const DumpId id{static_cast<int32_t>(cursor.number())};
                if (*type != kDataBlock && *type != kLargeObjectsBlock) {
                    cursor.fail("unknown kind of block");
                }
                std::vector<Chain> chains;
                readBlock(cursor, *type, chains);
                scanned_.emplace(id, std::move(chains));
            }
        } catch (const Error& error) {
            scanProblem_ = error.info().describe();
        }
        walked_ = 0;
    }

    void addMissing(const TocEntry& entry, std::string problem) {
        missing_.push_back({entry.dumpId, entry.qualifiedName(), std::move(problem)});
    }

    void addMembers(const TocEntry& entry, const std::vector<Chain>& chains) {
        for (const Chain& chain : chains) {
            members_.push_back({.entry = entry.dumpId,
                                .largeObject = chain.object,
                                .name = chain.object
                                            ? fmt::format("large object {}", chain.object->value)
                                            : fmt::format("entry {} ({})", entry.dumpId.value,
                                                          entry.qualifiedName()),
                                .fileName = {},
                                .position = chain.position,
                                .size = chain.size,
                                .algorithm = toc_.compression.algorithm,
                                .style = toc_.compression.algorithm == io::Algorithm::Gzip
                                             ? io::FrameStyle::ZlibPieces
                                             : io::FrameStyle::Independent});
        }
    }

    std::shared_ptr<const File> file_;
    uint64_t fileSize_;
    std::map<DumpId, std::vector<Chain>> scanned_;
    std::string scanProblem_;
    uint64_t walked_ = 0;  ///< bytes passed to find where data ends
};

}  // namespace

std::unique_ptr<ArchiveReader> openCustomArchive(const std::filesystem::path& path,
                                                 std::shared_ptr<const File> file) {
    return std::make_unique<CustomReader>(path, std::move(file));
}

}  // namespace gantry::archive
