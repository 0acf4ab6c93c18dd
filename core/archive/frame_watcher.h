// SPDX-License-Identifier: PostgreSQL
// Holds a member's raw bytes, as they pass, against the frames that the manifest lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/verify.h"

struct XXH3_state_s;

namespace gantry::archive {

/// For one thread; `frames` must outlive it.
class FrameWatcher {
public:
    explicit FrameWatcher(const std::vector<Frame>& frames);

    /// False at the first difference; `finding` then says which, and where.
    bool see(std::span<const std::byte> bytes, Finding& finding);
    /// False if bytes are missing.
    bool finish(Finding& finding);

private:
    void skipEmptyFrames();
    bool finishFrame(const Frame& frame, Finding& finding);

    struct Free {
        void operator()(XXH3_state_s* state) const;
    };
    const std::vector<Frame>& frames_;
    std::size_t index_ = 0;
    uint64_t seen_ = 0;
    uint64_t lines_ = 0;
    std::unique_ptr<XXH3_state_s, Free> hash_;
};

}  // namespace gantry::archive
