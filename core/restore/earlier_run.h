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
    std::string archive;      ///< as archiveIdentity() says it
    std::string database;     ///< as databaseIdentity() says it
    std::string incarnation;  ///< as serverIncarnation() said it then
    uint64_t firstTransaction = 0;
    std::set<int32_t> backends;
    /// And when that was told. What it tells before its identity was on the disk by then.
    std::vector<std::pair<Duration, DumpId>> done;
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
/// Another one after each start of the server and after each crash of one of its sessions: both may
/// lose what was committed last. (Its statistics begin anew with a crash.)
std::string serverIncarnation(pg::Connection& connection);

/// Data entries that are loaded through the root of their partitions, by that root: rows of one are
/// found in the tables of others.
std::vector<std::set<DumpId>> loadedViaRoots(const archive::Toc& toc);

}  // namespace gantry::restore
