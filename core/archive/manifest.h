// SPDX-License-Identifier: PostgreSQL
// The manifest: what an archive of ours holds, frame by frame, so that nothing can go missing
// unseen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/toc.h"
#include "core/base/ids.h"
#include "core/io/checksum.h"

namespace gantry::archive {

/// One independently compressed piece of a member, row-aligned.
struct Frame {
    uint64_t offset = 0;          ///< byte position in the member (directory) or in the archive
    uint64_t compressedSize = 0;  ///< bytes there
    uint64_t rawSize = 0;         ///< bytes after decoding
    uint64_t rows = 0;            ///< COPY rows it holds; the end-of-data line is none
    uint64_t checksum = 0;        ///< of the raw bytes
};

/// The data of one entry: a table's rows, or one large object.
struct Member {
    DumpId dumpId;                   ///< the TABLE DATA or BLOBS entry
    std::optional<Oid> largeObject;  ///< set if this is one large object of that entry
    std::string fileName;            ///< directory and tar; empty in the other formats
    uint64_t rows = 0;               ///< what the server said it copied
    uint64_t rawSize = 0;  ///< bytes of COPY text, end-of-data line included; or the object's
    uint64_t compressedSize = 0;
    std::vector<Frame> frames;  ///< in the order of their offsets
};

struct Manifest {
    static constexpr int kVersion = 2;  ///< that is written; version 1 is read, too
    std::string gantryVersion;
    Format format = Format::Directory;
    io::Compression compression;
    std::string serverVersion;
    std::string pgDumpVersion;
    std::string databaseName;
    std::string snapshot;   ///< pg_current_snapshot() of every connection
    std::string lsn;        ///< WAL position at the snapshot; empty on servers that hide it
    std::string startedAt;  ///< ISO 8601, UTC
    std::string finishedAt;
    std::map<std::string, std::string> settings;  ///< jobs, compressors, chunking, …: for people
    uint64_t archiveSize = 0;  ///< single-file formats: the archive's bytes; else 0
    io::ChecksumKind checksums = io::ChecksumKind::Xxh64;  ///< in version 1: XXH3
    uint64_t tocChecksum = 0;                              ///< of toc.dat, or of header and TOC
    std::vector<Member> members;
};

/// Where the manifest of an archive lies: DIR/gantry-manifest.json, or FILE.gantry-manifest.json.
std::filesystem::path manifestPath(const std::filesystem::path& archive, Format format);
/// The same of an archive that is there: behind a link that has none beside it, that of the file.
std::filesystem::path existingManifestPath(const std::filesystem::path& archive, Format format);

/// JSON; frames as arrays [offset, compressed, raw, rows, checksum in hex], one member a line.
void writeManifest(const Manifest& manifest, const PutText& put);
/// The same in one piece.
std::string writeManifest(const Manifest& manifest);
/// Throws Error{Format} for anything that is not a manifest of a version we know.
Manifest readManifest(const std::filesystem::path& path);

}  // namespace gantry::archive
