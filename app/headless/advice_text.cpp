// SPDX-License-Identifier: PostgreSQL
#include "app/headless/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/headless/quantity.h"
#include "core/options/option.h"

namespace gantry::headless {
namespace {

using advise::Advice;
using advise::Curve;
using advise::CurvePoint;
using Json = nlohmann::ordered_json;

constexpr std::size_t kIndent = 4;
constexpr std::size_t kMostRows = 10;

std::string paragraph(const std::string& text, std::size_t width, std::size_t indent) {
    return std::string(indent, ' ') + options::wrapText(printable(text), width - indent, indent) +
           "\n";
}

std::string secondsText(double seconds) {
    return humanDuration(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

std::string renderRecommendations(const Advice& advice, std::size_t width) {
    std::string text;
    for (const advise::Recommendation& one : advice.recommendations) {
        text += fmt::format("  {} = {}{}\n", one.setting, printable(one.value),
                            one.range.empty() ? "" : fmt::format("   (or {})", one.range));
        text += paragraph(one.reason, width, kIndent);
        if (!one.warning.empty()) text += paragraph("Mind: " + one.warning, width, kIndent);
    }
    return text;
}

/// The first few, the knee with its neighbours, the last, and some between.
bool isShown(const Curve& curve, std::size_t place) {
    if (curve.points.size() <= kMostRows) return true;
    const CurvePoint& point = curve.points[place];
    const bool last = place + 1 == curve.points.size();
    const bool atKnee = point.jobs + 1 >= curve.knee && point.jobs <= curve.knee + 1;
    const bool power = (point.jobs & (point.jobs - 1)) == 0;
    return last || atKnee || power || point.jobs == curve.mostJobs;
}

std::string renderCurve(const Curve& curve) {
    std::string text = fmt::format("  {:>6}  {:>12}  {:>8}  {:>10}  {:>12}  {}\n", "jobs", "time",
                                   "speed-up", "efficiency", "lower bound", "limited by");
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        if (!isShown(curve, i)) continue;
        const CurvePoint& p = curve.points[i];
        std::string limit(advise::toString(p.limit));
        if (p.jobs == curve.knee) limit += "   <- advised";
        if (p.jobs > curve.mostJobs) limit += "   (no room for so many connections)";
        text += fmt::format("  {:>6}  {:>12}  {:>7.1f}x  {:>9.0f}%  {:>12}  {}\n", p.jobs,
                            secondsText(p.seconds), curve.speedUp(p.jobs),
                            curve.efficiency(p.jobs) * 100, secondsText(p.lowerBound), limit);
    }
    return text;
}

std::string howSure(const Curve& curve) {
    const advise::Range range = curve.timeRange(curve.knee);
    if (curve.measured) {
        return fmt::format("With {} it takes {} to {}.",
                           curve.knee == 1 ? "one job" : fmt::format("{} jobs", curve.knee),
                           secondsText(range.low), secondsText(range.high));
    }
    if (curve.outdated) {
        return "These times may be half or twice as long: what was measured may no longer hold.";
    }
    return "These times may be half or twice as long: rates are those of a usual machine, since "
           "nothing like it was measured on this server yet.";
}

Json rangeJson(const std::optional<advise::Range>& range) {
    if (!range) return nullptr;
    return {{"low", range->low}, {"high", range->high}};
}

}  // namespace

std::string renderAdvice(const AdviceReport& report, std::size_t width) {
    const Advice& advice = report.advice;
    std::string text =
        fmt::format("For a {} of {}:\n\n", report.operation, printable(report.database));
    text += renderRecommendations(advice, width);
    text += "\nPredicted:\n\n" + renderCurve(advice.curve) + "\n";
    text += paragraph(howSure(advice.curve), width, 2);
    if (advice.archiveBytes) {
        text += paragraph(fmt::format("The archive will be about {} to {}.",
                                      humanBytes(static_cast<uint64_t>(advice.archiveBytes->low)),
                                      humanBytes(static_cast<uint64_t>(advice.archiveBytes->high))),
                          width, 2);
    }
    for (const std::string& warning : advice.warnings) {
        text += paragraph("Mind: " + warning, width, 2);
    }
    if (!advice.facts.empty()) text += "\nIt goes by this:\n\n";
    for (const std::string& fact : advice.facts) text += paragraph(fact, width, 2);
    return text;
}

std::string adviceJson(const AdviceReport& report) {
    const Advice& advice = report.advice;
    Json recommendations = Json::array();
    for (const advise::Recommendation& one : advice.recommendations) {
        recommendations.push_back({{"setting", one.setting},
                                   {"value", one.value},
                                   {"range", one.range},
                                   {"reason", one.reason},
                                   {"warning", one.warning}});
    }
    Json curve = Json::array();
    for (const CurvePoint& point : advice.curve.points) {
        const advise::Range range = advice.curve.timeRange(point.jobs);
        curve.push_back({{"jobs", point.jobs},
                         {"seconds", point.seconds},
                         {"seconds_low", range.low},
                         {"seconds_high", range.high},
                         {"lower_bound_seconds", point.lowerBound},
                         {"speed_up", advice.curve.speedUp(point.jobs)},
                         {"efficiency", advice.curve.efficiency(point.jobs)},
                         {"limit", advise::toString(point.limit)}});
    }
    const Json whole = {
        {"operation", report.operation},
        {"database", report.database},
        {"measured", advice.curve.measured},
        {"jobs", advice.jobs()},
        {"most_jobs", advice.curve.mostJobs},
        {"recommendations", std::move(recommendations)},
        {"curve", std::move(curve)},
        {"archive_bytes", rangeJson(advice.archiveBytes)},
        {"warnings", advice.warnings},
        {"facts", advice.facts},
        {"calibration",
         report.calibration ? Json::parse(advise::toJson(*report.calibration)) : Json()}};
    return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gantry::headless
