// SPDX-License-Identifier: PostgreSQL
// Custom, tar and plain archives: entries of one file in order, written by many threads.
#pragma once

#include <memory>

#include "core/archive/archive_writer.h"
#include "core/archive/single_file_layout.h"
#include "core/archive/staging.h"

namespace gantry::archive {

std::unique_ptr<ArchiveWriter> makeSingleFileWriter(const ArchiveWriter::Options& options,
                                                    std::unique_ptr<Staging> staging,
                                                    std::unique_ptr<SingleFileLayout> layout);

}  // namespace gantry::archive
