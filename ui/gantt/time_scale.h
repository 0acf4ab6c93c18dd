// SPDX-License-Identifier: PostgreSQL
// The time axis of a chart: which stretch of the run is seen, and where its ticks are. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/clock.h"

namespace gantry::ui {

struct Tick {
    Duration at{};
    std::string label;  ///< "02:30", "1:02:30", "02:30.25" where ticks are that close
};

/// Pixels are counted from the left edge of the axis; times from the run's begin.
class TimeScale {
public:
    enum class Mode {
        Fit,     ///< the whole run, expected end included, whatever it comes to
        Follow,  ///< a stretch of fixed length that moves along with now
        Free     ///< as the user left it
    };

    void setWidth(double pixels);
    /// The run has come to `now` and is expected to end at `end`.
    void setRun(Duration now, Duration end);

    double width() const { return width_; }
    Duration begin() const { return begin_; }
    Duration end() const;
    Duration runEnd() const { return runEnd_; }
    double microsPerPixel() const { return perPixel_; }
    Mode mode() const { return mode_; }

    double x(Duration at) const;
    Duration at(double x) const;

    /// Makes a pixel worth `1 / factor` of what it was, what is under `anchor` stays there.
    void zoom(double factor, double anchor);
    /// What is seen moves left by `pixels`. Follow mode ends.
    void pan(double pixels);
    /// Shows exactly this, or the shortest stretch that can be shown around it.
    void show(Duration from, Duration to);
    /// Moves as little as possible so that the stretch is seen; zooms only if it is too long.
    void reveal(Duration from, Duration to);
    void fit();
    /// Keeps the length, with now near the right edge.
    void follow();
    /// Begin or end of the run at its edge, the length kept.
    void goToBegin();
    void goToEnd();

    /// At steps of 1, 2, 5 × 10ⁿ below ten seconds and of 10, 15, 30 s, 1, 2, 5, 10, 15, 30 min,
    /// 1, 2, 3, 6, 12, 24 h, … above, at least `spacing` pixels apart.
    std::vector<Tick> ticks(double spacing) const;

private:
    void keepWithin();
    void applyMode();

    double width_ = 1;
    double perPixel_ = 1000;
    Duration begin_{};
    Duration now_{};
    Duration runEnd_{};
    Mode mode_ = Mode::Fit;
};

/// The step between ticks for pixels worth so many microseconds.
Duration tickStep(double microsPerPixel, double spacing);
/// A time on an axis with ticks so far apart: "02:30", "1:02:30", "00:02.5".
std::string tickLabel(Duration at, Duration step);

}  // namespace gantry::ui
