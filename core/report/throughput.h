// SPDX-License-Identifier: PostgreSQL
// Throughput and compression of a run over its time, in memory that does not grow with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::report {

/// Slots of equal width from the run's begin on. When they run out, two become one.
class Throughput {
public:
    struct Slot {
        double bytes = 0;            ///< raw
        double finishedBytes = 0;    ///< raw, of spans that ended here and say what they came to,
        double compressedBytes = 0;  ///< compressed
    };
    static constexpr std::size_t kMostSlots = 1024;

    /// To be called with the run's state after every event or batch of events; what came since the
    /// call before is spread over the time between.
    void observe(const events::RunState& run);
    void clear() { *this = Throughput(); }

    Duration slotWidth() const { return width_; }
    const std::vector<Slot>& slots() const { return slots_; }
    /// Bytes a second of the fullest slot.
    double peak() const;
    double bytesPerSecond(std::size_t slot) const;
    struct Ratio {
        Duration at{};
        double value = 0;  ///< raw over compressed
    };
    /// Compression over time: at each the ratio of all that had ended by then, since compressors
    /// lag behind the spans. Begins with a fiftieth of all bytes.
    std::vector<Ratio> ratios() const;
    /// Bytes done between two times, by proportion of their slots.
    double bytesBetween(Duration from, Duration to) const;

private:
    std::size_t slotAt(Duration at);
    void spread(Duration from, Duration to, double bytes);

    Duration width_{100'000};
    std::vector<Slot> slots_;
    Duration last_{};
    uint64_t lastBytes_ = 0;
    std::size_t settled_ = 0;           ///< spans before this one have been counted
    std::vector<std::size_t> waiting_;  ///< spans that have not ended
};

}  // namespace gantry::report
