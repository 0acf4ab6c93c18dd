// SPDX-License-Identifier: PostgreSQL
// A sweep as it may have come out.
#pragma once

#include "core/tune/report.h"

namespace gantry::test {

/// A dump of "shop" on two cores: two jobs are enough, 12 were spared.
inline tune::Report sampleReport() {
    tune::Report report;
    report.options.operation = options::TuneOperation::Dump;
    report.where = {"shop", "db1:5432", "18.1 (Debian)"};
    report.cores = 2;
    report.sweep = "2026-11-20T14:02:03Z";
    report.over = true;
    const auto add = [&](uint32_t jobs, std::vector<double> seconds, double predicted) {
        tune::Point point{.setting = {.jobs = jobs}};
        for (const double value : seconds) {
            point.samples.push_back({.seconds = value, .archiveBytes = 310'000'000});
        }
        point.predicted = predicted;
        report.points.push_back(std::move(point));
    };
    add(1, {8.1, 8.0, 7.9}, 7.5);
    add(2, {4.4, 4.5, 4.4}, 4.2);
    add(4, {4.3, 4.4, 4.4}, 4.2);
    add(8, {4.6, 4.5, 4.7}, 4.3);
    add(12, {}, 4.3);
    report.points.back().leftOut = tune::LeftOut::NoGain;
    report.points[1].limit = advise::Limit::SharedCpu;
    return report;
}

}  // namespace gantry::test
