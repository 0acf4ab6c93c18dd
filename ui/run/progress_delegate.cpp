// SPDX-License-Identifier: PostgreSQL
#include "ui/run/progress_delegate.h"

#include <QPainter>

#include "ui/run/task_model.h"
#include "ui/theme/theme.h"

namespace gantry::ui {

void ProgressDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const double fraction = index.data(TaskModel::kFractionRole).toDouble();
    const auto kind = static_cast<plan::TaskKind>(index.data(TaskModel::kKindRole).toInt());
    constexpr int kHeight = 7;
    QRectF track(option.rect.adjusted(8, 0, -8, 0));
    track.setTop(track.center().y() - kHeight / 2.0);
    track.setHeight(kHeight);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(currentTheme().faintLine);
    painter->drawRoundedRect(track, 3, 3);
    if (fraction > 0) {
        track.setWidth(std::max(track.width() * fraction, 3.0));
        painter->setBrush(kindColor(kind));
        painter->drawRoundedRect(track, 3, 3);
    }
    painter->restore();
}

}  // namespace gantry::ui
