// SPDX-License-Identifier: PostgreSQL
#include "core/tune/sweep.h"

#include <algorithm>
#include <numeric>

namespace gantry::tune {
namespace {

constexpr double kAboutAsFast = 0.05;
constexpr double kWidestMargin = 0.10;
constexpr std::size_t kStepsWithoutGain = 2;
constexpr std::size_t kRoundsToBeClear = 2;
constexpr std::size_t kFirstPoints = 2;
constexpr double kMostForWarmUp = 0.25;  // of the budget

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> secondsOf(const Point& point) {
    std::vector<double> seconds;
    for (const Sample& sample : point.samples) seconds.push_back(sample.seconds);
    return seconds;
}

/// How far repeats lie apart, which a difference has to exceed to mean anything.
double marginOf(std::span<const Point> points, const std::vector<std::size_t>& series) {
    std::vector<double> spreads;
    for (const std::size_t i : series) {
        if (points[i].samples.size() > 1) spreads.push_back(points[i].spread());
    }
    const double noise = spreads.empty() ? 0 : medianOf(std::move(spreads));
    return std::clamp(noise, kAboutAsFast, kWidestMargin);
}

}  // namespace

double Point::median() const { return medianOf(secondsOf(*this)); }

double Point::fastest() const {
    const std::vector<double> seconds = secondsOf(*this);
    return *std::min_element(seconds.begin(), seconds.end());
}

double Point::slowest() const {
    const std::vector<double> seconds = secondsOf(*this);
    return *std::max_element(seconds.begin(), seconds.end());
}

double Point::spread() const { return median() > 0 ? (slowest() - fastest()) / median() : 0; }

std::vector<std::vector<std::size_t>> seriesOf(std::span<const Point> points) {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto fits = [&](const std::vector<std::size_t>& series) {
            return points[series.front()].setting.alike(points[i].setting);
        };
        const auto found = std::find_if(all.begin(), all.end(), fits);
        if (found == all.end()) {
            all.push_back({i});
        } else {
            found->push_back(i);
        }
    }
    for (std::vector<std::size_t>& series : all) {
        std::stable_sort(series.begin(), series.end(), [&](std::size_t a, std::size_t b) {
            return points[a].setting.jobs < points[b].setting.jobs;
        });
    }
    return all;
}

std::optional<Knee> kneeOf(std::span<const Point> points, const std::vector<std::size_t>& series) {
    std::vector<std::size_t> measured;
    for (const std::size_t i : series) {
        if (points[i].measured()) measured.push_back(i);
    }
    if (measured.empty()) return std::nullopt;
    Knee knee;
    knee.fastest = *std::min_element(
        measured.begin(), measured.end(),
        [&](std::size_t a, std::size_t b) { return points[a].median() < points[b].median(); });
    knee.margin = marginOf(points, series);
    const double enough = points[knee.fastest].median() * (1 + knee.margin);
    const auto advised = std::find_if(measured.begin(), measured.end(),
                                      [&](std::size_t i) { return points[i].median() <= enough; });
    knee.advised = *advised;
    knee.clear = points[knee.advised].slowest() <= enough;
    for (auto i = measured.begin(); i != measured.end(); ++i) {
        if (points[*i].samples.size() < kRoundsToBeClear) knee.clear = false;
        if (i < advised && points[*i].fastest() <= enough) knee.clear = false;
    }
    return knee;
}

Sweep::Sweep(std::vector<Point> points, Rules rules)
    : points_(std::move(points)),
      rules_(rules),
      series_(seriesOf(points_)),
      tried_(points_.size()) {
    if (points_.empty()) return;
    // Ascending, so that a round can end where the gain does; series side by side.
    std::vector<std::size_t> order(points_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return points_[a].setting.jobs < points_[b].setting.jobs;
    });
    first_.assign(series_.front().begin(),
                  series_.front().begin() +
                      static_cast<std::ptrdiff_t>(std::min(series_.front().size(), kFirstPoints)));
    if (series_.front().size() == 1 && order.size() > 1) first_ = {order[0], order[1]};
    for (uint32_t round = rules_.rounds; round >= 1; --round) {
        const bool upwards = round % 2 == 1;
        for (std::size_t i = 0; i < order.size(); ++i) {
            // The queue is taken from its end.
            queue_.push_back({upwards ? order[order.size() - 1 - i] : order[i], round});
        }
    }
    if (rules_.warmUp) queue_.push_back({order.back(), 0});
}

