// SPDX-License-Identifier: PostgreSQL
// A custom archive: one file, contents first, then a chain of blocks for each entry with data.
//
//   entry   type byte (1 data, 3 large objects) | int dump id
//   data    { int length | bytes }… | int 0
//   large objects   { int oid | { int length | bytes }… | int 0 }… | int 0
//
// (pg_backup_custom.c; ints as in the table of contents)
#pragma once

#include <memory>

#include "core/archive/archive_reader.h"
#include "core/base/file.h"

namespace gantry::archive {

/// Entries may stand in any order; those whose offset is not set are found by reading the block
/// headers once.
std::unique_ptr<ArchiveReader> openCustomArchive(const std::filesystem::path& path,
                                                 std::shared_ptr<const File> file);

}  // namespace gantry::archive
