// SPDX-License-Identifier: PostgreSQL
// A sweep: which measurement comes next, when it is enough, and what the measurements say.
//
// Pure, like the scheduler of a run: somebody else measures, and time is what he says it is.
//
//   rounds      every point once a round, in one direction and then back, so that what drifts
//               meanwhile (caches, other load, the disk's mood) favours none of them
//   no gain     two steps up in a row that gain nothing: the steps above are left out
//   clear       two rounds of which no single measurement contradicts the advice: the rest is
//   spared budget      nothing is begun whose estimate does not fit any more; but the first two
//   points are
//               measured once in any case, since less would say nothing
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/advise/curve.h"
#include "core/archive/toc.h"
#include "core/io/compression.h"

namespace gantry::tune {

/// How the operation is carried out; what is empty has no meaning for it.
struct Setting {
    uint32_t jobs = 1;
    std::optional<archive::Format> format{};
    std::optional<io::Compression> compression{};

    /// Whether they differ in the number of jobs at most: those are compared with one another.
    bool alike(const Setting& other) const {
        return format == other.format && compression == other.compression;
    }
};

struct Sample {
    double seconds = 0;
    uint64_t archiveBytes = 0;  ///< 0: no archive was made
    uint64_t ignoredErrors = 0;
    std::filesystem::path record{};  ///< of its events; empty: none was kept
};

enum class LeftOut { No, NoGain, Budget, NoRoom, Stopped };

struct Point {
    Setting setting;
    /// By the advisor before anything was measured, in seconds.
    std::optional<double> predicted{};
    double lowerBound = 0;                 ///< seconds; 0: unknown
    std::optional<advise::Limit> limit{};  ///< what keeps it from being faster, as predicted
    std::vector<Sample> samples{};
    LeftOut leftOut = LeftOut::No;  ///< why it has no sample

    void foresee(const advise::CurvePoint& point) {
        predicted = point.seconds;
        lowerBound = point.lowerBound;
        limit = point.limit;
    }
    bool measured() const { return !samples.empty(); }
    double median() const;  ///< of the samples, of which there is one; so are the others
    double fastest() const;
    double slowest() const;
    /// (slowest − fastest) ÷ median.
    double spread() const;
};

/// What the points of one series say.
struct Knee {
    std::size_t advised = 0;  ///< the fewest jobs that are about as fast as the fastest
    std::size_t fastest = 0;
    double margin = 0;   ///< as a share of the fastest: what counts as "about as fast"
    bool clear = false;  ///< at least two rounds, and no single measurement contradicts
};

/// Indexes of the points that are alike, in the order of their first ones; by jobs within.
std::vector<std::vector<std::size_t>> seriesOf(std::span<const Point> points);
/// Empty if none of them is measured.
std::optional<Knee> kneeOf(std::span<const Point> points, const std::vector<std::size_t>& series);

struct Rules {
    uint32_t rounds = 3;
    std::optional<double> budget{};  ///< seconds
    bool everything = false;         ///< neither "no gain" nor "clear" spares anything
    bool warmUp = true;              ///< begin with a run that does not count
};

/// One thread at a time.
class Sweep {
public:
    struct Measurement {
        std::size_t point = 0;
        uint32_t round = 0;  ///< from 1; 0: it does not count
        friend bool operator==(const Measurement&, const Measurement&) = default;
    };

    Sweep(std::vector<Point> points, Rules rules);

    /// What to do next, `elapsed` seconds after the beginning; empty when nothing is left to do.
    std::optional<Measurement> next(double elapsed);
    /// What next() said last is done: `cost` seconds went by, with all that belongs to it.
    void done(const Measurement& measurement, Sample sample, double cost);
    /// The server has no room for so many jobs, nor for more.
    void noRoom(uint32_t jobs);
    /// Ends it: what was not measured is marked so.
    void stop();

    const std::vector<Point>& points() const { return points_; }
    /// What a measurement of it will take altogether; empty if nothing tells.
    std::optional<double> estimate(std::size_t point) const;
    /// What next() may still say, if nothing is spared or left out.
    std::size_t left() const { return queue_.size(); }

private:
    void leaveOut(std::size_t point, LeftOut why);
    void spareWhatGainsNothing();
    bool isClear() const;
    bool fits(const Measurement& measurement, double elapsed) const;

    std::vector<Point> points_;
    const Rules rules_;
    std::vector<Measurement> queue_;  ///< the next one last
    std::vector<std::vector<std::size_t>> series_;
    std::vector<std::size_t> first_;   ///< points that are measured whatever the budget says
    double overhead_ = 0;              ///< seconds beside each measurement, the most so far
    std::vector<double> corrections_;  ///< measured ÷ predicted
    std::vector<std::optional<double>> tried_;  ///< by point: seconds of what does not count
};

}  // namespace gantry::tune
