// SPDX-License-Identifier: PostgreSQL
// Sizes in a table as a bar and a number, so that the large ones are seen at once.
#pragma once

#include <QStyledItemDelegate>

namespace gantry::ui {

/// Paints index.data(BytesRole) against index.data(WholeRole); no bytes: a dash.
class SizeDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    enum Role { BytesRole = Qt::UserRole + 1, WholeRole };

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace gantry::ui
