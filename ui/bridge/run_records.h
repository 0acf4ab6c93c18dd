// SPDX-License-Identifier: PostgreSQL
// Runs of the past, by the records that they left.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/history/past_run.h"

namespace gantry::ui {

struct RunRecord {
    std::filesystem::path path;
    std::string operation;  ///< "dump", "restore", "vacuum"
    std::string database;
    std::string startedAt;  ///< ISO 8601, UTC
    /// How it ended, where the history says it.
    std::optional<history::Status> status{};
};

/// What the beginning of a record says, by its one path; throws Error{Format} if it is none,
/// Error{Io} if it cannot be read.
RunRecord readRecord(const std::filesystem::path& path);

/// The latest `most` of the history in this folder, the last one first; those whose records are
/// gone, and what a sweep made to be measured, are left out. Throws as History does. Reads the
/// disk.
std::vector<RunRecord> listRecords(const std::filesystem::path& folder, std::size_t most);

/// An archive that a run of the history made.
struct MadeArchive {
    std::filesystem::path path;
    std::string startedAt;  ///< ISO 8601, UTC
};

/// The latest `most` that are still where they were written, the last one first, each once. What
/// was written to a path relative to nobody knows what is left out. Throws as History does. Reads
/// the disk.
std::vector<MadeArchive> listArchives(const std::filesystem::path& folder, std::size_t most);

}  // namespace gantry::ui
