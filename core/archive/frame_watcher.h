// SPDX-License-Identifier: PostgreSQL
// Holds a member's raw bytes, as they pass, against the frames that the manifest lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/verify.h"
#include "core/io/checksum.h"

namespace gantry::archive {

/// For one thread; `frames` must outlive it.
class FrameWatcher {
public:
    FrameWatcher(const std::vector<Frame>& frames, io::ChecksumKind checksums);

    /// False at the first difference; `finding` then says which, and where.
    bool see(std::span<const std::byte> bytes, Finding& finding);
    /// False if bytes are missing.
    bool finish(Finding& finding);

private:
    void skipEmptyFrames();
    bool finishFrame(const Frame& frame, Finding& finding);

    const std::vector<Frame>& frames_;
    std::size_t index_ = 0;
    uint64_t seen_ = 0;
    uint64_t lines_ = 0;
    io::Checksum checksum_;
};

}  // namespace gantry::archive
