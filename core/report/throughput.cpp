// SPDX-License-Identifier: PostgreSQL
#include "core/report/throughput.h"

#include <algorithm>

#include "core/base/clock.h"

namespace gantry::report {
namespace {}  // namespace

std::size_t Throughput::slotAt(Duration at) {
    while (static_cast<std::size_t>(at / width_) >= kMostSlots) {
        for (std::size_t i = 0; i < slots_.size(); i += 2) {
            Slot sum = slots_[i];
            if (i + 1 < slots_.size()) {
                sum.bytes += slots_[i + 1].bytes;
                sum.finishedBytes += slots_[i + 1].finishedBytes;
                sum.compressedBytes += slots_[i + 1].compressedBytes;
            }
            slots_[i / 2] = sum;
        }
        slots_.resize((slots_.size() + 1) / 2);
        width_ *= 2;
    }
    const auto slot = static_cast<std::size_t>(at / width_);
    if (slot >= slots_.size()) slots_.resize(slot + 1);
    return slot;
}

void Throughput::spread(Duration from, Duration to, double bytes) {
    const std::size_t last = slotAt(to);  // may widen the slots, so it comes first
    if (to <= from) {
        slots_[last].bytes += bytes;
        return;
    }
    for (std::size_t slot = slotAt(from); slot <= last; ++slot) {
        const Duration begin = std::max(from, width_ * static_cast<int64_t>(slot));
        const Duration end = std::min(to, width_ * static_cast<int64_t>(slot + 1));
        slots_[slot].bytes += bytes * secondsOf(end - begin) / secondsOf(to - from);
    }
}

void Throughput::observe(const events::RunState& run) {
    const Duration now = run.now();
    const uint64_t bytes = run.bytesDone();
    if (bytes > lastBytes_ || now > last_) {
        spread(last_, now, static_cast<double>(bytes - std::min(bytes, lastBytes_)));
        last_ = now;
        lastBytes_ = std::max(bytes, lastBytes_);
    }
    for (; settled_ < run.spans().size(); ++settled_) waiting_.push_back(settled_);
    std::erase_if(waiting_, [&](std::size_t index) {
        const events::SpanState& span = run.spans()[index];
        if (!span.end) return false;
        if (span.compressedBytes > 0) {
            Slot& slot = slots_[slotAt(*span.end)];
            slot.finishedBytes += static_cast<double>(span.bytes);
            slot.compressedBytes += static_cast<double>(span.compressedBytes);
        }
        return true;
    });
}

double Throughput::bytesPerSecond(std::size_t slot) const {
    Duration width = width_;
    if (slot + 1 == slots_.size()) {  // the last one is not full yet
        width = std::clamp(last_ - width_ * static_cast<int64_t>(slot), width_ / 4, width_);
    }
    return slots_[slot].bytes / secondsOf(width);
}

double Throughput::peak() const {
    double most = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) most = std::max(most, bytesPerSecond(i));
    return most;
}

std::vector<Throughput::Ratio> Throughput::ratios() const {
    constexpr double kLeastShare = 1.0 / 50;
    double all = 0;
    for (const Slot& slot : slots_) all += slot.finishedBytes;
    std::vector<Ratio> ratios;
    Slot sum;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        sum.finishedBytes += slots_[i].finishedBytes;
        sum.compressedBytes += slots_[i].compressedBytes;
        if (slots_[i].finishedBytes <= 0 || sum.compressedBytes <= 0) continue;
        if (sum.finishedBytes < all * kLeastShare) continue;
        ratios.push_back({.at = width_ * static_cast<int64_t>(i) + width_ / 2,
                          .value = sum.finishedBytes / sum.compressedBytes});
    }
    return ratios;
}

double Throughput::bytesBetween(Duration from, Duration to) const {
    double sum = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const Duration begin = width_ * static_cast<int64_t>(i);
        const Duration common = std::min(to, begin + width_) - std::max(from, begin);
        if (common > Duration::zero())
            sum += slots_[i].bytes * secondsOf(common) / secondsOf(width_);
    }
    return sum;
}

}  // namespace gantry::report
