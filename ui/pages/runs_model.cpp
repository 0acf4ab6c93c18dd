// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/runs_model.h"

#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using history::PastRun;

/// With how far it was off, for runs that came to their end.
QString forecastText(const PastRun& run) {
    if (run.predictedBy == 0) return {};
    const QString time = durationText(run.predicted);
    if (!run.cameToItsEnd() || run.elapsed.count() <= 0) return time;
    const double off = 100.0 * static_cast<double>((run.predicted - run.elapsed).count()) /
                       static_cast<double>(run.elapsed.count());
    return RunsModel::tr("%1 (%2%)").arg(time, QString::asprintf("%+.0f", off));
}

QString display(const PastRun& run, int column) {
    switch (column) {
        case RunsModel::Began:
            return momentText(run.startedAt);
        case RunsModel::Operation:
            return operationText(run);
        case RunsModel::Database:
            return text(run.database);
        case RunsModel::Server:
            return text(run.server);
        case RunsModel::Took:
            return run.status == history::Status::Running ? QString() : durationText(run.elapsed);
        case RunsModel::Forecast:
            return forecastText(run);
        case RunsModel::Data:
            return run.bytes > 0 ? bytesText(run.bytes) : QString();
        case RunsModel::OnDisk:
            return run.compressedBytes > 0 ? bytesText(run.compressedBytes) : QString();
        case RunsModel::Outcome:
            return run.ofSweep() ? RunsModel::tr("%1 · sweep").arg(outcomeText(run))
                                 : outcomeText(run);
        default:
            return {};
    }
}

QVariant sortKey(const PastRun& run, int column) {
    switch (column) {
        case RunsModel::Began:
            return text(run.startedAt);
        case RunsModel::Took:
            return static_cast<qlonglong>(run.elapsed.count());
        case RunsModel::Forecast:
            return static_cast<qlonglong>(run.predictedBy == 0 ? 0 : run.predicted.count());
        case RunsModel::Data:
            return static_cast<qulonglong>(run.bytes);
        case RunsModel::OnDisk:
            return static_cast<qulonglong>(run.compressedBytes);
        default:
            return display(run, column);
    }
}

bool isNumber(int column) { return column >= RunsModel::Took && column <= RunsModel::OnDisk; }

QString toolTip(const PastRun& run) {
    QString tip =
        RunsModel::tr("Run %1: %2 on %3").arg(run.id).arg(text(run.database), text(run.server));
    if (!run.error.empty()) tip += u'\n' + text(run.error);
    if (!run.verdict.empty()) tip += u'\n' + text(run.verdict);
    return tip;
}

}  // namespace

QString operationText(const PastRun& run) {
    if (run.operation == "dump") return RunsModel::tr("Back up");
    if (run.operation == "restore") return RunsModel::tr("Restore");
    if (run.operation == "vacuum") return RunsModel::tr("Vacuum");
    return text(run.operation);
}

QString outcomeText(const PastRun& run) {
    switch (run.status) {
        case history::Status::Running:
            return RunsModel::tr("running");
        case history::Status::Interrupted:
            return RunsModel::tr("interrupted");
        case history::Status::Clean:
            return RunsModel::tr("clean");
        case history::Status::CompletedWithErrors:
            return run.ignoredErrors == 1
                       ? RunsModel::tr("1 error ignored")
                       : RunsModel::tr("%1 errors ignored").arg(countText(run.ignoredErrors));
        case history::Status::Failed:
            return RunsModel::tr("failed");
        case history::Status::Cancelled:
            return RunsModel::tr("cancelled");
    }
    return {};
}

void RunsModel::setRuns(std::vector<PastRun> runs) {
    beginResetModel();
    runs_ = std::move(runs);
    endResetModel();
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const PastRun& run = runs_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return display(run, index.column());
        case kSortRole:
            return sortKey(run, index.column());
        case Qt::ToolTipRole:
            return toolTipText(toolTip(run));
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter |
                                    (isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ForegroundRole:
            if (index.column() != Outcome) return {};
            if (run.status == history::Status::Failed) return currentTheme().error;
            if (run.status == history::Status::CompletedWithErrors) return currentTheme().warning;
            return {};
        default:
            return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return static_cast<int>(Qt::AlignVCenter |
                                (isNumber(section) ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) return {};
    const QString names[] = {tr("Began"),    tr("What"), tr("Database"), tr("Server"), tr("Took"),
                             tr("Forecast"), tr("Data"), tr("On disk"),  tr("Outcome")};
    return names[section];
}

}  // namespace gantry::ui
