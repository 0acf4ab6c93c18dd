// SPDX-License-Identifier: PostgreSQL
// An archive that nobody wants: what is written to it is counted and let go.
#pragma once

#include <memory>

#include "core/archive/archive_writer.h"

namespace gantry::archive {

/// True for the path that means it, whatever the format: /dev/null.
bool isNowhere(const std::filesystem::path& path);

/// Takes frames and large objects as the other writers do, large objects compressed as there, and
/// holds rows against what the server said. finish() returns what the archive would have had, but
/// for its table of contents.
std::unique_ptr<ArchiveWriter> makeNowhereWriter(const ArchiveWriter::Options& options);

}  // namespace gantry::archive
