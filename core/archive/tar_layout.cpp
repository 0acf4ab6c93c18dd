// SPDX-License-Identifier: PostgreSQL
// The tar format (POSIX ustar):
//
//   toc.dat                       header and entries, as in a directory
//   <dumpId>.dat                  per table, in the order of the contents
//   blob_<oid>.dat…, blobs*.toc   per BLOBS entry: its objects, then their list
//   restore.sql                   for people; readers skip it
//   1024 zero bytes
//
// A member is a header block of 512 bytes, the data, and zeros up to the next block. The header of
// a table holds its size, which is known last: it is written over in complete().
#include <fmt/format.h>

#include <charconv>
#include <ctime>

#include "core/archive/frame_log.h"
#include "core/archive/single_file_layout.h"
#include "core/archive/tar_header.h"
#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr std::string_view kStdin = " FROM stdin;\n";

uint64_t paddingOf(uint64_t size) { return (kTarBlock - size % kTarBlock) % kTarBlock; }

std::string padding(uint64_t size) {
    return std::string(static_cast<std::size_t>(paddingOf(size)), '\0');
}

class TarLayout : public SingleFileLayout {
public:
    explicit TarLayout(const ScriptOptions& script)
        : script_(script), modified_(std::time(nullptr)) {}

    io::FrameStyle frameStyle() const override { return io::FrameStyle::Independent; }

    uint64_t writeHead(const Toc& toc, File& file) override {
        io::Checksum checksum;
        uint64_t size = 0;
        writeToc(toc, [&](std::string_view piece) {
            checksum.update(bytesOf(piece));
            size += piece.size();
        });
        checksum_ = checksum.value();
        FileAppender appender(file);
        appender.put(header("toc.dat", size));
        writeToc(toc, [&](std::string_view piece) { appender.put(piece); });
        appender.put(padding(size));
        return appender.position();
    }

    std::vector<Slot> order(const Toc& toc) override {
        std::vector<Slot> slots;
        for (const TocEntry& entry : toc.entries) {
            if (!hasData(entry)) continue;
            if (isLargeObjects(entry)) {
                listNames_[entry.dumpId] = largeObjectListName(toc, entry.dumpId);
                slots.push_back({{}, entry.dumpId});
            } else {
                slots.push_back({{}, entry.dumpId, kTarBlock});
            }
        }
        return slots;
    }

    std::string beforePiece(uint64_t) const override { return {}; }
    std::string tableTail(uint64_t, uint32_t) const override { return {}; }
    uint64_t tablePadding(uint64_t payload) const override { return paddingOf(payload); }
    std::string objectHead(Oid object, uint64_t payload) const override {
        return header(largeObjectFileName(object, io::Algorithm::None), payload);
    }
    std::string objectTail(uint64_t payload, uint32_t) const override { return padding(payload); }
    std::string objectsTail(DumpId entry, const std::vector<Oid>& objects) const override {
        std::string list;
        for (const Oid object : objects) {
            list += fmt::format("{} {}\n", object.value,
                                largeObjectFileName(object, io::Algorithm::None));
        }
        return member(listNames_.at(entry), list);
    }
    // From 17 on pg_restore looks for the first object of a group by the group's name, which begins
    // with its OID, and takes what follows it up to the list: what stood before would be lost.
    std::optional<Oid> firstObject(const TocEntry& entry) const override {
        const std::string_view group = entry.name();
        Oid first;
        const auto end = std::from_chars(group.data(), group.data() + group.size(), first.value);
        return end.ec == std::errc() ? std::optional(first) : std::nullopt;
    }
    std::string memberName(DumpId entry, std::optional<Oid> object) const override {
        return object ? largeObjectFileName(*object, io::Algorithm::None)
                      : tableFileName(entry, io::Algorithm::None);
    }

    uint64_t complete(Toc& toc, const std::map<DumpId, Place>& places,
                      const std::map<DumpId, std::vector<Oid>>&, File& file,
                      uint64_t end) override {
        for (const TocEntry& entry : toc.entries) {
            if (!hasData(entry) || isLargeObjects(entry)) continue;
            const Place& place = places.at(entry.dumpId);
            file.writeAt(place.begin, bytesOf(header(*entry.fileName, place.payload)));
        }
        const uint64_t size = writeRestoreScript(toc, file, end + kTarBlock);
        file.writeAt(end, bytesOf(header("restore.sql", size)));
        file.writeAt(end + kTarBlock + size,
                     bytesOf(padding(size) + std::string(2 * kTarBlock, '\0')));
        return checksum_;
    }

private:
    std::string header(const std::string& name, uint64_t size) const {
        return tarHeader(name, size, modified_);
    }
    std::string member(const std::string& name, std::string_view content) const {
        return header(name, content.size()).append(content).append(padding(content.size()));
    }

    /// Returns its length.
    uint64_t writeRestoreScript(const Toc& toc, File& file, uint64_t position) const {
        FileAppender appender(file, position);
        appender.put(
            "-- To run this script with psql, unpack the archive and put the folder's path in the\n"
            "-- place of every $$PATH$$. Large objects are not restored by it.\n\n");
        renderScript(toc, script_, [&](const ScriptPiece& piece) {
            std::string_view text = piece.text;
            if (piece.dataOf == nullptr || !text.ends_with(kStdin)) return appender.put(text);
            text.remove_suffix(kStdin.size());
            appender.put(fmt::format("{} FROM '$$PATH$$/{}';\n\n\n", text,
                                     tableFileName(piece.dataOf->dumpId, io::Algorithm::None)));
        });
        return appender.position() - position;
    }

    ScriptOptions script_;
    std::time_t modified_;
    uint64_t checksum_ = 0;
    std::map<DumpId, std::string> listNames_;
};

}  // namespace

std::unique_ptr<SingleFileLayout> makeTarLayout(const ArchiveWriter::Options& options) {
    return std::make_unique<TarLayout>(options.script);
}

}  // namespace gantry::archive
