// SPDX-License-Identifier: PostgreSQL
// A tar archive: toc.dat and one uncompressed member for each entry with data, by position.
//
// Header block of 512 bytes: name at 0 (100 bytes), size at 124 (12 bytes, octal, or base 256 with
// the first bit set), checksum at 148 (8), type at 156, "ustar" at 257; content is padded to 512.
// The archive ends with two blocks of zeros. (POSIX ustar; GNU's base-256 sizes)
#pragma once

#include <memory>

#include "core/archive/archive_reader.h"
#include "core/base/file.h"

namespace gantry::archive {

std::unique_ptr<ArchiveReader> openTarArchive(const std::filesystem::path& path,
                                              std::shared_ptr<const File> file);

}  // namespace gantry::archive
