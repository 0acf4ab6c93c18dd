// SPDX-License-Identifier: PostgreSQL
// Reading an archive, whoever wrote it: directory, custom or tar under one contract.
//
// Opening reads the table of contents and finds where each entry's data lies; no data is decoded.
// Data streams are independent of each other: several threads may read one archive at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/toc.h"
#include "core/base/ids.h"
#include "core/io/byte_source.h"
#include "core/io/codec.h"

namespace gantry::archive {

/// Where the data of one entry, or one large object of it, lies.
struct DataMember {
    DumpId entry;
    std::optional<Oid> largeObject;
    std::string name;                ///< for messages: the file or the entry, and its table
    std::filesystem::path fileName;  ///< directory: the member's file below the folder
    uint64_t position = 0;           ///< custom: first block; tar: first byte
    uint64_t size = 0;               ///< compressed bytes
    io::Algorithm algorithm = io::Algorithm::None;
    io::FrameStyle style = io::FrameStyle::Independent;
};

/// An entry that should have data and has none.
struct MissingMember {
    DumpId entry;  ///< 0: the archive's own end is missing
    std::string name;
    std::string problem;
};

class ArchiveReader {
public:
    virtual ~ArchiveReader() = default;

    const std::filesystem::path& path() const { return path_; }
    Format format() const { return toc_.format; }
    const Toc& toc() const { return toc_; }
    /// All data, in the order of the table of contents; large objects behind each other.
    const std::vector<DataMember>& members() const { return members_; }
    const std::vector<MissingMember>& missing() const { return missing_; }
    /// The manifest beside the archive, if there is one that belongs to it.
    const std::optional<Manifest>& manifest() const { return manifest_; }
    /// Why a manifest that is there is not used; else empty.
    const std::string& manifestProblem() const { return manifestProblem_; }

    /// The compressed bytes as they lie in the archive, block headers taken off.
    virtual std::unique_ptr<io::ByteSource> openCompressed(const DataMember& member) const = 0;
    /// The decoded bytes. Damage and early ends throw Error{Format}.
    std::unique_ptr<io::ByteSource> openData(const DataMember& member) const;
    /// Where the first byte lies that belongs to no member and is not what the format puts there;
    /// nothing is lost by it, but the file is not what was written. Throws Error{Io}.
    virtual std::optional<uint64_t> strayByte() const { return std::nullopt; }

protected:
    /// The contents, from a stream that holds nothing else: reads it to its end, then looks for
    /// the manifest. Throws as readToc() does, naming `name`, and beyond `limit` bytes.
    void readContents(io::ByteSource& source, uint64_t limit, Format format,
                      const std::string& name);
    /// Reads the manifest and keeps it if it was made for these contents.
    void findManifest(const std::function<uint64_t(io::ChecksumKind)>& checksumOfContents);
    /// What messages call the file of an entry's data: "12.dat.gz (public.orders)"; one of a large
    /// object says itself what it is.
    static std::string fileOf(const TocEntry& entry, std::optional<Oid> object,
                              const std::string& fileName);

    /// What a list names may be nowhere, or one of the archive's `files` a million times: both
    /// throw Error{Format} once no archive is like that.
    void addFound(DataMember member, std::size_t files);
    void addMissing(MissingMember member);

    std::filesystem::path path_;
    Toc toc_;
    std::vector<DataMember> members_;
    std::vector<MissingMember> missing_;
    std::optional<Manifest> manifest_;
    std::string manifestProblem_;
};

/// Throws Error{Io} if it cannot be read, Error{Format} if it is no archive; a plain SQL script is
/// named as such.
std::unique_ptr<ArchiveReader> openArchive(const std::filesystem::path& path);

/// True for a name without any path in it: what an archive names must lie beside it.
bool isPlainFileName(std::string_view name);

/// Calls `use` for each line "OID FILE" of a list of large objects. Throws Error{Format} for lines
/// that are none, and for names that lead elsewhere.
void forEachLargeObject(std::string_view text, const std::string& name,
                        const std::function<void(Oid, const std::string& fileName)>& use);

}  // namespace gantry::archive
