// SPDX-License-Identifier: PostgreSQL
// Archives of two tables and two large objects, laid out byte by byte without our writers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/toc.h"

namespace gantry::test {

// Entries of smallToc() that have data.
inline constexpr DumpId kRowsEntry{11};     ///< 30 rows, two frames and the end-of-data line
inline constexpr DumpId kNoRowsEntry{12};   ///< the end-of-data line alone
inline constexpr DumpId kObjectsEntry{13};  ///< large objects 5001, of some bytes, and 5002, empty

/// Nine entries: absent and empty strings, a quoted name, dependencies, each section.
archive::Toc smallToc(archive::Format format, uint8_t minorVersion);

/// What its members decode to: rows and objects by entry, and OID for objects.
const std::map<std::pair<DumpId, uint32_t>, std::string>& smallContents();

struct SmallOptions {
    archive::Format format = archive::Format::Custom;
    std::string compression = "none";
    uint8_t minorVersion = 16;
    bool offsets = true;  ///< custom: the contents say where data begins
    bool manifest = false;
    bool oldManifest = false;  ///< it is of version 1
};

/// All files of the archive by name, "" for the only one; a manifest as "manifest".
std::map<std::string, std::string> smallArchive(const SmallOptions& options);

/// Puts them at `path`, which must not exist yet, with the manifest where it belongs.
void writeArchive(const std::map<std::string, std::string>& files, archive::Format format,
                  const std::filesystem::path& path);

// The bytes that archives are made of.
std::string archiveInt(int64_t value, int size = 4);
std::string tarMember(const std::string& name, std::string_view content);
std::string compressed(const std::string& compression, std::string_view content);

}  // namespace gantry::test
