// SPDX-License-Identifier: PostgreSQL
// The table of contents of a pg_dump archive, as data: header and entries, versions 1.10 to 1.16.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/io/byte_source.h"
#include "core/io/compression.h"

namespace gantry::archive {

/// What the user chose, not the byte in the header (which is 3, tar, for a directory too).
enum class Format { Directory, Custom, Tar, Plain };
std::string_view toString(Format format);

/// pg_dump's archive version, for instance 1.16; the revision is 0 in every release since 8.0.
struct ArchiveVersion {
    uint8_t major = 1;
    uint8_t minor = 16;
    uint8_t revision = 0;
    friend auto operator<=>(const ArchiveVersion&, const ArchiveVersion&) = default;
};

enum class Section { None = 1, PreData = 2, Data = 3, PostData = 4 };

/// The section of a kind of entry, for archives before 1.11, which do not say it.
Section sectionOf(std::string_view desc);

/// The local time at which the dump began, field by field as the header stores it.
struct CreationTime {
    int second = 0, minute = 0, hour = 0, day = 1;
    int month = 0;  ///< 0 = January
    int yearSince1900 = 0;
    int isDst = 0;
};

/// One entry, with the names pg_dump's own source uses for the fields where they are known by them.
/// Absent strings (length -1) and empty ones are kept apart, so that a rewrite is byte-faithful.
struct TocEntry {
    DumpId dumpId;
    bool hadDumper = false;  ///< the entry has data: a member, or a chain of blocks
    Oid catalogTableOid;     ///< pg_class's OID for a table; 0 where nothing may refer to it
    Oid catalogOid;
    std::optional<std::string> tag;
    std::optional<std::string> desc;  ///< the kind: "TABLE", "TABLE DATA", "INDEX", …
    Section section = Section::None;
    std::optional<std::string> defn;
    std::optional<std::string> dropStmt;
    std::optional<std::string> copyStmt;
    std::optional<std::string> namespaceName;
    std::optional<std::string> tablespace;
    std::optional<std::string> tableAccessMethod;
    int relkind = 0;  ///< pg_class.relkind as a character, 0 if not a relation
    std::optional<std::string> owner;
    bool withOids = false;
    std::vector<DumpId> dependencies;

    // What the format adds behind each entry.
    enum class Offset : uint8_t { NotSet = 1, Set = 2, NoData = 3 };
    Offset offsetState = Offset::NoData;  ///< custom format
    uint64_t offset = 0;                  ///< custom format: byte position of its first block
    std::optional<std::string> fileName;  ///< directory and tar: the member; absent or "" = none

    std::string_view description() const { return desc ? std::string_view(*desc) : ""; }
    std::string_view name() const { return tag ? std::string_view(*tag) : ""; }
    /// "schema.name" unquoted, or the name alone: for messages.
    std::string qualifiedName() const;
};

struct Toc {
    ArchiveVersion version;
    int intSize = 4;
    int offsetSize = 8;
    Format format = Format::Custom;
    io::Compression compression;  ///< below 1.15 gzip or none, by the level
    CreationTime created;
    std::optional<std::string> databaseName;
    std::optional<std::string> serverVersion;
    std::optional<std::string> dumpVersion;
    std::vector<TocEntry> entries;  ///< in the archive's order
    uint64_t dataStart = 0;         ///< byte behind the contents: a custom archive's first block

    const TocEntry* find(DumpId id) const;
};

/// Reads header and entries. More bytes may be taken from `source` than they have, but never waited
/// for: reading from a pipe ends as soon as the contents are whole. The header's format byte cannot
/// tell a directory from a tar: the caller sets `format` afterwards. Hostile input costs no more
/// memory than it has bytes. Throws Error{Format} with the byte offset.
Toc readToc(io::ByteSource& source);

/// Takes a text piece by piece; a piece is valid during the call.
using PutText = std::function<void(std::string_view)>;

/// Hands on the bytes of header and entries for `toc.format`, byte for byte as pg_dump of that
/// archive version writes them. Offsets are fixed-width, so that they can be rewritten in place.
void writeToc(const Toc& toc, const PutText& put);
/// The same in one piece.
std::string writeToc(const Toc& toc);

}  // namespace gantry::archive
