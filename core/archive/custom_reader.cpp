// SPDX-License-Identifier: PostgreSQL
#include "core/archive/custom_reader.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>

#include "core/archive/file_source.h"
#include "core/base/buffer.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr uint8_t kDataBlock = 1;
constexpr uint8_t kLargeObjectsBlock = 3;
constexpr int kLargestInt = 32;

/// Reads block headers at a position that it moves.
class BlockCursor {
public:
    BlockCursor(const File& file, int intSize, uint64_t position)
        : file_(file), intSize_(intSize), position_(position) {}

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
    uint64_t skipChain(uint64_t fileSize) {
        uint64_t bytes = 0;
        while (const uint32_t length = number()) {
            if (length > fileSize - std::min(position_, fileSize)) {
                fail("a block is longer than the rest of the archive");
            }
            skip(length);
            bytes += length;
        }
        return bytes;
    }

private:
    const File& file_;
    int intSize_;
    uint64_t position_;
};

/// The bytes of one chain, block headers taken off.
class ChainSource final : public io::ByteSource {
public:
    ChainSource(std::shared_ptr<const File> file, int intSize, uint64_t position)
        : file_(std::move(file)), cursor_(*file_, intSize, position) {}

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
        Buffer contents;
        contents.resize(toc_.dataStart);
        (void)file_->readAt(0, contents.span());
        findManifest(io::frameChecksum(contents.span()));
        locate();
    }

    std::unique_ptr<io::ByteSource> openCompressed(const DataMember& member) const override {
        return std::make_unique<ChainSource>(file_, toc_.intSize, member.position);
    }

private:
    struct Start {
        uint8_t type = kDataBlock;
        uint64_t position = 0;  ///< behind type and dump id
    };

    void locate() {
        const bool scan =
            std::any_of(toc_.entries.begin(), toc_.entries.end(), [](const TocEntry& entry) {
                return entry.hadDumper && entry.offsetState == TocEntry::Offset::NotSet;
            });
        if (scan) scanBlocks();
        for (const TocEntry& entry : toc_.entries) {
            if (!entry.hadDumper || entry.offsetState == TocEntry::Offset::NoData) continue;
            try {
                const std::optional<Start> start = startOf(entry);
                if (!start) {
                    missing_.push_back(
                        {entry.dumpId, entry.qualifiedName(),
                         scanProblem_.empty() ? "its data is missing" : scanProblem_});
                } else if (start->type == kLargeObjectsBlock) {
                    addLargeObjects(entry, start->position);
                } else {
                    addMember(entry, std::nullopt, start->position);
                }
            } catch (const Error& error) {
                missing_.push_back({entry.dumpId, entry.qualifiedName(), error.info().describe()});
            }
        }
    }

    std::optional<Start> startOf(const TocEntry& entry) const {
        if (entry.offsetState == TocEntry::Offset::NotSet) {
            const auto found = scanned_.find(entry.dumpId);
            if (found == scanned_.end()) return std::nullopt;
            return found->second;
        }
        BlockCursor cursor(*file_, toc_.intSize, entry.offset);
        const std::optional<uint8_t> type = cursor.typeOrEnd();
        if (!type) cursor.fail("its data should begin behind the end of the archive");
        if (*type != kDataBlock && *type != kLargeObjectsBlock) {
            cursor.fail("there is no block where its data should begin");
        }
        if (cursor.number() != static_cast<uint32_t>(entry.dumpId.value)) {
            cursor.fail("another entry's data stands where its data should begin");
        }
        return Start{*type, cursor.position()};
    }

    void scanBlocks() {
        BlockCursor cursor(*file_, toc_.intSize, toc_.dataStart);
        try {
            while (const std::optional<uint8_t> type = cursor.typeOrEnd()) {
                const DumpId id{static_cast<int32_t>(cursor.number())};
                if (*type != kDataBlock && *type != kLargeObjectsBlock) {
                    cursor.fail("unknown kind of block");
                }
                scanned_.emplace(id, Start{*type, cursor.position()});
                if (*type == kDataBlock) {
                    (void)cursor.skipChain(fileSize_);
                } else {
                    while (cursor.number() != 0) (void)cursor.skipChain(fileSize_);
                }
            }
        } catch (const Error& error) {
            scanProblem_ = error.info().describe();
        }
    }

    void addMember(const TocEntry& entry, std::optional<Oid> object, uint64_t position) {
        BlockCursor cursor(*file_, toc_.intSize, position);
        uint64_t size = 0;
        std::string cut;
        try {
            size = cursor.skipChain(fileSize_);
        } catch (const Error& error) {
            cut = error.info().describe();
        }
        if (!cut.empty()) {
            missing_.push_back({entry.dumpId, entry.qualifiedName(), cut});
            return;
        }
        members_.push_back({.entry = entry.dumpId,
                            .largeObject = object,
                            .name = object ? fmt::format("large object {}", object->value)
                                           : fmt::format("entry {} ({})", entry.dumpId.value,
                                                         entry.qualifiedName()),
                            .fileName = {},
                            .position = position,
                            .size = size,
                            .algorithm = toc_.compression.algorithm,
                            .style = toc_.compression.algorithm == io::Algorithm::Gzip
                                         ? io::FrameStyle::ZlibPieces
                                         : io::FrameStyle::Independent});
    }

    void addLargeObjects(const TocEntry& entry, uint64_t position) {
        BlockCursor cursor(*file_, toc_.intSize, position);
        while (const uint32_t oid = cursor.number()) {
            const uint64_t start = cursor.position();
            (void)cursor.skipChain(fileSize_);
            addMember(entry, Oid{oid}, start);
        }
    }

    std::shared_ptr<const File> file_;
    uint64_t fileSize_;
    std::map<DumpId, Start> scanned_;
    std::string scanProblem_;
};

}  // namespace

std::unique_ptr<ArchiveReader> openCustomArchive(const std::filesystem::path& path,
                                                 std::shared_ptr<const File> file) {
    return std::make_unique<CustomReader>(path, std::move(file));
}

}  // namespace gantry::archive
