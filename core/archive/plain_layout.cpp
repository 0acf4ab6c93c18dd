// SPDX-License-Identifier: PostgreSQL
// The plain format: the script that pg_restore would print, rows and large objects in their places.
// Compressed, it is a concatenation of frames, which every decompressor reads as one stream.
#include <fmt/format.h>

#include "core/archive/frame_log.h"
#include "core/archive/single_file_layout.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr int kOpenForWriting = 0x20000;        // INV_WRITE
constexpr std::size_t kObjectPiece = 16 << 10;  // bytes of one lowrite(), as pg_dump has it

/// Turns a large object's bytes into the statements that write them.
class StatementSink : public LargeObjectMember::Sink {
public:
    StatementSink(std::unique_ptr<LargeObjectMember::Sink> inner, bool standardStrings)
        : inner_(std::move(inner)), standardStrings_(standardStrings) {}

    void begin(Oid object) override {
        inner_->begin(object);
        put(fmt::format("SELECT pg_catalog.lo_open('{}', {});\n", object.value, kOpenForWriting));
    }

    void write(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const auto piece = bytes.first(std::min(bytes.size(), kObjectPiece - piece_.size()));
            piece_.append(piece);
            bytes = bytes.subspan(piece.size());
            if (piece_.size() == kObjectPiece) writePiece();
        }
    }

    void end() override {
        if (!piece_.empty()) writePiece();
        put("SELECT pg_catalog.lo_close(0);\n\n");
        inner_->end();
    }

private:
    void writePiece() {
        constexpr std::string_view kDigits = "0123456789abcdef";
        statement_ = "SELECT pg_catalog.lowrite(0, '";
        statement_ += standardStrings_ ? "\\x" : "\\\\x";
        for (const std::byte byte : piece_.span()) {
            const auto value = std::to_integer<std::size_t>(byte);
            statement_ += kDigits[value >> 4];
            statement_ += kDigits[value & 0xF];
        }
        statement_ += "');\n";
        put(statement_);
        piece_.clear();
    }
    void put(std::string_view text) { inner_->write(bytesOf(text)); }

    std::unique_ptr<LargeObjectMember::Sink> inner_;
    bool standardStrings_;
    Buffer piece_;
    std::string statement_;
};

class PlainLayout : public SingleFileLayout {
public:
    explicit PlainLayout(const ArchiveWriter::Options& options)
        : script_(options.script), compression_(options.compression) {}

    io::FrameStyle frameStyle() const override { return io::FrameStyle::Independent; }
    uint64_t writeHead(const Toc&, File&) override { return 0; }

    std::vector<Slot> order(const Toc& toc) override {
        for (const TocEntry& entry : toc.entries) {
            if (entry.description() != "STDSTRINGS") continue;
            standardStrings_ = entry.defn.value_or("").find("'off'") == std::string::npos;
        }
        const auto encoder = io::makeFrameEncoder(compression_, frameStyle());
        Buffer frame;
        std::vector<Slot> slots;
        std::string_view before;  // ends the transaction in which large objects are written
        renderScript(toc, script_, [&](const ScriptPiece& piece) {
            std::string text = std::string(before) + piece.text;
            const TocEntry* entry = piece.dataOf;
            const bool objects = entry != nullptr && isLargeObjects(*entry);
            if (objects) text += "BEGIN;\n\n";
            before = objects ? "COMMIT;\n\n" : "";
            Slot& slot = slots.emplace_back();
            if (entry != nullptr) slot.data = entry->dumpId;
            if (text.empty()) return;
            encoder->encode(bytesOf(text), frame);
            slot.text = textOf(frame.span());
            statements_.update(frame.span());
        });
        return slots;
    }

    std::string beforePiece(uint64_t) const override { return {}; }
    std::string tableTail(uint64_t, uint32_t) const override { return {}; }
    std::string objectHead(Oid, uint64_t) const override { return {}; }
    std::string objectTail(uint64_t, uint32_t) const override { return {}; }
    std::string objectsTail(DumpId, const std::vector<Oid>&) const override { return {}; }
    std::unique_ptr<LargeObjectMember::Sink> wrapSink(
        std::unique_ptr<LargeObjectMember::Sink> inner) const override {
        return std::make_unique<StatementSink>(std::move(inner), standardStrings_);
    }

    /// The checksum is of all that is not members' frames, as it stands in the file.
    uint64_t complete(Toc&, const std::map<DumpId, Place>&,
                      const std::map<DumpId, std::vector<Oid>>&, File&, uint64_t) override {
        return statements_.value();
    }

private:
    ScriptOptions script_;
    io::Compression compression_;
    bool standardStrings_ = true;
    io::Checksum statements_;
};

}  // namespace

std::unique_ptr<SingleFileLayout> makePlainLayout(const ArchiveWriter::Options& options) {
    return std::make_unique<PlainLayout>(options);
}

}  // namespace gantry::archive
