// SPDX-License-Identifier: PostgreSQL
// The figures above a run.
#include "ui/run/summary_strip.h"

#include <QLabel>
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace gantry::ui;
using namespace std::chrono_literals;

namespace {

QLabel* valueOf(const SummaryStrip& strip, const QString& caption) {
    for (QLabel* label : strip.findChildren<QLabel*>()) {
        if (label->accessibleName() == caption) return label;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("how busy workers are is not told before they could be") {
    SummaryStrip strip(nullptr);
    const QLabel* busy = valueOf(strip, QStringLiteral("Workers busy"));
    REQUIRE(busy);
    RunBuilder run(1);
    run.start(0, 1);
    strip.showBusy(report::utilizationOf(run.state));
    CHECK(busy->text() == QStringLiteral("–"));
    run.now = 100ms;
    run.progress(0, 100);
    strip.showBusy(report::utilizationOf(run.state));
    CHECK(busy->text() == QStringLiteral("100%"));
}
