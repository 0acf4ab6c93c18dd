// SPDX-License-Identifier: PostgreSQL
// The tasks of a run as a table: sorted and filtered by itself, many rows in the background, so
// that a hundred thousand do not hold up the window.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <optional>
#include <vector>

#include "core/events/run_state.h"
#include "ui/bridge/async.h"
#include "ui/gantt/task_filter.h"

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
    /// As TaskFilter reads it.
    void setFilter(const QString& filter);

    std::optional<TaskId> taskAt(int row) const;
    int rowOf(TaskId task) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    /// The rows stand in their order; of many rows a moment after it was asked for.
    void arranged();

private:
    struct Amounts {
        uint64_t bytes = 0;
        uint64_t rows = 0;
        Duration time{};  ///< from its first begin to its last end
        double fraction = 0;
    };

    Amounts amountsOf(const events::TaskState& task) const;
    /// What sorting needs to know of the rows, apart from the run.
    struct Order {
        struct Entry {
            TaskId id;
            double key = 0;
            double weight = 0;
            std::string name;
        };
        std::vector<Entry> entries;
        bool byName = false;
        bool down = false;
        std::vector<TaskId> sorted();
    };
    Order order() const;
    void arrange();
    void setRows(std::vector<TaskId> fresh);
    QString textOf(TaskId id, const events::TaskState& task, int column) const;
    double keyOf(const events::TaskState& task) const;
    QString workersOf(const events::TaskState& task) const;

    const events::RunState* run_ = nullptr;
    std::vector<TaskId> rows_;
    TaskFilter filter_;
    int column_ = State;
    Qt::SortOrder order_ = Qt::AscendingOrder;
    AsyncJob sorting_;
};

}  // namespace gantry::ui
