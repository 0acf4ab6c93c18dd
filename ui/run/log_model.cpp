// SPDX-License-Identifier: PostgreSQL
#include "ui/run/log_model.h"

#include <algorithm>

#include "core/restore/error_causes.h"
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
    collectErrors(lines);
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.at < b.at; });
    if (!run_->finished()) return;
    QString line = run_->finished()->brokenOff ? tr("The record breaks off here")
                                               : outcomeText(run_->finished()->outcome);
    const std::optional<ErrorInfo>& why = run_->finished()->error;
    const bool told = why && std::any_of(run_->failures().begin(), run_->failures().end(),
                                         [&, said = why->describe()](std::size_t index) {
                                             const SpanState& span = run_->spans()[index];
                                             return !span.ignored && span.error->describe() == said;
                                         });
    if (why && !told) line = tr("%1: %2").arg(line, describe(*why));
    const bool clean = run_->finished()->outcome == events::Outcome::Clean;
    lines.push_back({run_->now(), line, clean ? Tone::Plain : Tone::Error, {}});
}

void LogModel::collectErrors(std::vector<Line>& lines) const {
    // What of a span is passed over is an error of its own beside the span's failure.
    std::set<std::pair<events::Span, std::string>> passedOver;
    for (std::size_t i = 0; i < run_->ignoredErrors().size(); ++i) {
        passedOver.emplace(run_->ignoredAt()[i].second, run_->ignoredErrors()[i].message);
    }
    for (const std::size_t index : run_->failures()) {
        const SpanState& span = run_->spans()[index];
        const bool told =
            span.ignored && !span.retried && passedOver.contains({span.span, span.error->message});
        if (told) continue;
        QString line = describe(*span.error);
        if (span.retried) line = tr("%1 (tried again)").arg(line);
        lines.push_back({span.end.value_or(run_->now()), line,
                         span.retried ? Tone::Warning : Tone::Error, span.span.task});
    }
    const auto& errors = run_->ignoredErrors();
    for (const restore::Cause& cause : restore::groupByCause(errors)) {
        const std::size_t first = cause.errors.front();
        const auto& [at, span] = run_->ignoredAt()[first];
        if (cause.errors.size() == 1) {
            lines.push_back(
                {at, tr("Passed over: %1").arg(describe(errors[first])), Tone::Error, span.task});
            continue;
        }
        ErrorInfo common = errors[first];
        common.object.clear();
        common.byteOffset.reset();
        common.message = cause.message;
        Line line{
            at,
            tr("Passed over %1 times: %2").arg(countText(cause.errors.size()), describe(common)),
            Tone::Error,
            {}};
        line.cause = first;
        for (const std::size_t error : cause.errors) {
            const auto& [when, where] = run_->ignoredAt()[error];
            Line object{when, text(errors[error].object), Tone::Error, where.task};
            object.isObject = true;
            line.objects.push_back(std::move(object));
        }
        lines.push_back(std::move(line));
    }
}

void LogModel::setRun(const RunState* run) {
    const std::size_t count = run == nullptr ? 0 : countOf(*run);
    if (run == run_ && count == seen_) return;
    if (run != run_ || count < seen_) unfolded_.clear();
    run_ = run;
    seen_ = count;
    std::vector<Line> lines;
    if (run_ != nullptr) collect(lines);
    problems_ = static_cast<int>(std::count_if(
        lines.begin(), lines.end(), [](const Line& line) { return line.tone != Tone::Plain; }));
    beginResetModel();
    lines_.clear();
    for (Line& line : lines) {
        lines_.push_back(std::move(line));
        const Line cause = lines_.back();
        if (!cause.cause || !unfolded_.contains(*cause.cause)) continue;
        lines_.insert(lines_.end(), cause.objects.begin(), cause.objects.end());
    }
    endResetModel();
}

void LogModel::toggle(int row) {
    if (row < 0 || row >= rowCount()) return;
    const Line line = lines_[static_cast<std::size_t>(row)];
    if (!line.cause) return;
    const auto begin = lines_.begin() + row + 1;
    const int last = row + static_cast<int>(line.objects.size());
    if (unfolded_.insert(*line.cause).second) {
        beginInsertRows({}, row + 1, last);
        lines_.insert(begin, line.objects.begin(), line.objects.end());
        endInsertRows();
    } else {
        unfolded_.erase(*line.cause);
        beginRemoveRows({}, row + 1, last);
        lines_.erase(begin, begin + (last - row));
        endRemoveRows();
    }
    Q_EMIT dataChanged(index(row), index(row));
}

void LogModel::unfold(TaskId task) {
    const int row = firstRowOf(task);
    if (row < 0) return;
    const std::optional<std::size_t> cause = lines_[static_cast<std::size_t>(row)].cause;
    if (cause && !unfolded_.contains(*cause)) toggle(row);
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Line& line = lines_[static_cast<std::size_t>(index.row())];
    const Theme& theme = currentTheme();
    switch (role) {
        case Qt::DisplayRole: {
            if (!line.cause) return shown(line);
            const QChar arrow = unfolded_.contains(*line.cause) ? u'▾' : u'▸';
            return QStringLiteral("%1 %2").arg(shown(line), arrow);
        }
        case Qt::ToolTipRole:
            return toolTipText(line.text);
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
    const auto isAbout = [task](const Line& line) { return line.task == task; };
    const auto plain = std::find_if(lines_.begin(), lines_.end(), isAbout);
    if (plain != lines_.end()) return static_cast<int>(plain - lines_.begin());
    const auto cause = std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) {
        return std::any_of(line.objects.begin(), line.objects.end(), isAbout);
    });
    return cause == lines_.end() ? -1 : static_cast<int>(cause - lines_.begin());
}

QString LogModel::shown(const Line& line) {
    const QString indent = line.isObject ? QStringLiteral("      ") : QStringLiteral("  ");
    return clockText(line.at) + indent + line.text;
}

QString LogModel::allText() const {
    QString all;
    for (const Line& line : lines_) {
        if (line.isObject) continue;
        all += shown(line) + u'\n';
        for (const Line& object : line.objects) all += shown(object) + u'\n';
    }
    return all;
}

}  // namespace gantry::ui
