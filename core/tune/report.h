// SPDX-License-Identifier: PostgreSQL
// What a sweep came to: figures for tables, charts and scripts, and advice in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/options/tune_options.h"
#include "core/tune/bench.h"
#include "core/tune/sweep.h"

namespace gantry::tune {

struct Report {
    options::TuneOptions options;  ///< as it was asked for; no password
    std::string sweep;             ///< its name in the history
    Place where;
    std::optional<advise::Curve> foreseen{};  ///< by the advisor, of what was asked for first
    uint32_t cores = 1;                       ///< of this machine
    std::vector<Point> points;                ///< in the order in which they were asked for
    double seconds = 0;                       ///< that all of it took so far
    std::vector<std::string> remarks{};       ///< what has to be known to read the figures
    std::optional<ErrorInfo> error{};         ///< what ended it early
    bool stopped = false;                     ///< somebody asked for its end
    bool over = false;

    bool anyMeasured() const;
};

/// One line of the table: a point and what it means beside the others of its series.
struct Row {
    std::size_t point = 0;
    double speedUp = 0;             ///< against the fewest jobs of its series; 0: not measured
    double efficiency = 0;          ///< speed-up for each job, as many times as there are jobs more
    std::optional<double> error{};  ///< (predicted − measured) ÷ measured
    bool advised = false;           ///< the choice among all points
    bool knee = false;              ///< the choice of its series
    bool fastest = false;           ///< of its series
    std::string note;               ///< for people; may be empty
};
/// In the order of the points.
std::vector<Row> rowsOf(const Report& report);

/// The point to take: of the knees the fastest; of those that are about as fast the first. Empty
/// while nothing is measured.
std::optional<std::size_t> advisedPoint(const Report& report);

/// "4.37 s", "12.3 s", "2:05".
std::string secondsText(double seconds);
/// "4 jobs", "4 jobs, custom, zstd:3".
std::string describe(const Setting& setting);
/// "Dump of \"shop\" to nowhere".
std::string subjectOf(const Report& report);

/// What a DBA would tell a colleague, in sentences: the advice first, then what it rests on, what
/// was left out, and what has to be known.
std::vector<std::string> adviceInWords(const Report& report);

/// One object; the names are part of the contract with scripts.
std::string toJson(const Report& report);

}  // namespace gantry::tune
