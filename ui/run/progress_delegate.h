// SPDX-License-Identifier: PostgreSQL
// The progress column of the task table: a bar in the colour of the task's kind.
#pragma once

#include <QStyledItemDelegate>

namespace gantry::ui {

class ProgressDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

}  // namespace gantry::ui
