// SPDX-License-Identifier: PostgreSQL
// The custom format:
//
//   header and entries     as in toc.cpp; the offsets are written over when they are known
//   per table              byte 1 | int dumpId | { int length | bytes }… | int 0
//   per BLOBS entry        byte 3 | int dumpId | { int oid | { int length | bytes }… | int 0 }… |
//   int 0
//
// A block is one frame, since readers of zstd drop what follows a frame's end in the same block.
// With gzip the blocks of a chain are one zlib stream: 78 9c | pieces… | 03 00 and Adler-32.
#include <array>

#include "core/archive/frame_log.h"
#include "core/archive/single_file_layout.h"
#include "core/base/error.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr char kTableBlock = 1;
constexpr char kObjectsBlock = 3;
constexpr std::string_view kZlibHead = "\x78\x9c";
constexpr std::size_t kZlibTail = 6;
constexpr uint64_t kLargestBlock = uint64_t{512} << 20;  // readers allocate a block at once

std::string number(uint64_t value) {
    std::string bytes(5, '\0');  // the sign first: 0 is plus
    for (std::size_t i = 1; i < bytes.size(); ++i, value >>= 8) {
        bytes[i] = static_cast<char>(value & 0xFF);
    }
    return bytes;
}

class CustomLayout : public SingleFileLayout {
public:
    explicit CustomLayout(const io::Compression& compression)
        : zlib_(compression.algorithm == io::Algorithm::Gzip) {}

    io::FrameStyle frameStyle() const override {
        return zlib_ ? io::FrameStyle::ZlibPieces : io::FrameStyle::Independent;
    }
    uint64_t streamOverhead() const override { return zlib_ ? kZlibHead.size() + kZlibTail : 0; }

    uint64_t writeHead(const Toc& toc, File& file) override {
        FileAppender appender(file);
        writeToc(toc, [&](std::string_view piece) { appender.put(piece); });
        headSize_ = appender.position();
        return headSize_;
    }

    std::vector<Slot> order(const Toc& toc) override {
        std::vector<Slot> slots;
        for (const TocEntry& entry : toc.entries) {
            if (!hasData(entry)) continue;
            const auto id = static_cast<uint64_t>(entry.dumpId.value);
            if (isLargeObjects(entry)) {
                slots.push_back({kObjectsBlock + number(id), entry.dumpId});
            } else {
                slots.push_back({kTableBlock + number(id) + chainHead(), entry.dumpId});
            }
        }
        return slots;
    }

    std::string beforePiece(uint64_t size) const override { return number(size); }
    uint64_t largestPiece() const override { return kLargestBlock; }
    std::string tableTail(uint64_t, uint32_t adler) const override { return chainTail(adler); }
    std::string objectHead(Oid object, uint64_t) const override {
        return number(object.value) + chainHead();
    }
    std::string objectTail(uint64_t, uint32_t adler) const override { return chainTail(adler); }
    std::string objectsTail(DumpId, const std::vector<Oid>&) const override { return number(0); }

    uint64_t complete(Toc& toc, const std::map<DumpId, Place>& places,
                      const std::map<DumpId, std::vector<Oid>>&, File& file, uint64_t) override {
        for (TocEntry& entry : toc.entries) {
            const auto found = places.find(entry.dumpId);
            if (found == places.end()) continue;
            entry.offsetState = TocEntry::Offset::Set;
            entry.offset = found->second.begin;
        }
        FileAppender appender(file);
        io::Checksum checksum;
        writeToc(toc, [&](std::string_view piece) {
            checksum.update(bytesOf(piece));
            appender.put(piece);
        });
        if (appender.position() != headSize_) {
            throw Error(ErrorKind::Internal, "the table of contents changed its size",
                        file.path().string());
        }
        return checksum.value();
    }

private:
    std::string chainHead() const {
        return zlib_ ? number(kZlibHead.size()) + std::string(kZlibHead) : std::string();
    }
    std::string chainTail(uint32_t adler) const {
        std::string bytes;
        if (zlib_) {
            bytes = number(kZlibTail);
            bytes += std::string_view("\x03\x00", 2);  // an empty last block of raw deflate
            for (int shift = 24; shift >= 0; shift -= 8) {
                bytes += static_cast<char>((adler >> shift) & 0xFF);
            }
        }
        return bytes + number(0);
    }

    bool zlib_;
    uint64_t headSize_ = 0;
};

}  // namespace

std::unique_ptr<SingleFileLayout> makeCustomLayout(const ArchiveWriter::Options& options) {
    return std::make_unique<CustomLayout>(options.compression);
}

}  // namespace gantry::archive
