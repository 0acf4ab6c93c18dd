// SPDX-License-Identifier: PostgreSQL
// The figures above a run.
#include "ui/run/summary_strip.h"

#include <QLabel>
#include <QStringList>
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

TEST_CASE("percent that are not those of the bytes beside them say of what they are") {
    SummaryStrip strip(nullptr);
    const auto beside = [&] {
        QStringList words;
        for (const QLabel* label :
             valueOf(strip, QStringLiteral("Progress"))->parentWidget()->findChildren<QLabel*>()) {
            words << label->text();
        }
        return words.join(u'|');
    };
    RunBuilder run;
    run.plan(0, 2'000'000);
    run.start(0, 1, 2'000'000);
    run.progress(0, 1'000'000);
    strip.show(run.state);
    strip.showTasks(run.state);
    CHECK(beside() == QStringLiteral("Progress|50%|1.0 MB of 2.0 MB · 0 of 1 tasks"));
    RunStarted vacuum;
    vacuum.operation = "vacuum";
    vacuum.workers = 1;
    run.post(vacuum);
    run.end(Outcome::Clean);
    strip.show(run.state);
    strip.showTasks(run.state);
    CHECK(beside().contains(QStringLiteral("|of the work · 1.0 MB of ")));
}
