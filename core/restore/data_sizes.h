// SPDX-License-Identifier: PostgreSQL
// How much an archive's entries hold.
#pragma once

#include <cstdint>
#include <map>

#include "core/archive/archive_reader.h"

namespace gantry::restore {

/// What an entry with data will send.
struct DataSize {
    uint64_t bytes = 0;
    uint64_t rows = 0;  ///< or large objects; 0: not known
};
using DataSizes = std::map<DumpId, DataSize>;

/// As the manifest says, else bytes estimated from the compressed size.
DataSizes measureData(const archive::ArchiveReader& reader);

/// Of an entry that has none: nothing.
DataSize sizeOf(const DataSizes& sizes, DumpId entry);

}  // namespace gantry::restore
