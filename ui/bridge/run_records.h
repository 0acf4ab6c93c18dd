// SPDX-License-Identifier: PostgreSQL
// Runs of the past, by the records that they left.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gantry::ui {

struct RunRecord {
    std::filesystem::path path;
    std::string operation;  ///< "dump", "restore"
    std::string database;
    std::string startedAt;  ///< ISO 8601, UTC
};

/// What the beginning of a record says; throws Error{Format} if it is none, Error{Io} if it cannot
/// be read.
RunRecord readRecord(const std::filesystem::path& path);

/// The latest `most` of the folder, the last one first; files that are no records are left out. The
/// oldest beyond `keep` are removed, so that the folder does not grow for ever. Reads the disk.
std::vector<RunRecord> listRecords(const std::filesystem::path& folder, std::size_t most,
                                   std::size_t keep);

}  // namespace gantry::ui
