// SPDX-License-Identifier: PostgreSQL
// What a Linux machine has to offer: processors and memory, with what a container may have of them.
//
// Read from its files through a function, so that the same code looks at this machine, at a
// server's (which may read its own files), and in tests at a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace gantry {

/// The text of a file by its absolute path; empty if it cannot be read.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

/// Files of this machine, or of a folder that stands for one.
ReadText filesBelow(std::filesystem::path root = "/");

struct Processors {
    uint32_t logical = 1;         ///< that the system has
    uint32_t physical = 1;        ///< cores; two logical processors may share one
    uint32_t allowed = 1;         ///< that the process may run on
    std::optional<double> quota;  ///< so many processors' time, by its control groups; empty: all

    /// At least 1; part of one counts as one.
    uint32_t usable() const;
};
/// Empty if there is no /proc to tell.
std::optional<Processors> readProcessors(const ReadText& read);

struct Memory {
    uint64_t total = 0;             ///< bytes
    uint64_t available = 0;         ///< without swapping; no more than the limit
    std::optional<uint64_t> limit;  ///< by its control groups
};
/// Empty if there is no /proc to tell.
std::optional<Memory> readMemory(const ReadText& read);

/// The type of the file system that holds an absolute path: "ext4", "xfs", "nfs4"; empty: unknown.
std::string fileSystemOf(const std::string& path, const ReadText& read);

}  // namespace gantry
