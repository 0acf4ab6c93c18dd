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
/// What gives way, one after the other, where less is left of names than so many letters. The
/// details of a task tell the one, the chart the other.
struct GivingWay {
    TaskModel::Column column;
    int letters;
};
constexpr GivingWay kGivingWay[] = {{TaskModel::Rate, 22}, {TaskModel::Worker, 14}};

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
    const auto widthIfShown = [this](int column) {
        return isColumnHidden(column) ? widthOf(column) : columnWidth(column);
    };
    int left = viewport()->width() - kCellPadding;
    for (int column = TaskModel::Worker; column < TaskModel::ColumnCount; ++column) {
        left -= widthIfShown(column);
    }
    if (!tasksNamed_) left -= columnWidth(TaskModel::Task);
    for (const GivingWay& each : kGivingWay) {
        const int names = each.letters * (tasksNamed_ ? 2 : 1);
        const bool narrow = left < names * fontMetrics().averageCharWidth();
        if (narrow) left += widthIfShown(each.column);
        if (isColumnHidden(each.column) == narrow) continue;
        setColumnHidden(each.column, narrow);
        if (!narrow) setColumnWidth(each.column, widthOf(each.column));
    }
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
