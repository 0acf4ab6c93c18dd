// SPDX-License-Identifier: PostgreSQL
#include "core/base/processor_load.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "core/base/machine.h"

namespace gantry {

uint32_t usableProcessors() {
    const std::optional<Processors> known = readProcessors(filesBelow());
    uint32_t count = known ? known->usable() : std::max(std::thread::hardware_concurrency(), 1U);
#ifdef __linux__
    // This thread may be confined further than its process was.
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        count = std::min(count, static_cast<uint32_t>(std::max(CPU_COUNT(&set), 1)));
    }
#endif
    return count;
}

bool ProcessorLoad::isTold() { return std::ifstream("/proc/stat").good(); }

double ProcessorLoad::idleShareSinceLastCall() {
    // /proc/stat, first line: "cpu user nice system idle iowait irq softirq steal …", in ticks.
    std::ifstream stat("/proc/stat");
    std::string label;
    if (!(stat >> label) || label != "cpu") return 0;
    constexpr int kFields = 8;
    constexpr int kIdle = 3;
    constexpr int kIoWait = 4;
    uint64_t total = 0;
    uint64_t idle = 0;
    for (int field = 0; field < kFields; ++field) {
        uint64_t ticks = 0;
        if (!(stat >> ticks)) break;
        total += ticks;
        if (field == kIdle || field == kIoWait) idle += ticks;
    }
    const bool first = lastTotal_ == 0;
    const uint64_t totalSince = total - lastTotal_;
    const uint64_t idleSince = idle - lastIdle_;
    if (!first && totalSince == 0) return 0;
    lastTotal_ = total;
    lastIdle_ = idle;
    if (first) return 0;
    return static_cast<double>(idleSince) / static_cast<double>(totalSince);
}

}  // namespace gantry
