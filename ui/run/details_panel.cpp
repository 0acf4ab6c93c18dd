// SPDX-License-Identifier: PostgreSQL
#include "ui/run/details_panel.h"

#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "core/report/utilization.h"
#include "core/report/verdict.h"
#include "ui/charts/outlook_curve.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/layout.h"
#include "ui/shell/page.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using events::RunState;
using events::SpanState;
using events::TaskState;

constexpr std::size_t kTopObjects = 4;
constexpr double kLeastOutlook = 0.5;      ///< seconds; of less, chance decides
constexpr Duration kWorthTelling{50'000};  ///< less would be shown as nothing

QLabel* wrapped(QLabel* label) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return label;
}

double share(Duration part, Duration whole) {
    if (whole <= Duration::zero()) return 0;
    return std::min(1.0, static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

}  // namespace

DetailsPanel::DetailsPanel(bool live, QWidget* parent)
    : QScrollArea(parent),
      live_(live),
      title_(wrapped(makeLabel({}, "heading"))),
      facts_(new QFormLayout),
      statementTitle_(makeLabel(tr("Statement"), "muted")),
      statement_(wrapped(makeLabel({}, "plain"))),
      note_(wrapped(makeLabel({}, "note"))),
      curve_(new OutlookCurve),
      curveTitle_(makeLabel(tr("Time with other numbers of workers"), "muted")),
      buttons_(new QWidget),
      cancel_(new QPushButton(tr("Cancel this item"))),
      retry_(new QPushButton(tr("Retry this item…"))),
      log_(new QPushButton(tr("Show log lines"))) {
    setObjectName(QStringLiteral("detailsPanel"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Details"));
    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(8);
    column->addWidget(title_);
    facts_->setHorizontalSpacing(14);
    facts_->setVerticalSpacing(5);
    facts_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    column->addLayout(facts_);
    // Not a row among the facts: these would all grow with it.
    column->addWidget(statementTitle_);
    column->addWidget(statement_);
    note_->setObjectName(QStringLiteral("note"));
    column->addWidget(note_);
    column->addWidget(curveTitle_);
    column->addWidget(curve_);
    auto* row = new QHBoxLayout(buttons_);
    row->setContentsMargins(0, 2, 0, 0);
    row->addWidget(cancel_);
    row->addWidget(retry_);
    row->addWidget(log_);
    row->addStretch(1);
    column->addWidget(buttons_);
    column->addStretch(1);
    setWidget(inside);
    curve_->hide();
    retry_->hide();
    connect(retry_, &QPushButton::clicked, this, [this] {
        if (task_) Q_EMIT retryAsked(*task_);
    });
    connect(cancel_, &QPushButton::clicked, this, [this] {
        if (task_) Q_EMIT cancelAsked(*task_);
    });
    connect(log_, &QPushButton::clicked, this, [this] {
        if (task_) Q_EMIT logAsked(*task_);
    });
}

/// Rows are used again: the panel is refreshed several times a second.
void DetailsPanel::addFact(const QString& name, const QString& value, bool mono) {
    const int row = static_cast<int>(row_++);
    if (row >= facts_->rowCount()) {
        facts_->addRow(makeLabel({}, "muted"), wrapped(makeLabel({}, "plain")));
    }
    facts_->setRowVisible(row, true);
    auto* label = qobject_cast<QLabel*>(facts_->itemAt(row, QFormLayout::LabelRole)->widget());
    auto* field = qobject_cast<QLabel*>(facts_->itemAt(row, QFormLayout::FieldRole)->widget());
    if (label->text() != name) label->setText(name);
    if (field->text() != value) field->setText(value);
    field->setAccessibleName(name);
    field->setFont(mono ? monospaceFont() : interfaceFont());
}

void DetailsPanel::showStatement() {
    if (statement_->text() != told_) statement_->setText(told_);
    statement_->setFont(monospaceFont());
    statement_->setVisible(!told_.isEmpty());
    statementTitle_->setVisible(!told_.isEmpty());
}

void DetailsPanel::clear() {
    for (int row = static_cast<int>(row_); row < facts_->rowCount(); ++row) {
        facts_->setRowVisible(row, false);
    }
}

void DetailsPanel::show(const RunState& run, const report::Throughput& throughput,
                        const RunInsight& insight, std::optional<TaskId> task,
                        std::optional<PartPlace> part, std::optional<Range> range) {
    row_ = 0;
    told_.clear();
    task_ = task && run.tasks().contains(*task) ? task : std::nullopt;
    QString note;
    if (range) {
        showRange(run, throughput, *range);
    } else if (task_ && part) {
        const SpanState& span = run.spans()[part->span];
        title_->setText(partTitle(span.parts[part->part]));
        for (const auto& [name, value] : factsOf(run, span, span.parts[part->part])) {
            addFact(name, value);
        }
    } else if (task_) {
        showTask(run, insight, *task_);
    } else {
        showRun(run, insight);
        note = limitOf(run);
    }
    if (range || task_) {
        const auto& tasks = run.tasks();
        const auto found = task_ ? tasks.find(*task_) : tasks.end();
        if (!range && found != tasks.end() && !found->second.spans.empty()) {
            note = idleNote(run, run.spans()[found->second.spans.back()].worker);
        }
    }
    clear();
    showStatement();
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
    const bool whole = !range && !task_;
    curve_->setVisible(whole && outlooks_);
    curveTitle_->setVisible(curve_->isVisibleTo(this));
    buttons_->setVisible(!whole && !range);
    cancel_->setVisible(live_ && !run.finished());
    cancel_->setEnabled(task_ && run.tasks().at(*task_).runningSpans > 0);
}

void DetailsPanel::showTask(const RunState& run, const RunInsight& insight, TaskId id) {
    const TaskState& task = run.tasks().at(id);
    title_->setText(QStringLiteral("%1 · %2").arg(text(task.object), kindName(task.kind)));
    addFact(tr("State"), statusOf(run, task).text);
    QStringList shares;
    if (insight.longest && insight.longest->task == id) {
        shares << tr("longest task, %1 of the run").arg(shareText(insight.longest->share));
    }
    const std::vector<bool>& critical = insight.critical;
    if (std::any_of(task.spans.begin(), task.spans.end(),
                    [&](std::size_t span) { return span < critical.size() && critical[span]; })) {
        shares << tr("on the critical path");
    }
    if (!shares.isEmpty()) addFact(tr("Share of run"), shares.join(QStringLiteral("; ")));
    if (task.spans.size() == 1) {
        for (const auto& [name, value] : factsOf(run, run.spans()[task.spans.front()])) {
            addFact(name, value);
        }
    } else if (!task.spans.empty()) {
        uint64_t rows = 0;
        uint64_t bytes = 0;
        uint64_t compressed = 0;
        std::set<int32_t> backends;
        Duration begin = run.now();
        Duration end{};
        for (const std::size_t index : task.spans) {
            const SpanState& span = run.spans()[index];
            rows += span.rows;
            bytes += span.bytes;
            compressed += span.compressedBytes;
            if (span.backendPid != 0) backends.insert(span.backendPid);
            begin = std::min(begin, span.begin);
            end = std::max(end, span.end.value_or(run.now()));
        }
        QStringList pids;
        for (const int32_t pid : backends) pids << QString::number(pid);
        addFact(tr("Time"), periodText(begin, end));
        addFact(tr("Parts"),
                tr("%1, over backends %2")
                    .arg(countText(task.spans.size()), pids.join(QStringLiteral(", "))));
        if (rows > 0) addFact(tr("Rows"), countText(rows));
        if (bytes > 0) {
            addFact(
                tr("Bytes"),
                task.status == events::TaskStatus::Running
                    ? tr("%1 of about %2").arg(bytesText(bytes), bytesText(run.expectedBytes(task)))
                    : bytesText(bytes));
            addFact(tr("Rate"),
                    rateText(static_cast<double>(bytes) * 1e6 /
                             static_cast<double>(std::max<int64_t>((end - begin).count(), 1))));
        }
        if (compressed > 0) addFact(tr("Compressed"), bytesText(compressed));
    } else if (task.estimatedBytes > 0) {
        addFact(tr("Size"), tr("about %1").arg(bytesText(task.estimatedBytes)));
    }
    QString statement;
    for (const std::size_t index : task.spans) {
        const std::string& sent = run.spans()[index].statement;
        if (!sent.empty()) statement = text(sent).trimmed();
    }
    if (task.runningSpans > 0) showSessions(run, task, statement);
    QStringList before;
    for (const TaskId other : task.after) {
        const auto found = run.tasks().find(other);
        if (found == run.tasks().end()) continue;
        if (before.size() == static_cast<qsizetype>(kTopObjects)) {
            before << tr("and %1 more").arg(task.after.size() - kTopObjects);
            break;
        }
        before << shortObject(found->second.object);
    }
    if (!before.isEmpty()) addFact(tr("Comes after"), before.join(QStringLiteral(", ")));
    for (const std::size_t index : task.spans) {
        if (run.spans()[index].error) {
            showError(*run.spans()[index].error);
            return;
        }
    }
    for (std::size_t i = 0; i < run.ignoredAt().size(); ++i) {
        if (run.ignoredAt()[i].second.task != id) continue;
        showError(run.ignoredErrors()[i]);
        return;
    }
    told_ = statement;
}

/// What runs for the task now, as the server tells it; its statement only if the run did not tell.
void DetailsPanel::showSessions(const RunState& run, const TaskState& task, QString& statement) {
    if (backends_ == nullptr) return;
    QStringList waits;
    for (const std::size_t index : task.spans) {
        const SpanState& span = run.spans()[index];
        const auto facts = span.running() ? backends_->find(span.backendPid) : backends_->end();
        if (facts == backends_->end()) continue;
        if (statement.isEmpty()) statement = text(facts->second.statement);
        const QString wait =
            facts->second.wait.empty() ? tr("nothing: it works") : text(facts->second.wait);
        waits << tr("%1: %2").arg(QString::number(span.backendPid), wait);
        for (const std::string& blocker : facts->second.blockers) {
            waits << tr("blocked by %1").arg(text(blocker));
        }
    }
    if (!waits.isEmpty()) addFact(tr("Waits for"), waits.join(u'\n'));
}

void DetailsPanel::showError(const ErrorInfo& error) {
    addFact(tr("Cause"), text(error.message));
    if (!error.sqlState.empty()) addFact(tr("SQLSTATE"), text(error.sqlState), true);
    if (!error.hint.empty()) addFact(tr("What to do"), inWindow(error.hint));
    told_ = text(error.statement).trimmed();
}

void DetailsPanel::showRange(const RunState& run, const report::Throughput& throughput,
                             Range range) {
    title_->setText(tr("%1 to %2").arg(clockText(range.first), clockText(range.second)));
    const Duration length = range.second - range.first;
    const report::Utilization use = report::utilizationOf(run, range.first, range.second);
    addFact(tr("Length"), durationText(length));
    addFact(tr("Workers busy"), shareText(use.busyShare()));
    const double bytes = throughput.bytesBetween(range.first, range.second);
    addFact(tr("Bytes"), bytesText(static_cast<uint64_t>(bytes)));
    if (length > Duration::zero()) {
        addFact(tr("Throughput"), rateText(bytes * 1e6 / static_cast<double>(length.count())));
    }
    std::map<std::string, Duration> objects;
    std::size_t tasks = 0;
    for (const SpanState& span : run.spans()) {
        const Duration common = std::min(span.end.value_or(run.now()), range.second) -
                                std::max(span.begin, range.first);
        if (common <= Duration::zero()) continue;
        objects[span.object] += common;
        ++tasks;
    }
    addFact(tr("Tasks"), countText(tasks));
    std::vector<std::pair<Duration, std::string>> top;
    for (const auto& [object, time] : objects) top.emplace_back(time, object);
    std::sort(top.rbegin(), top.rend());
    for (std::size_t i = 0; i < std::min(top.size(), kTopObjects); ++i) {
        addFact(
            i == 0 ? tr("Most time on") : QString(),
            QStringLiteral("%1 (%2)").arg(shortObject(top[i].second), durationText(top[i].first)));
    }
    for (const report::IdleTotal& idle : use.idle) {
        addFact(tr("Idle"),
                QStringLiteral("%1: %2").arg(
                    durationText(idle.total),
                    idleText({.worker = {}, .cause = idle.cause, .on = idle.longestOn})));
    }
}

void DetailsPanel::showRun(const RunState& run, const RunInsight& insight) {
    title_->setText(run.finished() ? tr("Where the time went") : tr("The run so far"));
    const report::Utilization& use = insight.use;
    if (const auto& longest = insight.longest) {
        addFact(tr("Longest task"),
                tr("%1, %2 (%3)")
                    .arg(shortObject(longest->object), durationText(longest->duration),
                         shareText(longest->share)));
    }
    if (insight.lowerBound) {
        const bool waited = insight.firstWait >= kWorthTelling;
        const QString bound =
            boundText(run, *insight.lowerBound - (waited ? insight.firstWait : Duration::zero()));
        const QString said =
            insight.workers == 1
                ? tr("%1 with one worker, whatever the order").arg(bound)
                : tr("%1 with %2 workers, whatever the order").arg(bound).arg(insight.workers);
        addFact(tr("Lower bound"),
                waited ? tr("%1, without the wait for a lock before").arg(said) : said);
    }
    QStringList shares;
    constexpr std::size_t kMostListed = 16;
    for (const report::WorkerUse& worker : use.workers) {
        if (shares.size() == static_cast<qsizetype>(kMostListed)) {
            shares << tr("…");
            break;
        }
        QString share = QStringLiteral("%1: %2").arg(QString::number(worker.worker.value),
                                                     shareText(worker.busyShare()));
        shares << share.replace(u' ', QChar::Nbsp);  // lines break between workers only
    }
    if (!shares.isEmpty()) addFact(tr("Busy by worker"), shares.join(QStringLiteral("   ")));
    for (std::size_t i = 0; i < std::min(use.idle.size(), kTopObjects); ++i) {
        const report::IdleTotal& idle = use.idle[i];
        if (idle.total < kWorthTelling) break;
        addFact(i == 0 ? tr("Idle") : QString(),
                QStringLiteral("%1 · %2").arg(
                    durationText(idle.total),
                    idleText({.worker = {}, .cause = idle.cause, .on = idle.longestOn})));
    }
    if (run.finished()) {
        const events::RunFinished& end = *run.finished();
        if (end.rows > 0) addFact(tr("Rows"), countText(end.rows));
        if (end.bytes > 0) addFact(tr("Bytes"), bytesText(end.bytes));
        if (end.compressedBytes > 0) addFact(tr("On disk"), bytesText(end.compressedBytes));
        if (end.ignoredErrors > 0) addFact(tr("Passed over"), countText(end.ignoredErrors));
        if (end.error) showError(*end.error);
    }
}

/// While it runs: what will decide when it ends.
QString DetailsPanel::limitOf(const RunState& run) const {
    std::optional<Duration> latest;
    const SpanState* last = nullptr;
    for (const auto& [id, worker] : run.workers()) {
        if (!worker.span) continue;
        const SpanState& span = run.spans()[*worker.span];
        const auto end = expectedEnd(run, span);
        if (end && (!latest || *end > *latest)) {
            latest = end;
            last = &span;
        }
    }
    if (last == nullptr || !latest) return {};
    return tr("Of what runs now, %1 will take longest: until about %2.")
        .arg(barLabel(run, *last), clockText(*latest));
}

QString DetailsPanel::idleNote(const RunState& run, WorkerId worker) const {
    Duration most{};
    const events::IdleState* longest = nullptr;
    for (const events::IdleState& idle : run.idles()) {
        if (idle.idle.worker != worker || idle.idle.cause == events::IdleCause::Left) continue;
        const Duration time = idle.end.value_or(run.now()) - idle.begin;
        if (time > most) {
            most = time;
            longest = &idle;
        }
    }
    if (longest == nullptr || share(most, run.now()) < 0.02) return {};
    return tr("%1 idled %2 from %3 on: %4.")
        .arg(workerName(worker), durationText(most), clockText(longest->begin),
             idleText(longest->idle));
}

void DetailsPanel::setOutlooks(const std::vector<report::Outlook>& outlooks, uint32_t workers) {
    outlooks_ = !outlooks.empty() && outlooks.front().seconds >= kLeastOutlook;
    curve_->setOutlooks(outlooks, workers);
}

}  // namespace gantry::ui
