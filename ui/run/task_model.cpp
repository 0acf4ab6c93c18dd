// SPDX-License-Identifier: PostgreSQL
#include "ui/run/task_model.h"

#include <QFont>
#include <algorithm>
#include <numeric>
#include <set>

#include "ui/gantt/layout.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using events::SpanState;
using events::TaskState;
using events::TaskStatus;

const QString kNone = QStringLiteral("–");

/// What one wants to see first stands first.
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

std::string lowered(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

/// "10s", "1.5m", "500ms", "2h".
std::optional<Duration> durationFrom(QString text) {
    double unit = 1e6;
    const auto endsWith = [&](const char* suffix, double value) {
        if (!text.endsWith(QLatin1String(suffix))) return false;
        text.chop(static_cast<qsizetype>(std::strlen(suffix)));
        unit = value;
        return true;
    };
    (void)(endsWith("ms", 1e3) || endsWith("s", 1e6) || endsWith("m", 6e7) || endsWith("h", 3.6e9));
    bool valid = false;
    const double number = text.toDouble(&valid);
    if (!valid || number < 0 || number > 1e6) return std::nullopt;
    return Duration(static_cast<int64_t>(number * unit));
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
    filter_ = {};
    for (const QString& word : filter.toLower().split(u' ', Qt::SkipEmptyParts)) {
        if (word.startsWith(u'>')) {
            filter_.longer = durationFrom(word.mid(1));
        } else if (word.startsWith(u'<')) {
            filter_.shorter = durationFrom(word.mid(1));
        } else {
            filter_.words.push_back(word.toStdString());
        }
    }
    arrange();
}

TaskModel::Amounts TaskModel::amountsOf(const TaskState& task) const {
    Amounts amounts{.bytes = task.bytes, .rows = task.rows, .time = {}, .fraction = 0};
    double runningPart = 0;
    Duration begin = run_->now();
    Duration end{};
    for (const std::size_t index : task.spans) {
        const SpanState& span = run_->spans()[index];
        begin = std::min(begin, span.begin);
        end = std::max(end, span.end.value_or(run_->now()));
        if (!span.running()) continue;
        amounts.bytes += span.bytes;
        amounts.rows += span.rows;
        runningPart += run_->spanFraction(span) * static_cast<double>(span.estimatedBytes);
        if (task.spans.size() == 1) amounts.fraction = run_->spanFraction(span);
    }
    if (end > begin) amounts.time = end - begin;
    if (task.status == TaskStatus::Done) {
        amounts.fraction = 1;
    } else if (task.spans.size() > 1 && task.estimatedBytes > 0) {
        amounts.fraction = std::min((static_cast<double>(task.estimateDone) + runningPart) /
                                        static_cast<double>(task.estimatedBytes),
                                    0.999);
    }
    return amounts;
}

bool TaskModel::passes(TaskId id, const TaskState& task) const {
    if (filter_.longer || filter_.shorter) {
        const Duration time = amountsOf(task).time;
        if (filter_.longer && time <= *filter_.longer) return false;
        if (filter_.shorter && time >= *filter_.shorter) return false;
    }
    if (filter_.words.empty()) return true;
    const std::string all = lowered(task.object) + ' ' +
                            lowered(textOf(id, task, Task).toStdString()) + ' ' +
                            lowered(textOf(id, task, State).toStdString());
    return std::all_of(filter_.words.begin(), filter_.words.end(), [&](const std::string& word) {
        return all.find(word) != std::string::npos;
    });
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

std::vector<TaskId> TaskModel::arranged() const {
    struct Entry {
        TaskId id;
        const TaskState* task;
        double key;
    };
    std::vector<Entry> entries;
    if (run_ == nullptr) return {};
    entries.reserve(run_->tasks().size());
    for (const auto& [id, task] : run_->tasks()) {
        if (passes(id, task)) entries.push_back({id, &task, keyOf(task)});
    }
    const bool down = order_ == Qt::DescendingOrder;
    if (column_ == Relation) {
        std::stable_sort(entries.begin(), entries.end(), [down](const Entry& a, const Entry& b) {
            return down ? b.task->object < a.task->object : a.task->object < b.task->object;
        });
    } else {
        // Within the same state the largest first.
        const auto weight = [](const Entry& e) { return e.task->weight; };
        std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
            if (a.key != b.key) return down ? b.key < a.key : a.key < b.key;
            return weight(a) > weight(b);
        });
    }
    std::vector<TaskId> rows;
    rows.reserve(entries.size());
    for (const Entry& entry : entries) rows.push_back(entry.id);
    return rows;
}

void TaskModel::arrange() {
    std::vector<TaskId> fresh = arranged();
    if (fresh == rows_) return;
    if (fresh.size() != rows_.size()) {
        beginResetModel();
        rows_ = std::move(fresh);
        endResetModel();
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
            if (relationOf(*run_, id) == task.object) {
                if (task.spans.size() < 2 || !task.divisible) return kind;
                return tr("%1 in %2 parts").arg(kind).arg(task.spans.size());
            }
            return QStringLiteral("%1 %2").arg(kind,
                                               text(task.object).section(QLatin1Char(' '), -1));
        }
        case Worker:
            return workersOf(task);
        case Rows: {
            const uint64_t rows = amountsOf(task).rows;
            return rows == 0 ? kNone : countText(rows);
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
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
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
