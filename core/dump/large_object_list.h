// SPDX-License-Identifier: PostgreSQL
// Which large objects belong to which entry of a table of contents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive/toc.h"
#include "core/base/ids.h"
#include "core/pg/connection.h"

namespace gantry::dump {

struct LargeObjectGroup {
    DumpId entry;      ///< the BLOBS entry
    std::string name;  ///< for people
    std::vector<Oid> objects;
};

/// From 17 on each BLOBS entry depends on a BLOB METADATA entry whose definition lists its objects,
/// one OID a line. Before, one BLOBS entry holds all, and each object has a BLOB entry.
/// An archive of data only may lack those: then the catalog tells, under the run's snapshot.
std::vector<LargeObjectGroup> listLargeObjects(const archive::Toc& toc, pg::Connection& connection);

/// Bytes of all large objects in the database, as their table's size says.
uint64_t largeObjectBytes(pg::Connection& connection);

}  // namespace gantry::dump
