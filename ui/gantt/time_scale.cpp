// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/time_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gantry::ui {
namespace {

using namespace std::chrono_literals;

constexpr double kFinest = 1;          ///< microseconds a pixel
constexpr double kMargin = 0.02;       ///< of the width, right of the end
constexpr double kNowAt = 0.8;         ///< of the width, while following
constexpr double kLeastFit = 100'000;  ///< microseconds that the axis shows at least
constexpr double kOutermost = 4;       ///< times the run that can be seen at once
constexpr int kMostTicks = 1000;

double micros(Duration duration) { return static_cast<double>(duration.count()); }
Duration fromMicros(double value) { return Duration(std::llround(value)); }

constexpr std::array<Duration, 15> kSteps{10s,   15s, 30s, 1min, 2min, 5min, 10min, 15min,
                                          30min, 1h,  2h,  3h,   6h,   12h,  24h};

}  // namespace

Duration TimeScale::end() const { return at(width_); }

double TimeScale::x(Duration at) const { return micros(at - begin_) / perPixel_; }

Duration TimeScale::at(double x) const { return begin_ + fromMicros(x * perPixel_); }

void TimeScale::setWidth(double pixels) {
    pixels = std::max(pixels, 1.0);
    if (mode_ == Mode::Free) perPixel_ *= width_ / pixels;  // the same stretch is seen
    width_ = pixels;
    applyMode();
}

void TimeScale::setRun(Duration now, Duration end) {
    now_ = now;
    runEnd_ = std::max(now, end);
    applyMode();
}

void TimeScale::applyMode() {
    if (mode_ == Mode::Fit) {
        begin_ = Duration::zero();
        perPixel_ = std::max(micros(runEnd_), kLeastFit) / (width_ * (1 - kMargin));
    } else if (mode_ == Mode::Follow) {
        begin_ = std::max(now_ - fromMicros(width_ * kNowAt * perPixel_), Duration::zero());
    }
    keepWithin();
}

/// Some of the run can always be seen.
void TimeScale::keepWithin() {
    const double whole = std::max(micros(runEnd_), kLeastFit);
    perPixel_ = std::clamp(perPixel_, kFinest, std::max(whole * kOutermost / width_, kFinest));
    const Duration seen = fromMicros(width_ * perPixel_);
    const Duration last = std::max(runEnd_ - seen / 10, Duration::zero());
    begin_ = std::clamp(begin_, std::min(-seen / 2, Duration::zero()), last);
}

void TimeScale::zoom(double factor, double anchor) {
    const Duration fixed = at(anchor);
    perPixel_ /= factor;
    if (mode_ != Mode::Follow) mode_ = Mode::Free;
    keepWithin();
    begin_ = fixed - fromMicros(anchor * perPixel_);
    applyMode();
}

void TimeScale::pan(double pixels) {
    mode_ = Mode::Free;
    begin_ += fromMicros(pixels * perPixel_);
    keepWithin();
}

void TimeScale::show(Duration from, Duration to) {
    mode_ = Mode::Free;
    perPixel_ = std::max(micros(to - from) / width_, kFinest);
    begin_ = from;
    keepWithin();
}

void TimeScale::reveal(Duration from, Duration to) {
    if (from >= begin_ && to <= end()) return;
    const Duration seen = end() - begin_;
    const Duration air = seen / 20;
    if (to - from > seen - 2 * air) {
        show(from - (to - from) / 20, to + (to - from) / 20);
    } else if (from < begin_) {
        mode_ = Mode::Free;
        begin_ = from - air;
    } else {
        mode_ = Mode::Free;
        begin_ = to + air - seen;
    }
    keepWithin();
}

void TimeScale::fit() {
    mode_ = Mode::Fit;
    applyMode();
}

void TimeScale::follow() {
    mode_ = Mode::Follow;
    applyMode();
}

void TimeScale::goToBegin() {
    mode_ = Mode::Free;
    begin_ = Duration::zero();
    keepWithin();
}

void TimeScale::goToEnd() {
    mode_ = Mode::Free;
    begin_ = runEnd_ - fromMicros(width_ * (1 - kMargin) * perPixel_);
    keepWithin();
}

Duration tickStep(double microsPerPixel, double spacing) {
    const double least = microsPerPixel * spacing;
    if (least <= 5e6) {
        double step = 1;
        for (int i = 0; step < least; ++i) step *= i % 3 == 1 ? 2.5 : 2;  // 1, 2, 5, 10, …
        return fromMicros(step);
    }
    for (const Duration step : kSteps) {
        if (micros(step) >= least) return step;
    }
    const double days = std::ceil(least / micros(24h));
    return Duration(24h) * static_cast<int64_t>(days);
}

std::string tickLabel(Duration at, Duration step) {
    const char* sign = at < Duration::zero() ? "-" : "";
    const auto total = static_cast<uint64_t>(std::abs(at.count()));
    const uint64_t seconds = total / 1'000'000;
    std::string label =
        seconds >= 3600
            ? fmt::format("{}{}:{:02}:{:02}", sign, seconds / 3600, seconds / 60 % 60, seconds % 60)
            : fmt::format("{}{:02}:{:02}", sign, seconds / 60, seconds % 60);
    if (step >= 1s) return label;
    std::string fraction = fmt::format("{:06}", total % 1'000'000);
    std::size_t digits = 6;
    for (int64_t unit = 1; digits > 1 && step.count() % (unit * 10) == 0; unit *= 10) --digits;
    return label + "." + fraction.substr(0, digits);
}

std::vector<Tick> TimeScale::ticks(double spacing) const {
    const Duration step = tickStep(perPixel_, std::max(spacing, 1.0));
    std::vector<Tick> ticks;
    const int64_t first = std::max<int64_t>((begin_ + step - Duration(1)) / step, 0);
    for (int64_t i = first; static_cast<int>(ticks.size()) < kMostTicks; ++i) {
        const Duration at = step * i;
        if (at > end()) break;
        ticks.push_back({at, tickLabel(at, step)});
    }
    return ticks;
}

}  // namespace gantry::ui
