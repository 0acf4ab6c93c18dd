// SPDX-License-Identifier: PostgreSQL
#include "core/advise/curve.h"

#include <algorithm>
#include <limits>

namespace gantry::advise {
namespace {

constexpr double kAsFastAsTheBest = 1.05;
constexpr Range kAssumedTimes{0.5, 2.0};
constexpr Range kMeasuredTimes{0.85, 1.2};

}  // namespace

std::string_view toString(Limit limit) {
    switch (limit) {
        case Limit::Connections:
            return "connections";
        case Limit::LongestTable:
            return "longest table";
        case Limit::LongestChain:
            return "longest chain";
        case Limit::Locks:
            return "locks";
        case Limit::Definitions:
            return "definitions";
        case Limit::LocalCpu:
            return "local CPU";
        case Limit::ServerCpu:
            return "server CPU";
        case Limit::SharedCpu:
            return "shared CPU";
        case Limit::Network:
            return "network";
        case Limit::Disk:
            return "disk";
    }
    return "";
}

const CurvePoint& Curve::at(uint32_t jobs) const {
    const auto beyond =
        std::upper_bound(points.begin(), points.end(), jobs,
                         [](uint32_t count, const CurvePoint& p) { return count < p.jobs; });
    return beyond == points.begin() ? points.front() : *(beyond - 1);
}

Range Curve::timeRange(uint32_t jobs) const {
    const Range factor = measured ? kMeasuredTimes : kAssumedTimes;
    return {at(jobs).seconds * factor.low, at(jobs).seconds * factor.high};
}

double Curve::speedUp(uint32_t jobs) const {
    const double seconds = at(jobs).seconds;
    return seconds > 0 ? points.front().seconds / seconds : 1;
}

double Curve::efficiency(uint32_t jobs) const {
    const CurvePoint& point = at(jobs);
    return speedUp(jobs) * points.front().jobs / std::max(point.jobs, 1U);
}

void Curve::findKnee(uint32_t advisable) {
    const uint32_t most = std::max(std::min(mostJobs, advisable), points.front().jobs);
    double best = std::numeric_limits<double>::infinity();
    for (const CurvePoint& point : points) {
        if (point.jobs <= most) best = std::min(best, point.seconds);
    }
    const auto fastEnough = std::find_if(points.begin(), points.end(), [&](const CurvePoint& p) {
        return p.seconds <= best * kAsFastAsTheBest;
    });
    knee = fastEnough == points.end() ? 1 : fastEnough->jobs;
}

const Recommendation* Advice::find(std::string_view setting) const {
    const auto found =
        std::find_if(recommendations.begin(), recommendations.end(),
                     [&](const Recommendation& one) { return one.setting == setting; });
    return found == recommendations.end() ? nullptr : &*found;
}

std::string Advice::reason(std::string_view setting) const {
    const Recommendation* found = find(setting);
    return found == nullptr ? std::string() : found->reason;
}

}  // namespace gantry::advise
