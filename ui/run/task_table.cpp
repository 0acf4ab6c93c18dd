// SPDX-License-Identifier: PostgreSQL
#include "ui/run/task_table.h"

#include <QEvent>
#include <QHeaderView>
#include <algorithm>

#include "ui/run/progress_delegate.h"
#include "ui/run/task_model.h"

namespace gantry::ui {
namespace {

constexpr int kRowHeight = 26;
constexpr int kCellPadding = 22;  ///< both sides of a cell, and a little air
constexpr int kNameLetters = 22;  ///< of a name, below which the rate gives way

}  // namespace

TaskTable::TaskTable(TaskModel* model, QWidget* parent) : QTableView(parent) {
    setObjectName(QStringLiteral("roomyTable"));
    setModel(model);
    setItemDelegateForColumn(TaskModel::Progress, new ProgressDelegate(this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setShowGrid(false);
    setWordWrap(false);
    setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
    setSortingEnabled(true);
    sortByColumn(TaskModel::State, Qt::AscendingOrder);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setAccessibleName(tr("Tasks of the run"));
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(48);
    horizontalHeader()->setSectionResizeMode(TaskModel::Relation, QHeaderView::Stretch);
    measure();
}

void TaskTable::setTasksNamed(bool named) {
    const auto mode = named ? QHeaderView::Stretch : QHeaderView::Interactive;
    if (horizontalHeader()->sectionResizeMode(TaskModel::Task) == mode) return;
    tasksNamed_ = named;
    horizontalHeader()->setSectionResizeMode(TaskModel::Task, mode);
    measure();
}

void TaskTable::measure() {
    for (int column = TaskModel::Task; column < TaskModel::ColumnCount; ++column) {
        if (!isColumnHidden(column)) setColumnWidth(column, widthOf(column));
    }
    shareWidth();
}

/// As wide as what it usually holds, and as its head with the arrow.
int TaskTable::widthOf(int column) const {
    const auto usual = [column] {
        switch (column) {
            case TaskModel::Task:
                return tr("COPY in 13 parts");
            case TaskModel::Rows:
                return QStringLiteral("99.9 M");
            case TaskModel::Size:
                return QStringLiteral("99.9 GB");
            case TaskModel::Rate:
                return QStringLiteral("999 MB/s");
            case TaskModel::State:
                return tr("waits for a worker");
            default:
                return QString();
        }
    };
    QFont bold = font();
    bold.setBold(true);
    const QString head = model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    return kCellPadding + std::max(fontMetrics().horizontalAdvance(usual()),
                                   QFontMetrics(bold).horizontalAdvance(head));
}

void TaskTable::shareWidth() {
    int left = viewport()->width();
    for (int column = TaskModel::Worker; column < TaskModel::ColumnCount; ++column) {
        left -= column == TaskModel::Rate ? widthOf(column) : columnWidth(column);
    }
    int wanted = kNameLetters * fontMetrics().averageCharWidth();
    if (tasksNamed_) {
        wanted *= 2;
    } else {
        left -= columnWidth(TaskModel::Task);
    }
    const bool narrow = left < wanted + kCellPadding;
    if (isColumnHidden(TaskModel::Rate) == narrow) return;
    setColumnHidden(TaskModel::Rate, narrow);
    if (!narrow) setColumnWidth(TaskModel::Rate, widthOf(TaskModel::Rate));
}

void TaskTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    shareWidth();
}

void TaskTable::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) measure();
}

}  // namespace gantry::ui