std::optional<double> Sweep::estimate(std::size_t point) const {
    const Point& wanted = points_[point];
    if (wanted.measured()) return wanted.median() + overhead_;
    if (tried_[point]) return *tried_[point] + overhead_;
    // What somebody else has shown holds for it, too: the nearest with fewer jobs is no faster.
    std::optional<double> nearest;
    uint32_t nearestJobs = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const Point& other = points_[i];
        if (!other.measured() || !other.setting.alike(wanted.setting) ||
            other.setting.jobs > wanted.setting.jobs || other.setting.jobs < nearestJobs) {
            continue;
        }
        nearestJobs = other.setting.jobs;
        nearest = other.median();
    }
    if (wanted.predicted) {
        const double expected =
            *wanted.predicted * (corrections_.empty() ? 1 : medianOf(corrections_));
        return std::min(expected, nearest.value_or(expected)) + overhead_;
    }
    if (!nearest) return std::nullopt;
    return *nearest + overhead_;
}

bool Sweep::fits(const Measurement& measurement, double elapsed) const {
    if (!rules_.budget) return true;
    const std::optional<double> needed = estimate(measurement.point);
    if (measurement.round == 0) return needed && *needed <= *rules_.budget * kMostForWarmUp;
    const bool needsMustBe = measurement.round == 1 && std::find(first_.begin(), first_.end(),
                                                                 measurement.point) != first_.end();
    return needsMustBe || elapsed + needed.value_or(0) <= *rules_.budget;
}

std::optional<Sweep::Measurement> Sweep::next(double elapsed) {
    while (!queue_.empty()) {
        const Measurement candidate = queue_.back();
        queue_.pop_back();
        if (points_[candidate.point].leftOut != LeftOut::No) continue;
        if (candidate.round > kRoundsToBeClear && !rules_.everything && isClear()) continue;
        if (fits(candidate, elapsed)) return candidate;
        if (candidate.round == 1) leaveOut(candidate.point, LeftOut::Budget);
    }
    return std::nullopt;
}

void Sweep::done(const Measurement& measurement, Sample sample, double cost) {
    Point& point = points_[measurement.point];
    overhead_ = std::max(overhead_, cost - sample.seconds);
    if (measurement.round == 0) {
        tried_[measurement.point] = sample.seconds;
        return;
    }
    if (point.predicted && *point.predicted > 0) {
        corrections_.push_back(sample.seconds / *point.predicted);
    }
    point.samples.push_back(std::move(sample));
    if (measurement.round == 1 && !rules_.everything) spareWhatGainsNothing();
}

void Sweep::noRoom(uint32_t jobs) {
    for (std::size_t i = 0; i < points_.size(); ++i) {
        if (points_[i].setting.jobs >= jobs) leaveOut(i, LeftOut::NoRoom);
    }
}

void Sweep::stop() {
    queue_.clear();
    for (std::size_t i = 0; i < points_.size(); ++i) leaveOut(i, LeftOut::Stopped);
}

void Sweep::leaveOut(std::size_t point, LeftOut why) {
    if (points_[point].measured() || points_[point].leftOut != LeftOut::No) return;
    points_[point].leftOut = why;
}

void Sweep::spareWhatGainsNothing() {
    for (const std::vector<std::size_t>& series : series_) {
        std::optional<double> best;  // the last step that gained something
        std::size_t idle = 0;
        for (const std::size_t i : series) {
            if (idle >= kStepsWithoutGain) leaveOut(i, LeftOut::NoGain);
            if (!points_[i].measured()) continue;
            const double seconds = points_[i].samples.front().seconds;
            if (!best || seconds < *best * (1 - kAboutAsFast)) {
                best = seconds;
                idle = 0;
            } else {
                ++idle;
            }
        }
    }
}

bool Sweep::isClear() const {
    return std::all_of(series_.begin(), series_.end(), [&](const std::vector<std::size_t>& series) {
        const std::optional<Knee> knee = kneeOf(points_, series);
        return knee && knee->clear;
    });
}

}  // namespace gantry::tune
