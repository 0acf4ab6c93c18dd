// SPDX-License-Identifier: PostgreSQL
// The tasks of a run as a table: sorted and filtered by itself, so that a hundred thousand rows do
// not hold up the window.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <optional>
#include <vector>

#include "core/events/run_state.h"
#include "ui/gantt/gantt_text.h"

namespace gantry::ui {

class TaskModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Relation, Task, Worker, Rows, Size, Rate, Progress, State, ColumnCount };
    /// The progress column's fraction (double), and its task's kind (int).
    static constexpr int kFractionRole = Qt::UserRole;
    static constexpr int kKindRole = Qt::UserRole + 1;

    using QAbstractTableModel::QAbstractTableModel;

    /// Outlives the model or is replaced; the same again tells that it has gone on.
    void setRun(const events::RunState* run);
    /// Words that all have to occur in relation, kind or state, and times such as ">10s" or "<1m".
    void setFilter(const QString& filter);

    std::optional<TaskId> taskAt(int row) const;
    int rowOf(TaskId task) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    struct Amounts {
        uint64_t bytes = 0;
        uint64_t rows = 0;
        Duration time{};  ///< from its first begin to its last end
        double fraction = 0;
    };
    struct Filter {
        std::vector<std::string> words;
        std::optional<Duration> longer;
        std::optional<Duration> shorter;
    };

    Amounts amountsOf(const events::TaskState& task) const;
    bool passes(TaskId id, const events::TaskState& task) const;
    std::vector<TaskId> arranged() const;
    void arrange();
    QString textOf(TaskId id, const events::TaskState& task, int column) const;
    double keyOf(const events::TaskState& task) const;
    QString workersOf(const events::TaskState& task) const;

    const events::RunState* run_ = nullptr;
    std::vector<TaskId> rows_;
    Filter filter_;
    int column_ = State;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace gantry::ui
