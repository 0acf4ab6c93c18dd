// SPDX-License-Identifier: PostgreSQL
// A sweep on a terminal.
#include "app/headless/tune_text.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/tune/sample_report.h"

using namespace gantry;
using namespace gantry::headless;

TEST_CASE("a sweep is a table with the advice beneath") {
    CHECK(renderSweep(test::sampleReport(), {.width = 100}) ==
          R"(Dump of "shop" to nowhere, PostgreSQL 18.1, 2 cores here

  jobs  seconds  spread  predicted  speed-up  efficiency  archive
     1     8.00      2%       7.50      1.00        100%   310 MB
     2     4.40      2%       4.20      1.82         91%   310 MB  advised
     4     4.40      2%       4.20      1.82         45%   310 MB
     8     4.60      4%       4.30      1.74         22%   310 MB
    12                        4.30                                 spared: fewer gained nothing

Take 2 jobs: the dump takes 4.40 s, 45% less than with one job (8.00 s). More gain nothing: 4 jobs
4.40 s and 8 jobs 4.60 s. What limits it there is the processors, which the server and Gantry share.
Predicted were 4.20 s, 5% too short. Each was measured 3 times, in turns; repeats of one differ by
4% at most. 12 jobs were not measured: two steps before had gained nothing.
)");
}

TEST_CASE("formats and codecs have columns where there is a choice") {
    tune::Report report = test::sampleReport();
    report.points.resize(2);
    for (tune::Point& point : report.points) {
        point.setting.jobs = 2;
        point.setting.compression = io::parseCompression("zstd:1");
        point.predicted.reset();
        point.samples.resize(1);
    }
    report.points[0].setting.format = archive::Format::Directory;
    report.points[1].setting.format = archive::Format::Custom;
    const std::string text = renderSweep(report, {.width = 100});
    CHECK(text.find("  jobs  format     codec   seconds  speed-up  efficiency  archive\n"
                    "     2  directory  zstd:1     8.10      1.00        100%   310 MB"
                    "  best of directory, zstd:1\n"
                    "     2  custom     zstd:1     4.40      1.00        100%   310 MB"
                    "  advised\n") != std::string::npos);
}

TEST_CASE("a measurement says which it is") {
    const tune::Report report = test::sampleReport();
    CHECK(renderMeasurement(report, {.point = 2, .round = 2}, 7, 15) ==
          "7 of 15  4 jobs, second time");
    CHECK(renderMeasurement(report, {.point = 3, .round = 0}, 1, 16) ==
          "1 of 16  8 jobs, a first time, which does not count");
}
