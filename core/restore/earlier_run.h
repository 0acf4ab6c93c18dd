// SPDX-License-Identifier: PostgreSQL
// What the record of a restore that did not come to its end says of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/archive_reader.h"
#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/pg/connection.h"

namespace gantry::restore {

struct EarlierRun {
    std::string archive;   ///< as archiveIdentity() says it
    std::string database;  ///< as databaseIdentity() says it
    std::string startedAt;
    std::set<int32_t> backends;
    std::vector<std::pair<Duration, DumpId>> done;  ///< and when that was told
    Duration lostAt{};  ///< when the server was lost, or else the record's end

    /// What stands. A server that was restarted since may have lost its last transactions
    /// (`asynchronous` long): what they did is done once more.
    std::set<DumpId> standing(bool restarted, Duration asynchronous) const;
};

/// Throws Error{Io}, Error{Format} for what is no record, Error{Preflight} for one of another kind
/// of run, of one that ended well, or of one that is still going on.
EarlierRun readEarlierRun(const std::filesystem::path& record);

/// The same for the same contents, wherever the archive lies.
std::string archiveIdentity(const archive::ArchiveReader& reader);
/// The same for this very database: not for another one that got its name.
std::string databaseIdentity(pg::Connection& connection);

/// Data entries that are loaded through the root of their partitions, by that root: rows of one are
/// found in the tables of others.
std::vector<std::set<DumpId>> loadedViaRoots(const archive::Toc& toc);

}  // namespace gantry::restore
