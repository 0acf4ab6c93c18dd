// SPDX-License-Identifier: PostgreSQL
#include "ui/run/insight_feed.h"

#include <QElapsedTimer>
#include <algorithm>
#include <chrono>
#include <mutex>
#include <stop_token>
#include <utility>

#include "core/report/verdict.h"
#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/vacuum_sums.h"

namespace gantry::ui {
namespace {

/// Sooner there is nothing to be found out, and a look then would only put the next one off.
bool hasBegun(const events::RunState& run) {
    constexpr Duration kFirstLook = std::chrono::milliseconds(300);
    return !run.spans().empty() && run.now() - run.spans().front().begin >= kFirstLook;
}

}  // namespace

/// The run once more, for those who look at it in the background.
struct InsightFeed::Shadow {
    explicit Shadow(events::RunState soFar) : run(std::move(soFar)) {}

    std::mutex adding;
    std::vector<FoldedEvents> added;  ///< and not folded yet; `adding` held
    std::mutex looking;
    events::RunState run;  ///< `looking` held

    /// With `looking` held.
    const events::RunState& caughtUp() {
        std::vector<FoldedEvents> batches;
        {
            const std::lock_guard own(adding);
            batches.swap(added);
        }
        for (const FoldedEvents& batch : batches) {
            for (std::size_t i = batch.begin; i < batch.end; ++i) run.apply((*batch.events)[i]);
        }
        return run;
    }

    RunInsight insight() {
        const std::lock_guard own(looking);
        return insightInto(caughtUp());
    }

    RunJudgement judgement(const std::stop_token& stop) {
        constexpr uint32_t kMostWhatIf = 16;
        std::unique_lock own(looking);
        const report::MeasuredRun measured = report::measure(caughtUp());
        const bool whole = run.finished() && run.finished()->cameToItsEnd();
        own.unlock();
        RunJudgement judgement;
        judgement.workers = measured.workers;
        if (whole) {
            judgement.outlooks =
                report::whatIf(measured, std::max(kMostWhatIf, 2 * measured.workers), stop);
        }
        own.lock();
        judgement.verdict = text(report::verdict(run, measured, judgement.outlooks));
        const QString vacuumed = vacuumVerdict(run);
        if (!vacuumed.isEmpty()) judgement.verdict = vacuumed + u' ' + judgement.verdict;
        return judgement;
    }
};

InsightFeed::InsightFeed(const events::RunState& run, QObject* parent)
    : QObject(parent), shadow_(std::make_shared<Shadow>(run)) {}

void InsightFeed::add(const FoldedEvents& events) {
    const std::lock_guard own(shadow_->adding);
    shadow_->added.push_back(events);
}

void InsightFeed::observe(const events::RunState& run) {
    const bool over = run.finished().has_value();
    if (over ? !seenOver_ || run.now() > seen_
             : hasBegun(run) && !looking_.running() && pace_.due()) {
        look(run);
    }
}

void InsightFeed::forget() {
    looking_.stop();
    judging_.stop();
    shadow_ = std::make_shared<Shadow>(events::RunState{});
    seen_ = {};
    seenOver_ = false;
    insight_ = {};
    Q_EMIT changed();
    if (judgement_.verdict.isEmpty()) return;
    judgement_ = {};
    Q_EMIT judged();
}

void InsightFeed::look(const events::RunState& run) {
    seen_ = run.now();
    seenOver_ = run.finished().has_value();
    const auto ignore = [](const ErrorInfo&) {};
    looking_.stop();
    looking_ = runAsync(
        this,
        [shadow = shadow_](const std::stop_token&) {
            // Until the pool gets round to it costs nothing.
            QElapsedTimer watch;
            watch.start();
            RunInsight insight = shadow->insight();
            return std::pair(std::move(insight), watch.elapsed());
        },
        [this](std::pair<RunInsight, qint64> found) {
            pace_.took(found.second);
            insight_ = std::move(found.first);
            Q_EMIT changed();
        },
        ignore);
    if (!seenOver_) return;
    // Simulations take a while for many tasks: the rest does not wait for them.
    judging_ = runAsync(
        this, [shadow = shadow_](const std::stop_token& stop) { return shadow->judgement(stop); },
        [this](RunJudgement judgement) {
            judgement_ = std::move(judgement);
            Q_EMIT judged();
        },
        ignore);
}

}  // namespace gantry::ui
