// SPDX-License-Identifier: PostgreSQL
#include "ui/run/summary_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "ui/bridge/run_controller.h"
#include "ui/charts/kind_bar.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/shell/page.h"

namespace gantry::ui {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTrendWindow = 8s;
constexpr std::size_t kLeastTrend = 5;
constexpr int kSliderDelayMs = 250;
constexpr int kLeastMost = 16;  ///< workers that the slider offers at least

QWidget* separator() {
    auto* line = new QFrame;
    line->setObjectName(QStringLiteral("cellLine"));
    line->setFixedWidth(1);
    line->setFrameShape(QFrame::VLine);
    return line;
}

/// Workers that have not left.
int presentWorkers(const events::RunState& run) {
    int count = 0;
    for (const auto& [id, worker] : run.workers()) {
        const bool left = worker.idle && worker.idle->cause == events::IdleCause::Left;
        if (id.value != 0 && !left) ++count;
    }
    return count;
}

}  // namespace

void EndTrend::observe(Duration now, std::optional<Duration> left) {
    if (!left) return;
    if (!ends_.empty() && now - ends_.back().first < 250ms) return;
    ends_.emplace_back(now, now + *left);
    while (ends_.size() > 1 && now - ends_.front().first > kTrendWindow) ends_.pop_front();
}

std::optional<Duration> EndTrend::uncertainty() const {
    if (ends_.size() < kLeastTrend) return std::nullopt;
    const auto [least, most] =
        std::minmax_element(ends_.begin(), ends_.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    return (most->second - least->second) / 2;
}

SummaryStrip::SummaryStrip(RunController* controller, QWidget* parent)
    : QWidget(parent), controller_(controller) {
    setObjectName(QStringLiteral("summaryStrip"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    progress_ = addCell(row, tr("Progress"), 5);
    bar_ = new KindBar(this);
    progress_.value->parentWidget()->layout()->addWidget(bar_);
    elapsed_ = addCell(row, tr("Elapsed"), 2);
    left_ = addCell(row, tr("Left"), 2);
    throughput_ = addCell(row, tr("Throughput"), 2);
    busy_ = addCell(row, tr("Workers busy"), 2);
    if (controller_ != nullptr) addSlider(row);
    setFixedHeight(70);
}

SummaryStrip::Cell SummaryStrip::addCell(QHBoxLayout* row, const QString& caption, int stretch) {
    if (row->count() > 0) row->addWidget(separator());
    auto* cell = new QWidget(this);
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(16, 9, 12, 9);
    column->setSpacing(3);
    column->addWidget(makeLabel(caption, "muted"));
    auto* values = new QHBoxLayout;
    values->setSpacing(6);
    Cell made{.value = makeLabel({}, "title", cell), .more = makeLabel({}, "muted", cell)};
    made.value->setAccessibleName(caption);
    values->addWidget(made.value);
    values->addWidget(made.more, 1);
    column->addLayout(values);
    column->addStretch(1);
    row->addWidget(cell, stretch);
    return made;
}

void SummaryStrip::addSlider(QHBoxLayout* row) {
    row->addWidget(separator());
    auto* cell = new QWidget(this);
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(16, 9, 16, 9);
    column->setSpacing(3);
    sliderCaption_ = makeLabel({}, "muted");
    column->addWidget(sliderCaption_);
    auto* line = new QHBoxLayout;
    slider_ = new QSlider(Qt::Horizontal);
    slider_->setRange(1, std::max(kLeastMost, 2 * QThread::idealThreadCount()));
    slider_->setPageStep(1);
    slider_->setValue(static_cast<int>(controller_->request().workers));  // until they are there
    slider_->setAccessibleName(tr("Number of workers"));
    sliderValue_ = makeLabel(QString::number(slider_->value()), "heading");
    sliderValue_->setMinimumWidth(24);
    line->addWidget(slider_, 1);
    line->addWidget(sliderValue_);
    column->addLayout(line);
    column->addStretch(1);
    row->addWidget(cell, 3);
    sliderCaption_->setText(tr("Workers · 1 to %1").arg(slider_->maximum()));
    // While it is dragged it does not start and end a worker at every step.
    sliderDelay_ = new QTimer(this);
    sliderDelay_->setSingleShot(true);
    sliderDelay_->setInterval(kSliderDelayMs);
    connect(slider_, &QSlider::valueChanged, this, [this](int value) {
        sliderValue_->setText(QString::number(value));
        sliderDelay_->start();
        sinceSlid_.start();
    });
    connect(sliderDelay_, &QTimer::timeout, this,
            [this] { controller_->setWorkers(static_cast<uint32_t>(slider_->value())); });
}

void SummaryStrip::show(const events::RunState& run) {
    const bool over = run.finished().has_value();
    progress_.value->setText(percentText(run.fraction()));
    elapsed_.value->setText(over ? durationText(run.now()) : clockText(run.now()));
    trend_.observe(run.now(), run.timeLeft());
    if (over) {
        left_.value->setText(QStringLiteral("–"));
        left_.more->clear();
    } else if (const auto left = run.timeLeft()) {
        left_.value->setText(clockText(*left));
        const auto uncertain = trend_.uncertainty();
        left_.more->setText(uncertain ? QStringLiteral("± %1").arg(clockText(*uncertain))
                                      : QString());
    } else {
        left_.value->setText(tr("measuring…"));
        left_.more->clear();
    }
    const double average =
        run.now() > Duration::zero()
            ? static_cast<double>(run.bytesDone()) * 1e6 / static_cast<double>(run.now().count())
            : 0;
    throughput_.value->setText(rateText(over ? average : run.rate()));
    throughput_.more->setText(over ? tr("on average") : QString());
    if (slider_ != nullptr) showWorkers(run);
}

void SummaryStrip::showTasks(const events::RunState& run) {
    std::size_t done = 0;
    std::size_t all = 0;
    for (const auto& [id, task] : run.tasks()) {
        if (task.status == events::TaskStatus::Withdrawn) continue;
        ++all;
        if (task.status == events::TaskStatus::Done) ++done;
    }
    const QString tasks = tr("%1 of %2 tasks").arg(countText(done), countText(all));
    const QString amount =
        run.expectedBytes() == 0
            ? tasks
            : tr("%1 of %2 · %3")
                  .arg(bytesText(run.bytesDone()), bytesText(run.expectedBytes()), tasks);
    // Of other runs than dumps the percent are of the time that their work takes, whatever its
    // bytes.
    const bool byTime = run.started() && run.started()->operation != "dump";
    progress_.more->setText(byTime ? tr("of the work · %1").arg(amount) : amount);
    bar_->setShares(sharesDone(run));
}

void SummaryStrip::showBusy(const report::Utilization& use) {
    busy_.value->setText(use.end > use.begin ? shareText(use.busyShare()) : QStringLiteral("–"));
}

void SummaryStrip::showWorkers(const events::RunState& run) {
    const bool active = controller_->phase() == RunPhase::Running;
    slider_->setEnabled(active);
    constexpr int kSettleMs = 3000;
    if (slider_->isSliderDown() || (sinceSlid_.isValid() && sinceSlid_.elapsed() < kSettleMs)) {
        return;
    }
    const int workers = presentWorkers(run);
    if (workers == 0 || workers == slider_->value()) return;
    const QSignalBlocker quiet(slider_);
    slider_->setMaximum(std::max(slider_->maximum(), workers));
    slider_->setValue(workers);
    sliderValue_->setText(QString::number(workers));
}

}  // namespace gantry::ui
