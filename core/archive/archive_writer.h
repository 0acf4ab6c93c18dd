// SPDX-License-Identifier: PostgreSQL
// Writing an archive from many threads: one contract for directory, custom, tar and plain.
//
// Data may arrive before the table of contents does, so members are opened by relation; setToc()
// tells which entry each relation belongs to and in which order entries stand. A directory appends
// every frame to its member at an offset reserved atomically. The single-file formats write the
// entry whose turn it is straight through and spool the others beside the output.
//
// Everything goes to PATH.partial; only finish() gives the archive its name. A writer that is
// destroyed without finish() removes what it wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/archive/manifest.h"
#include "core/archive/script.h"
#include "core/archive/toc.h"
#include "core/base/buffer.h"
#include "core/base/ids.h"
#include "core/io/codec.h"

namespace gantry::archive {

/// A frame of whole COPY rows as an encoder of the writer's frameStyle() left it.
struct EncodedFrame {
    Buffer bytes;
    uint64_t rawSize = 0;
    uint64_t rows = 0;
    uint64_t checksum = 0;  ///< io::checksumOf of the raw bytes
    uint32_t adler = 1;     ///< Adler-32 of the raw bytes; used with FrameStyle::ZlibPieces only
};

/// The rows of one table. append() may be called from several threads at once, in any order of
/// frames; the others from one.
class TableMember {
public:
    virtual ~TableMember() = default;
    /// Leaves `frame.bytes` usable as a buffer for the next frame. Throws Error{Io}.
    virtual void append(EncodedFrame& frame) = 0;
    /// After the last append: writes the end-of-data line. `rows` is what the server said it
    /// copied; throws Error{Internal} if the frames hold another number.
    virtual void finish(uint64_t rows) = 0;
    /// Bytes written so far. Thread-safe.
    virtual uint64_t compressedSize() const = 0;
};

/// The large objects of one BLOBS entry. Several threads may each hold a sink of the same entry.
class LargeObjectMember {
public:
    virtual ~LargeObjectMember() = default;
    /// One object's content; compressed by the calling thread. Parts of an object come in order
    /// between begin and end; each thread uses a sink of its own.
    class Sink {
    public:
        virtual ~Sink() = default;
        virtual void begin(Oid object) = 0;
        virtual void write(std::span<const std::byte> bytes) = 0;
        virtual void end() = 0;
    };
    virtual std::unique_ptr<Sink> openSink() = 0;
    /// After all sinks are done: the list of objects is written.
    virtual void finish() = 0;
};

class ArchiveWriter {
public:
    struct Options {
        Format format = Format::Directory;
        std::filesystem::path path;
        io::Compression compression;
        bool sync = true;        ///< fsync everything before the rename
        bool overwrite = false;  ///< replace an existing archive (and nothing else)
        ScriptOptions script;    ///< plain format (and tar's restore.sql)
    };

    virtual ~ArchiveWriter() = default;

    virtual io::FrameStyle frameStyle() const = 0;

    /// Thread-safe; before or after setToc(). The relation's TABLE DATA entry is found by
    /// TocEntry::catalogOid.
    virtual std::shared_ptr<TableMember> openTable(Oid relation) = 0;
    /// Once. `toc` as pg_dump gave it; the writer sets format, compression, version (at least 1.15
    /// if the codec needs it, else left as it is), offsets and file names.
    virtual void setToc(Toc toc) = 0;
    /// Drops what was written for a relation that turned out to have no entry. After setToc().
    virtual void discardTable(Oid relation) = 0;
    /// Thread-safe; after setToc().
    virtual std::shared_ptr<LargeObjectMember> openLargeObjects(DumpId entry) = 0;

    /// After every member is finished: completes the file or folder, syncs it, writes the manifest
    /// (`manifest` with the fields about the run filled in; the writer adds format, compression,
    /// sizes and members) and gives everything its final name. Returns the archive's bytes on disk.
    /// Throws Error{Internal} if an entry that has data got none.
    virtual uint64_t finish(Manifest manifest) = 0;
};

/// Refuses a path that exists (Error{Preflight}), unless `overwrite` is set and it is an archive:
/// a folder with toc.dat, a file that begins with PGDMP, a tar whose first member is toc.dat, or
/// for plain a script that pg_dump or we wrote. A left-over PATH.partial that no living process
/// holds (flock) is removed and `leftover` says so in a sentence for the user. What goes to
/// /dev/null is let go, in every format.
std::unique_ptr<ArchiveWriter> createArchiveWriter(const ArchiveWriter::Options& options,
                                                   std::optional<std::string>* leftover);

}  // namespace gantry::archive
