// SPDX-License-Identifier: PostgreSQL
// How much an archive's entries hold.
#pragma once

#include <cstdint>
#include <map>

#include "core/archive/archive_reader.h"

namespace gantry::restore {

/// Bytes of rows or objects that each entry with data will send.
using DataSizes = std::map<DumpId, uint64_t>;

/// As the manifest says, else estimated from the compressed size.
DataSizes measureData(const archive::ArchiveReader& reader);

}  // namespace gantry::restore
