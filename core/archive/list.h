// SPDX-License-Identifier: PostgreSQL
// What an archive holds, entry by entry, as data and as the list that pg_restore -L takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/archive_reader.h"

namespace gantry::archive {

struct ListedEntry {
    const TocEntry* entry = nullptr;         ///< in the reader's contents
    std::optional<uint64_t> compressedSize;  ///< if it has data
    std::optional<uint64_t> rawSize;         ///< if the manifest tells
    std::optional<uint64_t> rows;
    uint64_t largeObjects = 0;
};

/// In the archive's order; valid as long as the reader.
std::vector<ListedEntry> listEntries(const ArchiveReader& reader);

/// The list as pg_restore -l -v prints it, with sizes as comments behind the entries.
std::string renderList(const ArchiveReader& reader, const std::vector<ListedEntry>& entries);

}  // namespace gantry::archive
