// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/flow_layout.h"

#include <algorithm>

namespace gantry::ui {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {}

FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item) { items_.emplace_back(item); }

int FlowLayout::count() const { return static_cast<int>(items_.size()); }

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= count()) return nullptr;
    QLayoutItem* item = items_[static_cast<std::size_t>(index)].release();
    items_.erase(items_.begin() + index);
    return item;
}

int FlowLayout::heightForWidth(int width) const { return arrange({0, 0, width, 0}, false); }

QSize FlowLayout::sizeHint() const {
    QSize size(0, 0);
    for (const auto& item : items_) {
        if (item->isEmpty()) continue;
        const QSize wanted = item->sizeHint();
        size = {size.width() + wanted.width() + (size.width() > 0 ? spacing() : 0),
                std::max(size.height(), wanted.height())};
    }
    return size;
}

QSize FlowLayout::minimumSize() const {
    QSize size(0, 0);
    for (const auto& item : items_) {
        if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
    }
    return size;
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool place) const {
    const int line = sizeHint().height();
    QPoint at = rect.topLeft();
    for (const auto& item : items_) {
        if (item->isEmpty()) continue;
        const int wide = item->sizeHint().width();
        if (at.x() > rect.left() && at.x() + wide > rect.right() + 1) {
            at = {rect.left(), at.y() + line + spacing()};
        }
        if (place) item->setGeometry({at, QSize(wide, line)});
        at.rx() += wide + spacing();
    }
    return at.y() + line - rect.top();
}

}  // namespace gantry::ui
