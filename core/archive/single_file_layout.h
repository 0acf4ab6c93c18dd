// SPDX-License-Identifier: PostgreSQL
// What tells the single-file formats apart: the bytes around the data.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/archive/archive_writer.h"
#include "core/base/file.h"

namespace gantry::archive {

/// The bytes that a format puts before, between and behind what members append. Called by the
/// writer; the functions marked so also by several threads at once.
class SingleFileLayout {
public:
    /// Text of the file, then the data of one entry if `data` is set.
    struct Slot {
        std::string text;
        std::optional<DumpId> data;
        uint64_t room = 0;  ///< bytes behind the text that complete() writes
    };
    /// Where an entry came to stand: its prefix begins at `begin`, its members' payload is
    /// `payload` bytes.
    struct Place {
        uint64_t begin = 0;
        uint64_t payload = 0;
    };

    virtual ~SingleFileLayout() = default;

    virtual io::FrameStyle frameStyle() const = 0;
    /// Bytes that a member's compressed stream has besides its frames.
    virtual uint64_t streamOverhead() const { return 0; }
    /// Writes what the file begins with; returns its length, which stays.
    virtual uint64_t writeHead(const Toc& toc, File& file) = 0;
    /// The data entries in the order in which they stand, each with what precedes its data.
    virtual std::vector<Slot> order(const Toc& toc) = 0;

    /// Directly before a piece of `size` bytes. Any thread.
    virtual std::string beforePiece(uint64_t size) const = 0;
    /// Frames larger than this are cut into several pieces.
    virtual uint64_t largestPiece() const { return UINT64_MAX; }
    /// Behind the last frame of a table with `payload` bytes of frames. Any thread.
    virtual std::string tableTail(uint64_t payload, uint32_t adler) const = 0;
    /// Zero bytes behind that. Any thread.
    virtual uint64_t tablePadding(uint64_t) const { return 0; }

    /// Around one large object, around all of an entry. Any thread.
    virtual std::string objectHead(Oid object, uint64_t payload) const = 0;
    virtual std::string objectTail(uint64_t payload, uint32_t adler) const = 0;
    virtual std::string objectsTail(DumpId entry, const std::vector<Oid>& objects) const = 0;
    /// The object of a BLOBS entry that must stand before the others; none if they may come in any
    /// order. Behind setToc() any thread.
    virtual std::optional<Oid> firstObject(const TocEntry&) const { return std::nullopt; }
    /// The sink through which objects go; `inner` unless the format writes something else than the
    /// objects' bytes.
    virtual std::unique_ptr<LargeObjectMember::Sink> wrapSink(
        std::unique_ptr<LargeObjectMember::Sink> inner) const {
        return inner;
    }

    /// What the manifest calls the member; empty where members have no names.
    virtual std::string memberName(DumpId, std::optional<Oid>) const { return {}; }

    /// When all data is there: corrects what could not be known before, appends what follows the
    /// data at `end`. Returns the checksum for Manifest::tocChecksum.
    virtual uint64_t complete(Toc& toc, const std::map<DumpId, Place>& places,
                              const std::map<DumpId, std::vector<Oid>>& objects, File& file,
                              uint64_t end) = 0;
};

std::unique_ptr<SingleFileLayout> makeCustomLayout(const ArchiveWriter::Options& options);
std::unique_ptr<SingleFileLayout> makeTarLayout(const ArchiveWriter::Options& options);
std::unique_ptr<SingleFileLayout> makePlainLayout(const ArchiveWriter::Options& options);

}  // namespace gantry::archive
