// SPDX-License-Identifier: PostgreSQL
#include "core/archive/frame_watcher.h"

#include <fmt/format.h>

#include <algorithm>

namespace gantry::archive {
namespace {

/// Behind the last row: the end-of-data line and two empty ones.
constexpr uint64_t kLinesBehindRows = 3;

}  // namespace

FrameWatcher::FrameWatcher(const std::vector<Frame>& frames, io::ChecksumKind checksums)
    : frames_(frames), checksum_(checksums) {}

bool FrameWatcher::see(std::span<const std::byte> bytes, Finding& finding) {
    while (!bytes.empty()) {
        skipEmptyFrames();
        if (index_ == frames_.size()) {
            finding.problem = "it holds more than the manifest lists";
            return false;
        }
        const Frame& frame = frames_[index_];
        const auto count =
            static_cast<std::size_t>(std::min<uint64_t>(bytes.size(), frame.rawSize - seen_));
        checksum_.update(bytes.first(count));
        lines_ += static_cast<uint64_t>(std::count(
            bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count), std::byte{'\n'}));
        seen_ += count;
        bytes = bytes.subspan(count);
        if (seen_ == frame.rawSize && !finishFrame(frame, finding)) return false;
    }
    return true;
}

bool FrameWatcher::finish(Finding& finding) {
    skipEmptyFrames();
    if (index_ == frames_.size()) return true;
    finding.problem =
        fmt::format("it ends early: {} of {} frames are there", index_, frames_.size());
    finding.offset = frames_[index_].offset;
    return false;
}

void FrameWatcher::skipEmptyFrames() {
    while (index_ < frames_.size() && frames_[index_].rawSize == 0) ++index_;
}

bool FrameWatcher::finishFrame(const Frame& frame, Finding& finding) {
    finding.offset = frame.offset;
    if (checksum_.value() != frame.checksum) {
        finding.problem = fmt::format("frame {} differs from what was dumped", index_ + 1);
        return false;
    }
    // Only rows end lines, but for the end-of-data lines, whose frame may hold rows too.
    if (lines_ != frame.rows && lines_ != frame.rows + kLinesBehindRows && frame.rows > 0) {
        finding.problem = fmt::format("frame {} holds {} rows, the manifest says {}", index_ + 1,
                                      lines_, frame.rows);
        return false;
    }
    finding.offset.reset();
    ++index_;
    seen_ = 0;
    lines_ = 0;
    checksum_.reset();
    return true;
}

}  // namespace gantry::archive
