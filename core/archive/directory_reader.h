// SPDX-License-Identifier: PostgreSQL
// A directory archive: toc.dat, a file for each entry with data, a file for each large object.
#pragma once

#include <memory>

#include "core/archive/archive_reader.h"

namespace gantry::archive {

/// Any of the files may have been compressed afterwards: NAME, NAME.gz, NAME.lz4 and NAME.zst are
/// looked for in this order, as pg_restore does.
std::unique_ptr<ArchiveReader> openDirectoryArchive(const std::filesystem::path& path);

}  // namespace gantry::archive
