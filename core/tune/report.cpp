// SPDX-License-Identifier: PostgreSQL
#include "core/tune/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/text.h"

namespace gantry::tune {
namespace {

constexpr double kWorthSaying = 0.05;
constexpr double kRestless = 0.2;  // a spread beyond which the advice is a guess
constexpr double kTwice = 1.95;    // from here on "times as fast" says more than per cent

std::string jobsText(uint32_t jobs) {
    return jobs == 1 ? std::string("one job") : fmt::format("{} jobs", jobs);
}

std::string percent(double share) { return fmt::format("{:.0f}%", std::abs(share) * 100); }

/// "1.8 times".
std::string times(double factor) {
    return fmt::format("{:.{}f} times", factor, factor < 10 ? 1 : 0);
}

std::string capital(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

/// What tells a series from the others: "custom, zstd:3"; empty if there is nothing.
std::string variantOf(const Setting& setting) {
    std::vector<std::string> words;
    if (setting.format) words.emplace_back(archive::toString(*setting.format));
    if (setting.compression) {
        words.push_back(setting.compression->algorithm == io::Algorithm::None &&
                                !setting.compression->automatic
                            ? "uncompressed"
                            : io::toString(*setting.compression));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

uint64_t archiveBytesOf(const Point& point) {
    uint64_t bytes = 0;
    for (const Sample& sample : point.samples) bytes = std::max(bytes, sample.archiveBytes);
    return bytes;
}

std::string_view whyLeftOut(LeftOut why) {
    switch (why) {
        case LeftOut::No:
            return "";
        case LeftOut::NoGain:
            return "spared: fewer gained nothing";
        case LeftOut::Budget:
            return "did not fit the time";
        case LeftOut::NoRoom:
            return "no room on the server";
        case LeftOut::Stopped:
            return "not reached";
    }
    return "";
}

std::string_view inWords(advise::Limit limit) {
    switch (limit) {
        case advise::Limit::Connections:
            return "how many connections there are";
        case advise::Limit::LongestTable:
            return "the longest table, which cannot be shared out further";
        case advise::Limit::LongestChain:
            return "steps that wait for each other";
        case advise::Limit::Locks:
            return "steps that lock each other out";
        case advise::Limit::Definitions:
            return "the definitions, which one connection deals with";
        case advise::Limit::LocalCpu:
            return "this machine's processors";
        case advise::Limit::ServerCpu:
            return "the server's processors";
        case advise::Limit::SharedCpu:
            return "the processors, which the server and Gantry share";
        case advise::Limit::Network:
            return "the network";
        case advise::Limit::Disk:
            return "the disk";
    }
    return "";
}

std::string noteFor(const Report& report, const Row& row) {
    const Point& point = report.points[row.point];
    if (!point.measured()) return std::string(whyLeftOut(point.leftOut));
    std::vector<std::string> words;
    if (row.advised) words.emplace_back("advised");
    if (row.knee && !row.advised && !variantOf(point.setting).empty()) {
        words.push_back("best of " + variantOf(point.setting));
    }
    if (row.fastest && !row.knee) words.emplace_back("fastest");
    uint64_t errors = 0;
    for (const Sample& sample : point.samples) errors = std::max(errors, sample.ignoredErrors);
    if (errors > 0) {
        words.push_back(
            fmt::format("{} error{} ignored", formatCount(errors), errors == 1 ? "" : "s"));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

/// Gathers the sentences about one series.
class Words {
public:
    explicit Words(const Report& report)
        : report_(report), points_(report.points), all_(seriesOf(report.points)) {}

    std::vector<std::string> make();

private:
    const std::vector<std::size_t>& seriesOfPoint(std::size_t point) const {
        return *std::find_if(all_.begin(), all_.end(), [&](const auto& series) {
            return std::find(series.begin(), series.end(), point) != series.end();
        });
    }
    std::size_t fewest(const std::vector<std::size_t>& series) const {
        return *std::find_if(series.begin(), series.end(),
                             [&](std::size_t i) { return points_[i].measured(); });
    }
    std::string name(std::size_t point) const {
        return all_.size() > 1 ? describe(points_[point].setting)
                               : jobsText(points_[point].setting.jobs);
    }

    void advise(std::size_t advised);
    void tellMore(std::size_t advised, const Knee& knee);
    void compareSeries(std::size_t advised);
    void tellPrediction(std::size_t advised);
    void tellBasis();
    void tellLeftOut(LeftOut why, std::string_view sentence);

    const Report& report_;
    const std::vector<Point>& points_;
    const std::vector<std::vector<std::size_t>> all_;
    std::vector<std::string> sentences_;
};

void Words::advise(std::size_t advised) {
    const Point& point = points_[advised];
    const std::size_t base = fewest(seriesOfPoint(advised));
    const std::string took = secondsText(point.median());
    const std::string_view operation = options::toString(*report_.options.operation);
    if (base == advised) {
        sentences_.push_back(
            fmt::format("Take {}: the {} takes {}.", name(advised), operation, took));
        return;
    }
    const double gain = points_[base].median() / point.median();
    sentences_.push_back(fmt::format(
        "Take {}: the {} takes {}, {} with {} ({}).", name(advised), operation, took,
        gain < kTwice ? percent(1 - 1 / gain) + " less than" : times(gain) + " as fast as",
        jobsText(points_[base].setting.jobs), secondsText(points_[base].median())));
}

void Words::tellMore(std::size_t advised, const Knee& knee) {
    std::vector<std::string> more;
    double best = points_[advised].median();
    for (const std::size_t i : seriesOfPoint(advised)) {
        if (points_[i].setting.jobs <= points_[advised].setting.jobs || !points_[i].measured()) {
            continue;
        }
        best = std::min(best, points_[i].median());
        more.push_back(fmt::format("{} {}", jobsText(points_[i].setting.jobs),
                                   secondsText(points_[i].median())));
    }
    const double gain = 1 - best / points_[advised].median();
    if (more.empty()) {
        const std::vector<std::size_t>& series = seriesOfPoint(advised);
        if (series.size() > 1 && series.back() == advised) {
            sentences_.push_back(fmt::format(
                "That is the most that was tried, and it still gained: try more than {}.",
                jobsText(points_[advised].setting.jobs)));
        }
    } else if (gain > 0.01) {
        sentences_.push_back(
            fmt::format("More gain {} at most ({}), too little to tell from chance (repeats and "
                        "margin: {}) or to load the server for.",
                        percent(gain), enumerate(more), percent(knee.margin)));
    } else {
        sentences_.push_back(fmt::format("More gain nothing: {}.", enumerate(more)));
    }
    const std::optional<advise::Limit> limit = points_[advised].limit;
    if (limit && *limit != advise::Limit::Connections) {
        sentences_.push_back(fmt::format("What limits it there is {}.", inWords(*limit)));
    }
}

void Words::compareSeries(std::size_t advised) {
    const Point& chosen = points_[advised];
    for (const std::vector<std::size_t>& series : all_) {
        const std::optional<Knee> knee = kneeOf(points_, series);
        if (!knee || points_[knee->advised].setting.alike(chosen.setting)) continue;
        const Point& other = points_[knee->advised];
        const double factor = other.median() / chosen.median();
        std::string text =
            capital(describe(other.setting)) + (other.setting.jobs == 1 ? " takes " : " take ");
        if (factor > 1 + kWorthSaying) {
            text += factor < kTwice ? fmt::format("{} longer", percent(factor - 1))
                                    : fmt::format("{} as long", times(factor));
        } else {
            text += "about as long";
        }
        text += fmt::format(" ({})", secondsText(other.median()));
        if (archiveBytesOf(other) > 0 && archiveBytesOf(chosen) > 0) {
            const std::string size = formatBytes(archiveBytesOf(other));
            const std::string ours = formatBytes(archiveBytesOf(chosen));
            text += size == ours ? fmt::format(" for {} as well", size)
                                 : fmt::format(" for {} instead of {}", size, ours);
        }
        sentences_.push_back(text + ".");
    }
}

void Words::tellPrediction(std::size_t advised) {
    const Point& point = points_[advised];
    if (!point.predicted) return;
    const double error = *point.predicted / point.median() - 1;
    std::string verdict = std::abs(error) < 0.01 ? "which was right"
                          : error < 0            ? fmt::format("{} too short", percent(error))
                                                 : fmt::format("{} too long", percent(error));
    sentences_.push_back(
        fmt::format("Predicted were {}, {}.", secondsText(*point.predicted), verdict));
}

void Words::tellBasis() {
    std::size_t least = 0;
    std::size_t most = 0;
    double spread = 0;
    for (const Point& point : points_) {
        if (!point.measured()) continue;
        least = least == 0 ? point.samples.size() : std::min(least, point.samples.size());
        most = std::max(most, point.samples.size());
        spread = std::max(spread, point.spread());
    }
    if (most == 1) {
        sentences_.emplace_back(
            "Each was measured once: do not rely on small differences before it is repeated.");
        return;
    }
    const auto count = [](std::size_t times) {
        if (times > 2) return fmt::format("{} times", times);
        return std::string(times == 1 ? "once" : "twice");
    };
    const std::string often =
        least == most ? count(most) : fmt::format("{} to {}", count(least), count(most));
    sentences_.push_back(
        fmt::format("Each was measured {}, in turns; repeats of one differ by {} "
                    "at most.",
                    often, percent(spread)));
    if (spread > kRestless) {
        sentences_.emplace_back(
            "That is much: other work disturbed it, so measure again when the machines are quiet.");
    }
}

void Words::tellLeftOut(LeftOut why, std::string_view sentence) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        if (points_[i].leftOut == why && !points_[i].measured()) names.push_back(name(i));
    }
    if (names.empty()) return;
    const bool one = names.size() == 1 && points_.size() > 1;
    sentences_.push_back(fmt::format("{} {} not measured: {}.", capital(enumerate(names)),
                                     one && names.front() == "one job" ? "was" : "were", sentence));
}

std::vector<std::string> Words::make() {
    if (const auto advised = advisedPoint(report_)) {
        const std::optional<Knee> knee = kneeOf(points_, seriesOfPoint(*advised));
        advise(*advised);
        tellMore(*advised, *knee);
        compareSeries(*advised);
        tellPrediction(*advised);
        tellBasis();
    } else if (report_.over) {
        sentences_.emplace_back("Nothing was measured to its end, so there is no advice.");
    }
    tellLeftOut(LeftOut::NoGain, "two steps before had gained nothing");
    tellLeftOut(LeftOut::Budget, fmt::format("they did not fit into {}", report_.options.budget));
    tellLeftOut(LeftOut::NoRoom, "the server has not room for so many connections");
    if (report_.stopped) {
        tellLeftOut(LeftOut::Stopped, "the sweep was stopped");
    } else if (report_.error) {
        sentences_.push_back(fmt::format("The sweep ended early: {}", report_.error->describe()));
    }
    if (!sentences_.empty() && report_.anyMeasured()) {
        sentences_.insert(sentences_.end(), report_.remarks.begin(), report_.remarks.end());
    }
    return std::move(sentences_);
}

}  // namespace

std::string secondsText(double seconds) {
    if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
    return formatDuration(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

bool Report::anyMeasured() const {
    return std::any_of(points.begin(), points.end(),
                       [](const Point& point) { return point.measured(); });
}

std::optional<std::size_t> advisedPoint(const Report& report) {
    std::optional<std::size_t> best;
    double margin = 0;
    for (const std::vector<std::size_t>& series : seriesOf(report.points)) {
        const std::optional<Knee> knee = kneeOf(report.points, series);
        if (!knee) continue;
        // The first asked for wins unless another is clearly faster.
        if (!best ||
            report.points[knee->advised].median() * (1 + margin) < report.points[*best].median()) {
            best = knee->advised;
            margin = knee->margin;
        }
    }
    return best;
}

std::vector<Row> rowsOf(const Report& report) {
    std::vector<Row> rows(report.points.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].point = i;
    const std::optional<std::size_t> advised = advisedPoint(report);
    for (const std::vector<std::size_t>& series : seriesOf(report.points)) {
        const std::optional<Knee> knee = kneeOf(report.points, series);
        const Point* base = nullptr;
        for (const std::size_t i : series) {
            const Point& point = report.points[i];
            if (!point.measured()) continue;
            if (base == nullptr) base = &point;
            Row& row = rows[i];
            row.speedUp = base->median() / point.median();
            row.efficiency = row.speedUp * base->setting.jobs / point.setting.jobs;
            if (point.predicted) row.error = *point.predicted / point.median() - 1;
            row.knee = knee && knee->advised == i;
            row.fastest = knee && knee->fastest == i;
            row.advised = advised == i;
        }
    }
    for (Row& row : rows) row.note = noteFor(report, row);
    return rows;
}

std::string describe(const Setting& setting) {
    const std::string variant = variantOf(setting);
    return jobsText(setting.jobs) + (variant.empty() ? "" : ", " + variant);
}

std::string subjectOf(const Report& report) {
    const options::TuneOptions& o = report.options;
    switch (*o.operation) {
        case options::TuneOperation::Dump:
            return fmt::format("Dump of \"{}\" to {}", report.where.database,
                               options::toString(o.targetOrUsual()));
        case options::TuneOperation::Restore:
            return fmt::format("Restore of {} into {}", o.archive.filename().string(),
                               o.scratch ? "a throwaway server" : "scratch databases");
        case options::TuneOperation::Vacuum:
            return fmt::format("Vacuum of {}\"{}\"", o.copy ? "a copy of " : "",
                               report.where.database);
    }
    return {};
}

std::vector<std::string> adviceInWords(const Report& report) { return Words(report).make(); }

std::string toJson(const Report& report) {
    using Json = nlohmann::ordered_json;
    const options::TuneOptions& o = report.options;
    Json json{{"operation", options::toString(*o.operation)},
              {"subject", subjectOf(report)},
              {"sweep", report.sweep},
              {"database", report.where.database},
              {"server", report.where.server},
              {"server_version", report.where.serverVersion},
              {"local_cores", report.cores},
              {"seconds", report.seconds},
              {"stopped", report.stopped}};
    if (*o.operation == options::TuneOperation::Dump) {
        json["to"] = options::toString(o.targetOrUsual());
    }
    if (report.error) json["error"] = report.error->describe();
    if (report.foreseen) json["advised_beforehand"] = report.foreseen->knee;
    Json points = Json::array();
    for (const Row& row : rowsOf(report)) {
        const Point& point = report.points[row.point];
        Json entry{{"jobs", point.setting.jobs}};
        if (point.setting.format) entry["format"] = archive::toString(*point.setting.format);
        if (point.setting.compression) {
            entry["compress"] = io::toString(*point.setting.compression);
        }
        Json seconds = Json::array();
        Json records = Json::array();
        for (const Sample& sample : point.samples) {
            seconds.push_back(sample.seconds);
            if (!sample.record.empty()) records.push_back(sample.record.string());
        }
        entry["seconds"] = std::move(seconds);
        if (point.measured()) {
            entry["median"] = point.median();
            entry["fastest"] = point.fastest();
            entry["slowest"] = point.slowest();
            entry["speed_up"] = row.speedUp;
            entry["efficiency"] = row.efficiency;
        } else {
            entry["left_out"] = whyLeftOut(point.leftOut);
        }
        if (point.predicted) entry["predicted"] = *point.predicted;
        if (point.lowerBound > 0) entry["lower_bound"] = point.lowerBound;
        if (point.limit) entry["limit"] = advise::toString(*point.limit);
        if (archiveBytesOf(point) > 0) entry["archive_bytes"] = archiveBytesOf(point);
        entry["advised"] = row.advised;
        entry["knee"] = row.knee;
        if (!records.empty()) entry["records"] = std::move(records);
        points.push_back(std::move(entry));
    }
    json["points"] = std::move(points);
    json["advice"] = adviceInWords(report);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gantry::tune
