// SPDX-License-Identifier: PostgreSQL
// -Z auto: the compression level follows the load, so that compressors stay just below saturation.
#pragma once

#include <cstdint>

namespace gantry::dump {

/// Fed with what the compressors see, says which level the next frames get. Pure arithmetic; one
/// thread at a time.
///
/// Raising the level is only worth it while the machine has idle processors: a server on the same
/// machine needs them more. A full queue means that compression holds the server's stream up.
class AutoLevel {
public:
    struct Limits {
        int lowest = 1;
        int highest = 9;
        int start = 1;
    };
    explicit AutoLevel(Limits limits) : limits_(limits), level_(limits.start) {}

    int level() const { return level_; }

    /// One observation, a few a second: the share of the queue in use and the share of the
    /// machine's processor time that was idle since the last one, both 0…1.
    void observe(double queueShare, double idleShare) {
        ++observations_;
        queue_ += (queueShare - queue_) * kSmoothing;
        idle_ += (idleShare - idle_) * kSmoothing;
        if (observations_ < kObservationsBetweenSteps) return;
        if (queue_ > kSaturated && level_ > limits_.lowest) {
            --level_;
            observations_ = 0;
        } else if (queue_ < kSlack && idle_ > kIdleEnough && level_ < limits_.highest) {
            ++level_;
            observations_ = 0;
        }
    }

private:
    static constexpr double kSmoothing = 0.25;
    static constexpr double kSaturated = 0.75;
    static constexpr double kSlack = 0.25;
    static constexpr double kIdleEnough = 0.2;
    static constexpr uint32_t kObservationsBetweenSteps = 4;

    Limits limits_;
    int level_;
    uint32_t observations_ = 0;
    double queue_ = 0.5;
    double idle_ = 0;
};

}  // namespace gantry::dump
