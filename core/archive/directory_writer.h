// SPDX-License-Identifier: PostgreSQL
// Archives as folders: a file a table, a file a large object, and toc.dat.
#pragma once

#include <memory>

#include "core/archive/archive_writer.h"
#include "core/archive/staging.h"

namespace gantry::archive {

std::unique_ptr<ArchiveWriter> makeDirectoryWriter(const ArchiveWriter::Options& options,
                                                   std::unique_ptr<Staging> staging);

}  // namespace gantry::archive
