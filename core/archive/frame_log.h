// SPDX-License-Identifier: PostgreSQL
// What every writer keeps of its members: the frames, and what they must add up to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive/archive_writer.h"
#include "core/archive/manifest.h"
#include "core/base/sync.h"

namespace gantry::archive {

/// The end-of-data line as a frame, made once for all tables of an archive.
struct EndOfData {
    static constexpr std::string_view kText = "\\.\n\n\n";
    Buffer bytes;
    Frame frame;
    uint32_t adler = 1;
};
EndOfData makeEndOfData(const io::Compression& compression, io::FrameStyle style);

/// The frames of one member, gathered from several threads. Thread-safe.
class FrameLog {
public:
    struct Item {
        Frame frame;
        uint32_t adler = 1;
        std::size_t piece = 0;  ///< where in an OrderedOutput::Entry; decides the order there
    };

    void add(const Item& item);
    uint64_t rows() const;
    /// Throws Error{Internal} if the frames hold another number of rows.
    void expectRows(uint64_t rows, const std::string& object) const;
    /// Of all raw bytes, the items being in the order of their pieces.
    uint32_t adlerInOrder();
    uint64_t rawSize() const;
    uint64_t compressedSize() const;
    std::size_t count() const;
    /// Once: hands the items out. What the sums say stays.
    std::vector<Item> take();

private:
    mutable Mutex mutex_;
    std::vector<Item> items_ GUARDED_BY(mutex_);
    uint64_t rows_ GUARDED_BY(mutex_) = 0;
    uint64_t rawSize_ GUARDED_BY(mutex_) = 0;
    uint64_t compressedSize_ GUARDED_BY(mutex_) = 0;
};

/// True if the entry's data is rows or large objects that a writer must be given.
bool hasData(const TocEntry& entry);
bool isLargeObjects(const TocEntry& entry);

/// Sets what every format sets: format, compression, the sizes of numbers, the version at which
/// readers know the codec; offsets and file names are emptied.
void prepareToc(Toc& toc, Format format, const io::Compression& compression);

/// The list of large objects that `entry` has: "blobs.toc" for readers up to 16, from 17 on one
/// list an entry.
std::string largeObjectListName(const Toc& toc, DumpId entry);
std::string largeObjectFileName(Oid object, io::Algorithm algorithm);
std::string tableFileName(DumpId entry, io::Algorithm algorithm);

/// Throws Error{Internal} unless the entry's data is there and finished.
void expectData(const TocEntry& entry, bool finished);

/// Fills in what the writer knows better than its caller.
void completeManifest(Manifest& manifest, const ArchiveWriter::Options& options, const Toc& toc);

}  // namespace gantry::archive
