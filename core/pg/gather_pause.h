// SPDX-License-Identifier: PostgreSQL
// How long the rows of a COPY gather in the socket before they are read. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace gantry::pg {

/// Whoever reads faster than the server sends wakes up, and has the server wake it up, for each
/// 8 KB: a tenth of the processor time of both sides together. So some come together first, but no
/// more than the socket takes, or the server would wait for us. Each pause is measured by what came
/// in the one before: the socket is to be two thirds full.
class GatherPause {
public:
    /// `room`: bytes that the socket takes; 0 if that is not known, and the pause stays as it is.
    explicit GatherPause(std::size_t room = 0) : wanted_(room / 3 * 2) {}

    std::chrono::nanoseconds length() const { return length_; }

    /// What lies in the socket after a pause. A server that was held up for a moment, or a thread
    /// that was, changes the next pauses a little only.
    void found(std::size_t waiting) {
        if (wanted_ == 0 || waiting == 0) return;
        const double ratio = static_cast<double>(wanted_) / static_cast<double>(waiting);
        const double factor = (3 + std::clamp(ratio, kMostAtOnce / 4, kMostAtOnce)) / 4;
        length_ = std::clamp(std::chrono::duration_cast<std::chrono::nanoseconds>(length_ * factor),
                             kShortest, kLongest);
    }

private:
    static constexpr double kMostAtOnce = 2;
    static constexpr std::chrono::nanoseconds kShortest = std::chrono::microseconds(20);
    static constexpr std::chrono::nanoseconds kLongest = std::chrono::microseconds(1000);

    std::size_t wanted_;
    std::chrono::nanoseconds length_ = std::chrono::microseconds(200);
};

}  // namespace gantry::pg
