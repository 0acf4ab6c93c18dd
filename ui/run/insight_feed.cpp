// SPDX-License-Identifier: PostgreSQL
#include "ui/run/insight_feed.h"

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

#include "core/report/verdict.h"
#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/vacuum_sums.h"

namespace gantry::ui {
namespace {

constexpr uint32_t kMostWhatIf = 16;

RunJudgement judgementOf(const events::RunState& run, const std::stop_token& stop) {
    const report::MeasuredRun measured = report::measure(run);
    RunJudgement judgement;
    judgement.workers = measured.workers;
    judgement.outlooks =
        report::whatIf(measured, std::max(kMostWhatIf, 2 * measured.workers), stop);
    judgement.verdict = text(report::verdict(run, measured, judgement.outlooks));
    const QString vacuumed = vacuumVerdict(run);
    if (!vacuumed.isEmpty()) judgement.verdict = vacuumed + u' ' + judgement.verdict;
    return judgement;
}

}  // namespace

void InsightFeed::observe(const events::RunState& run) {
    const bool over = run.finished().has_value();
    if (run.now() < seen_ || run.spans().size() < seenSpans_ || (seenOver_ && !over)) forget();
    if (over ? !seenOver_ || run.now() > seen_ : !looking_.running() && pace_.due()) look(run);
}

void InsightFeed::forget() {
    looking_.stop();
    judging_.stop();
    seen_ = {};
    seenSpans_ = 0;
    seenOver_ = false;
    insight_ = {};
    Q_EMIT changed();
    if (judgement_.verdict.isEmpty()) return;
    judgement_ = {};
    Q_EMIT judged();
}

void InsightFeed::look(const events::RunState& run) {
    std::shared_ptr<const events::RunState> copy;
    {
        const Pace::Turn turn(pace_);
        copy = std::make_shared<const events::RunState>(run);
    }
    seen_ = run.now();
    seenSpans_ = run.spans().size();
    seenOver_ = run.finished().has_value();
    const auto ignore = [](const ErrorInfo&) {};
    looking_.stop();
    looking_ = runAsync(
        this, [copy](const std::stop_token&) { return insightInto(*copy); },
        [this](RunInsight insight) {
            insight_ = std::move(insight);
            Q_EMIT changed();
        },
        ignore);
    if (!seenOver_) return;
    // Simulations take a while for many tasks: the rest does not wait for them.
    judging_ = runAsync(
        this, [copy](const std::stop_token& stop) { return judgementOf(*copy, stop); },
        [this](RunJudgement judgement) {
            judgement_ = std::move(judgement);
            Q_EMIT judged();
        },
        ignore);
}

}  // namespace gantry::ui
