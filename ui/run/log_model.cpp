// SPDX-License-Identifier: PostgreSQL
#include "ui/run/log_model.h"

#include <algorithm>

#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/gantt/gantt_text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using events::RunState;
using events::SpanState;

QString outcomeText(events::Outcome outcome) {
    switch (outcome) {
        case events::Outcome::Clean:
            return LogModel::tr("Finished without errors");
        case events::Outcome::CompletedWithErrors:
            return LogModel::tr("Finished, with errors on the way");
        case events::Outcome::Failed:
            return LogModel::tr("Failed");
        case events::Outcome::Cancelled:
            return LogModel::tr("Cancelled");
    }
    return {};
}

std::size_t countOf(const RunState& run) {
    return run.notices().size() + run.failures().size() + run.ignoredErrors().size() +
           (run.started() ? 1U : 0U) + (run.finished() ? 1U : 0U);
}

}  // namespace

void LogModel::collect(std::vector<Line>& lines) const {
    if (run_->started()) {
        QStringList facts;
        for (const auto& [name, value] : run_->started()->versions) {
            facts << QStringLiteral("%1 %2").arg(text(name), text(value));
        }
        for (const auto& [name, value] : run_->started()->options) {
            facts << QStringLiteral("%1=%2").arg(text(name), text(value));
        }
        lines.push_back({{},
                         tr("%1 of %2 · %3")
                             .arg(text(run_->started()->operation), text(run_->started()->database),
                                  facts.join(QStringLiteral(" · "))),
                         Tone::Plain,
                         {}});
    }
    for (const auto& [at, notice] : run_->notices()) {
        const bool warns = notice.severity == events::Severity::Warning;
        lines.push_back({at, inWindow(notice.message), warns ? Tone::Warning : Tone::Plain, {}});
    }
    for (const std::size_t index : run_->failures()) {
        const SpanState& span = run_->spans()[index];
        QString line = describe(*span.error);
        if (span.retried) line = tr("%1 (tried again)").arg(line);
        lines.push_back({span.end.value_or(run_->now()), line,
                         span.retried ? Tone::Warning : Tone::Error, span.span.task});
    }
    for (std::size_t i = 0; i < run_->ignoredErrors().size(); ++i) {
        const auto& [at, span] = run_->ignoredAt()[i];
        lines.push_back({at, tr("Passed over: %1").arg(describe(run_->ignoredErrors()[i])),
                         Tone::Error, span.task});
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.at < b.at; });
    if (!run_->finished()) return;
    QString line = outcomeText(run_->finished()->outcome);
    if (run_->finished()->error) {
        line = tr("%1: %2").arg(line, describe(*run_->finished()->error));
    }
    const bool clean = run_->finished()->outcome == events::Outcome::Clean;
    lines.push_back({run_->now(), line, clean ? Tone::Plain : Tone::Error, {}});
}

void LogModel::setRun(const RunState* run) {
    const std::size_t count = run == nullptr ? 0 : countOf(*run);
    if (run == run_ && count == seen_) return;
    run_ = run;
    seen_ = count;
    beginResetModel();
    lines_.clear();
    if (run_ != nullptr) collect(lines_);
    endResetModel();
    problems_ = static_cast<int>(std::count_if(
        lines_.begin(), lines_.end(), [](const Line& line) { return line.tone != Tone::Plain; }));
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Line& line = lines_[static_cast<std::size_t>(index.row())];
    const Theme& theme = currentTheme();
    switch (role) {
        case Qt::DisplayRole:
            return QStringLiteral("%1  %2").arg(clockText(line.at), line.text);
        case Qt::ToolTipRole:
            return line.text;
        case Qt::ForegroundRole:
            if (line.tone == Tone::Error) return theme.error;
            return line.tone == Tone::Warning ? QVariant(theme.warning) : QVariant();
        default:
            return {};
    }
}

std::optional<TaskId> LogModel::taskAt(int row) const {
    if (row < 0 || static_cast<std::size_t>(row) >= lines_.size()) return std::nullopt;
    return lines_[static_cast<std::size_t>(row)].task;
}

int LogModel::firstRowOf(TaskId task) const {
    const auto found = std::find_if(lines_.begin(), lines_.end(),
                                    [&](const Line& line) { return line.task == task; });
    return found == lines_.end() ? -1 : static_cast<int>(found - lines_.begin());
}

QString LogModel::allText() const {
    QString all;
    for (const Line& line : lines_) {
        all += QStringLiteral("%1  %2\n").arg(clockText(line.at), line.text);
    }
    return all;
}

}  // namespace gantry::ui
