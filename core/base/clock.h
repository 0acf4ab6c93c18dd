// SPDX-License-Identifier: PostgreSQL
// Time as the engine sees it, so that tests and the simulator can bring their own.
#pragma once

#include <chrono>

namespace gantry {

using Duration = std::chrono::microseconds;

inline double secondsOf(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

inline double secondsSince(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

/// Monotonic time since an arbitrary origin. Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Duration now() const = 0;
};

class SteadyClock final : public Clock {
public:
    Duration now() const override {
        return std::chrono::duration_cast<Duration>(
            std::chrono::steady_clock::now().time_since_epoch());
    }
};

}  // namespace gantry
