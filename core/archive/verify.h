// SPDX-License-Identifier: PostgreSQL
// Reading every byte of an archive to say whether all of it is there.
//
// With a manifest each frame's size, rows and checksum must be what they were when it was written.
// Without one every member must decode to its end, rows must end with the end-of-data line, and no
// member may be missing. A manifest that cannot be used is a finding too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/archive_reader.h"

namespace gantry::archive {

struct Finding {
    std::string member;              ///< the file, entry or large object
    std::string problem;             ///< one sentence
    std::optional<uint64_t> offset;  ///< byte in the compressed member, if known
};

struct VerifyReport {
    std::vector<Finding> findings;  ///< empty: the archive is whole
    bool usedManifest = false;
    uint64_t members = 0;
    uint64_t largeObjects = 0;
    uint64_t rows = 0;
    uint64_t compressedBytes = 0;
    uint64_t rawBytes = 0;
};

struct VerifyOptions {
    uint32_t threads = 1;
    /// Called now and then, from any thread, one call at a time: compressed bytes done, of all.
    std::function<void(uint64_t done, uint64_t all)> progress;
};

/// Reports every problem there is, not only the first. Throws Error{Cancelled} on stop, and
/// Error{Io, Format} only where nothing can be read at all.
VerifyReport verify(const ArchiveReader& reader, const VerifyOptions& options,
                    std::stop_token stop);

/// The same for a plain script. Its manifest lists the frames of rows and large objects; all else
/// has one checksum. Without a manifest it must decode and end as dumps end.
VerifyReport verifyScript(const std::filesystem::path& path, const VerifyOptions& options,
                          std::stop_token stop);

/// Whichever of the two `path` is.
VerifyReport verifyPath(const std::filesystem::path& path, const VerifyOptions& options,
                        std::stop_token stop);

}  // namespace gantry::archive
