// SPDX-License-Identifier: PostgreSQL
// What is told of an advice beneath the jobs, and behind the button.
#include "ui/pages/advice_note.h"

#include <QTextBrowser>
#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::ui;

namespace {

advise::Advice sample() {
    advise::Advice advice;
    advice.recommendations = {{.setting = "jobs",
                               .value = "2",
                               .range = "2 to 4",
                               .reason = "both cores are busy then",
                               .warning = "3 would leave no connection to anybody else."},
                              {.setting = "compress", .value = "zstd:1", .reason = "a & b"}};
    advice.curve.points = {
        {.jobs = 1, .seconds = 20, .lowerBound = 19, .limit = advise::Limit::Connections},
        {.jobs = 2, .seconds = 11, .lowerBound = 10, .limit = advise::Limit::SharedCpu},
        {.jobs = 3, .seconds = 11, .lowerBound = 10, .limit = advise::Limit::SharedCpu}};
    advice.curve.knee = 2;
    advice.curve.mostJobs = 2;
    advice.curve.measured = true;
    advice.warnings = {"What was measured on this server may no longer hold: it is 31 days old."};
    advice.facts = {"The server is PostgreSQL 18.1, on this machine, with 2 cores."};
    return advice;
}

}  // namespace

TEST_CASE("advice note: what would harm, and what is out of date, is told without asking") {
    AdviceNote note;
    auto* warnings = note.findChild<QLabel*>(QStringLiteral("adviceWarnings"));
    auto* more = note.findChild<QPushButton*>(QStringLiteral("allAdvice"));
    CHECK(warnings->isHidden());
    CHECK(more->isHidden());
    note.setAdvice(sample());
    CHECK(note.findChild<QLabel*>(QStringLiteral("jobsReason"))->text() ==
          QStringLiteral("2 advised: both cores are busy then."));
    CHECK(
        warnings->text() ==
        QStringLiteral("jobs: 3 would leave no connection to anybody else.\n"
                       "What was measured on this server may no longer hold: it is 31 days old."));
    CHECK_FALSE(warnings->isHidden());
    note.setFailure(QStringLiteral("no connection"));
    CHECK(warnings->isHidden());
    CHECK(more->isHidden());
}

TEST_CASE("advice note: all settings, the curve with its limits, and what it goes by") {
    AdviceNote note;
    note.setAdvice(sample());
    note.findChild<QPushButton*>(QStringLiteral("allAdvice"))->click();
    auto* text = note.findChild<QTextBrowser*>();
    REQUIRE(text != nullptr);
    const QString all = text->toPlainText();
    for (const char* told : {"jobs = 2 (or 2 to 4)", "both cores are busy then.",
                             "Mind: 3 would leave", "a & b.", "shared CPU · advised",
                             "shared CPU · no room", "91%", "With 2 jobs it takes 9.3 s to 13 s.",
                             "it is 31 days old", "The server is PostgreSQL 18.1"}) {
        CAPTURE(told);
        CHECK(all.contains(QString::fromUtf8(told)));
    }
}
