// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/size_delegate.h"

#include <QPainter>
#include <algorithm>

#include "core/base/format.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kBarWidth = 92;
constexpr int kTextWidth = 76;
constexpr int kMargin = 8;

}  // namespace

void SizeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const Theme& t = currentTheme();
    const QVariant bytes = index.data(BytesRole);
    const double whole = index.data(WholeRole).toDouble();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, t.accentTint);
    const QRect cell = option.rect.adjusted(kMargin, 0, -kMargin, 0);
    painter->setFont(option.font);
    painter->setPen(bytes.isValid() ? t.text : t.muted);
    const QString text = bytes.isValid() ? QString::fromStdString(formatBytes(bytes.toULongLong()))
                                         : QStringLiteral("–");
    painter->drawText(cell, Qt::AlignRight | Qt::AlignVCenter, text);
    if (bytes.isValid() && whole > 0 && cell.width() >= kBarWidth + kTextWidth) {
        QRectF bar(cell.right() - kTextWidth - kBarWidth, cell.center().y() - 2, kBarWidth, 5);
        painter->setPen(Qt::NoPen);
        painter->setBrush(t.faintLine);
        painter->drawRoundedRect(bar, 2.5, 2.5);
        // What is there is seen, however small.
        constexpr double kLeast = 2;
        bar.setWidth(std::max(kLeast, bar.width() * bytes.toDouble() / whole));
        painter->setBrush(t.copy);
        painter->drawRoundedRect(bar, 2.5, 2.5);
    }
    painter->restore();
}

QSize SizeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return {kBarWidth + kTextWidth + 2 * kMargin,
            QStyledItemDelegate::sizeHint(option, index).height()};
}

}  // namespace gantry::ui
