// SPDX-License-Identifier: PostgreSQL
#include "ui/run/task_model.h"

#include <QFont>
#include <algorithm>
#include <numeric>
#include <set>

#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/layout.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using events::SpanState;
using events::TaskState;
using events::TaskStatus;

const QString kNone = QStringLiteral("–");
constexpr std::size_t kSortedAtOnce = 5'000;  ///< more are sorted in the background

/// What one wants to see first stands first.
constexpr double kPassedOverRank = 1.5;  ///< next to what failed

double rankOf(const TaskState& task) {
    switch (task.status) {
        case TaskStatus::Running:
            return 0;
        case TaskStatus::Failed:
            return 1;
        case TaskStatus::CutOff:
            return 2;
        case TaskStatus::Planned:
            return 3;
        case TaskStatus::Done:
            return 4;
        case TaskStatus::Withdrawn:
            return 5;
    }
    return 6;
}

}  // namespace

void TaskModel::setRun(const events::RunState* run) {
    run_ = run;
    arrange();
    if (!rows_.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(rows_.size()) - 1, ColumnCount - 1));
    }
}

void TaskModel::setFilter(const QString& filter) {
    filter_ = TaskFilter(filter);
    arrange();
}

TaskModel::Amounts TaskModel::amountsOf(const TaskState& task) const {
    Amounts amounts{.bytes = task.bytes, .rows = task.rows, .time = {}, .fraction = 0};
    double runningPart = 0;
    amounts.time = timeOf(*run_, task);
    for (const std::size_t index : task.spans) {
        const SpanState& span = run_->spans()[index];
        if (!span.running()) continue;
        amounts.bytes += span.bytes;
        amounts.rows += span.rows;
        runningPart += run_->spanFraction(span) * static_cast<double>(span.estimatedBytes);
        if (task.spans.size() == 1) amounts.fraction = run_->spanFraction(span);
    }
    if (task.status == TaskStatus::Done) {
        amounts.fraction = 1;
    } else if (task.spans.size() > 1 && task.estimatedBytes > 0) {
        amounts.fraction = std::min((static_cast<double>(task.estimateDone) + runningPart) /
                                        static_cast<double>(task.estimatedBytes),
                                    0.999);
    }
    return amounts;
}

double TaskModel::keyOf(const TaskState& task) const {
    switch (column_) {
        case Task:
            return static_cast<double>(task.kind);
        case Worker:
            return task.spans.empty() ? 1e9 : run_->spans()[task.spans.back()].worker.value;
        case Rows:
            return static_cast<double>(amountsOf(task).rows);
        case Size:
            return static_cast<double>(std::max(amountsOf(task).bytes, task.estimatedBytes));
        case Rate: {
            const Amounts amounts = amountsOf(task);
            const auto time = static_cast<double>(amounts.time.count());
            return time > 0 ? static_cast<double>(amounts.bytes) / time : 0;
        }
        case Progress:
            return amountsOf(task).fraction;
        default:
            return rankOf(task);
    }
}

TaskModel::Order TaskModel::order() const {
    Order order{
        .entries = {}, .byName = column_ == Relation, .down = order_ == Qt::DescendingOrder};
    if (run_ == nullptr) return order;
    order.entries.reserve(run_->tasks().size());
    std::set<TaskId> passedOver;
    for (const auto& [at, span] : run_->ignoredAt()) passedOver.insert(span.task);
    for (const auto& [id, task] : run_->tasks()) {
        if (!filter_.passes(*run_, task)) continue;
        const bool erred = task.status == TaskStatus::Done && passedOver.contains(id);
        order.entries.push_back({.id = id,
                                 .key = order.byName                ? 0
                                        : column_ == State && erred ? kPassedOverRank
                                                                    : keyOf(task),
                                 .weight = task.weight,
                                 .name = order.byName ? task.object : std::string()});
    }
    return order;
}

std::vector<TaskId> TaskModel::Order::sorted() {
    std::stable_sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
        if (byName) return down ? b.name < a.name : a.name < b.name;
        if (a.key != b.key) return down ? b.key < a.key : a.key < b.key;
        return a.weight > b.weight;  // within the same state the largest first
    });
    std::vector<TaskId> rows;
    rows.reserve(entries.size());
    for (const Entry& entry : entries) rows.push_back(entry.id);
    return rows;
}

void TaskModel::arrange() {
    sorting_.stop();
    Order wanted = order();
    if (wanted.entries.size() <= kSortedAtOnce) return setRows(wanted.sorted());
    sorting_ = runAsync(
        this,
        [wanted = std::move(wanted)](const std::stop_token&) mutable { return wanted.sorted(); },
        [this](std::vector<TaskId> rows) { setRows(std::move(rows)); }, [](const ErrorInfo&) {});
}

void TaskModel::setRows(std::vector<TaskId> fresh) {
    if (fresh == rows_) return;
    if (fresh.size() != rows_.size()) {
        beginResetModel();
        rows_ = std::move(fresh);
        endResetModel();
        Q_EMIT arranged();
        return;
    }
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<TaskId> kept;
    for (const QModelIndex& index : before) {
        kept.push_back(rows_[static_cast<std::size_t>(index.row())]);
    }
    rows_ = std::move(fresh);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const int row = rowOf(kept[static_cast<std::size_t>(i)]);
        after << (row < 0 ? QModelIndex() : index(row, before[i].column()));
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
    Q_EMIT arranged();
}

