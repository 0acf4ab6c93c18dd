// SPDX-License-Identifier: PostgreSQL
// The view of a TaskModel: names take the room that numbers leave, and where that is little, the
// rate and then the worker give way to them.
#pragma once

#include <QTableView>

namespace gantry::ui {

class TaskModel;

class TaskTable : public QTableView {
    Q_OBJECT
public:
    /// The model outlives it.
    explicit TaskTable(TaskModel* model, QWidget* parent = nullptr);

    /// Whether tasks have names of their own beside their relations', as in a restore.
    void setTasksNamed(bool named);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void measure();
    int widthOf(int column) const;
    void shareWidth();

    bool tasksNamed_ = false;
};

}  // namespace gantry::ui
