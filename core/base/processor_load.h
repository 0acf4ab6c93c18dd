// SPDX-License-Identifier: PostgreSQL
// How busy this machine's processors are, and how many of them we may use.
#pragma once

#include <cstdint>

namespace gantry {

/// Processors that this process may run on: affinity and the quota of control groups count; at
/// least 1.
uint32_t usableProcessors();

/// Measures the share of idle processor time between calls. One thread at a time.
class ProcessorLoad {
public:
    /// Whether the system tells.
    static bool isTold();
    /// 0…1 since the previous call; 0 on the first and where the system does not tell.
    double idleShareSinceLastCall();

private:
    uint64_t lastIdle_ = 0;
    uint64_t lastTotal_ = 0;
};

}  // namespace gantry