std::optional<TaskId> TaskModel::taskAt(int row) const {
    if (row < 0 || static_cast<std::size_t>(row) >= rows_.size()) return std::nullopt;
    return rows_[static_cast<std::size_t>(row)];
}

int TaskModel::rowOf(TaskId task) const {
    const auto found = std::find(rows_.begin(), rows_.end(), task);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int TaskModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TaskModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString TaskModel::workersOf(const TaskState& task) const {
    std::set<WorkerId> workers;
    for (const std::size_t span : task.spans) workers.insert(run_->spans()[span].worker);
    if (workers.empty()) return kNone;
    const uint32_t first = workers.begin()->value;
    const uint32_t last = workers.rbegin()->value;
    if (workers.size() == 1) return QString::number(first);
    if (last - first + 1 == workers.size()) return QStringLiteral("%1–%2").arg(first).arg(last);
    QStringList list;
    for (const WorkerId worker : workers) list << QString::number(worker.value);
    return list.join(QStringLiteral(", "));
}

QString TaskModel::textOf(TaskId id, const TaskState& task, int column) const {
    switch (column) {
        case Relation:
            return text(relationOf(*run_, id));
        case Task: {
            const QString kind = kindName(task.kind);
            const std::string relation = relationOf(*run_, id);
            if (task.kind == plan::TaskKind::MaterializedView || relation == task.object) {
                if (task.spans.size() < 2 || !task.divisible) return kind;
                return tr("%1 in %2 parts").arg(kind, countText(task.spans.size()));
            }
            QString name = text(nameWithin(relation, task.object));
            // An index lies in its relation's schema.
            const QString schema = text(relation).section(u'.', 0, 0) + u'.';
            if (name.startsWith(schema)) name.remove(0, schema.size());
            return QStringLiteral("%1 %2").arg(kind, name);
        }
        case Worker:
            return workersOf(task);
        case Rows: {
            const uint64_t rows = amountsOf(task).rows;
            return rows == 0 ? kNone : shortCountText(rows);
        }
        case Size: {
            const Amounts amounts = amountsOf(task);
            const uint64_t bytes =
                task.status == TaskStatus::Done ? amounts.bytes : task.estimatedBytes;
            return bytes == 0 ? kNone : bytesText(bytes);
        }
        case Rate: {
            const Amounts amounts = amountsOf(task);
            if (amounts.bytes == 0 || amounts.time <= Duration::zero()) return kNone;
            return rateText(static_cast<double>(amounts.bytes) * 1e6 /
                            static_cast<double>(amounts.time.count()));
        }
        case State:
            return statusOf(*run_, task).text;
        default:
            return {};
    }
}

QVariant TaskModel::data(const QModelIndex& index, int role) const {
    const auto id = taskAt(index.row());
    if (!id) return {};
    const auto found = run_->tasks().find(*id);
    if (found == run_->tasks().end()) return {};
    const TaskState& task = found->second;
    switch (role) {
        case Qt::ToolTipRole:
            if (index.column() == Rows) return countText(amountsOf(task).rows);
            return toolTipText(textOf(*id, task, index.column()));
        case Qt::DisplayRole:
            return textOf(*id, task, index.column());
        case Qt::AccessibleTextRole:
            return index.column() == Progress ? percentText(amountsOf(task).fraction)
                                              : textOf(*id, task, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(
                Qt::Alignment(Qt::AlignVCenter |
                              (index.column() >= Rows && index.column() <= Rate ? Qt::AlignRight
                                                                                : Qt::AlignLeft)));
        case Qt::FontRole:
            return index.column() == Relation ? QVariant(monospaceFont()) : QVariant();
        case Qt::ForegroundRole: {
            const Theme& theme = currentTheme();
            if (index.column() != State) return {};
            switch (statusOf(*run_, task).tone) {
                case StatusTone::Plain:
                    return {};
                case StatusTone::Muted:
                    return theme.muted;
                case StatusTone::Good:
                    return theme.good;
                case StatusTone::Bad:
                    return theme.error;
            }
            return {};
        }
        case kFractionRole:
            return amountsOf(task).fraction;
        case kKindRole:
            return static_cast<int>(task.kind);
        default:
            return {};
    }
}

QVariant TaskModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        const bool number = section >= Rows && section <= Rate;
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft)));
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Relation:
            return tr("Relation");
        case Task:
            return tr("Task");
        case Worker:
            return tr("Worker");
        case Rows:
            return tr("Rows");
        case Size:
            return tr("Size");
        case Rate:
            return tr("Rate");
        case Progress:
            return tr("Progress");
        case State:
            return tr("State");
        default:
            return {};
    }
}

void TaskModel::sort(int column, Qt::SortOrder order) {
    column_ = column;
    order_ = order;
    arrange();
}

}  // namespace gantry::ui
