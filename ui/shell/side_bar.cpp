// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/side_bar.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <algorithm>

#include "ui/forms/text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

enum Role {
    KeyRole = Qt::UserRole + 1,
    DetailRole,
    DotRole,
    StrongRole,
    FaintRole,
    ProgressRole,
    ActionRole
};

constexpr int kRowHeight = 31;
constexpr int kHeadingHeight = 30;
constexpr int kMargin = 8;

bool isHeading(const QModelIndex& index) { return index.data(KeyRole).toString().isEmpty(); }

class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {120, isHeading(index) ? kHeadingHeight : kRowHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (isHeading(index)) {
            paintHeading(*painter, option, index);
        } else {
            paintEntry(*painter, option, index);
        }
        painter->restore();
    }

private:
    static void paintHeading(QPainter& painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) {
        QFont font = option.font;
        font.setPixelSize(11);
        font.setWeight(QFont::DemiBold);
        painter.setFont(font);
        painter.setPen(currentTheme().muted);
        painter.drawText(option.rect.adjusted(2 * kMargin, 0, -kMargin, -4),
                         Qt::AlignLeft | Qt::AlignBottom, index.data().toString());
    }

    static void paintEntry(QPainter& painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) {
        const Theme& t = currentTheme();
        const bool current = option.state & QStyle::State_Selected;
        const QRectF box = QRectF(option.rect).adjusted(kMargin, 1, -kMargin, -1);
        if (current || (option.state & QStyle::State_MouseOver)) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(current ? t.accentTint : t.faintLine);
            painter.drawRoundedRect(box, 6, 6);
        }
        if (option.state & QStyle::State_HasFocus &&
            option.state & QStyle::State_KeyboardFocusChange) {
            painter.setPen(t.accent);
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
        }
        QRectF text = box.adjusted(kMargin, 0, -kMargin, 0);
        const QVariant dot = index.data(DotRole);
        if (dot.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(dot.value<QColor>());
            painter.drawEllipse(QPointF(text.left() + 4, text.center().y()), 4, 4);
            text.setLeft(text.left() + 16);
        }
        const QString detail = index.data(DetailRole).toString();
        if (!detail.isEmpty()) {
            painter.setFont(option.font);
            painter.setPen(t.muted);
            painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, detail);
            text.setRight(text.right() - QFontMetricsF(option.font).horizontalAdvance(detail) -
                          kMargin);
        }
        QFont font = option.font;
        if (current || index.data(StrongRole).toBool()) font.setWeight(QFont::DemiBold);
        painter.setFont(font);
        const bool faint = index.data(FaintRole).toBool();
        painter.setPen(current ? t.accent : faint ? t.muted : t.text);
        painter.drawText(
            text, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(font).elidedText(index.data().toString(), Qt::ElideRight, text.width()));
        const QVariant progress = index.data(ProgressRole);
        if (progress.isValid()) {
            QRectF bar(box.left() + kMargin, box.bottom() - 3, box.width() - 2 * kMargin, 2);
            painter.fillRect(bar, t.line);
            bar.setWidth(bar.width() * std::clamp(progress.toDouble(), 0.0, 1.0));
            painter.fillRect(bar, t.accent);
        }
    }
};

QString headingOf(SideBar::Section section) {
    switch (section) {
        case SideBar::Section::Servers:
            return SideBar::tr("Servers");
        case SideBar::Section::Work:
            return SideBar::tr("Work");
        case SideBar::Section::Tasks:
            return SideBar::tr("Saved tasks");
        case SideBar::Section::Runs:
            return SideBar::tr("Runs");
    }
    return {};
}

QVariant orNothing(const std::optional<double>& value) {
    return value ? QVariant(*value) : QVariant();
}

}  // namespace

SideBar::SideBar(QWidget* parent) : QListView(parent), model_(new QStandardItemModel(this)) {
    setObjectName(QStringLiteral("sideBar"));
    setModel(model_);
    setItemDelegate(new EntryDelegate(this));
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setMouseTracking(true);
    setAccessibleName(tr("Servers, work, saved tasks and runs"));
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (silent_ || !index.isValid() || index.data(ActionRole).toBool()) return;
                Q_EMIT chosen(index.data(KeyRole).toString());
            });
    // Chosen again: back to its page from whatever is shown instead.
    connect(this, &QListView::clicked, this, [this](const QModelIndex& index) {
        if (!isHeading(index)) Q_EMIT chosen(index.data(KeyRole).toString());
    });
}

void SideBar::setEntries(Section section, const QList<Entry>& entries) {
    entries_[static_cast<int>(section)] = entries;
    rebuild();
}

void SideBar::setProgress(const QString& key, std::optional<double> progress) {
    if (QStandardItem* item = itemOf(key)) item->setData(orNothing(progress), ProgressRole);
}

void SideBar::setCurrent(const QString& key) {
    silent_ = true;
    QStandardItem* item = itemOf(key);
    if (item) {
        setCurrentIndex(item->index());
    } else {
        selectionModel()->clear();
    }
    silent_ = false;
}

QString SideBar::current() const { return currentIndex().data(KeyRole).toString(); }

void SideBar::contextMenuEvent(QContextMenuEvent* event) {
    QModelIndex index = indexAt(event->pos());
    QPoint at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        index = currentIndex();
        at = viewport()->mapToGlobal(visualRect(index).center());
    }
    if (index.isValid() && !isHeading(index)) {
        Q_EMIT menuWanted(index.data(KeyRole).toString(), at);
    }
}

void SideBar::keyPressEvent(QKeyEvent* event) {
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                        event->key() == Qt::Key_Space;
    if (enters && currentIndex().data(ActionRole).toBool()) {
        Q_EMIT chosen(current());
        return;
    }
    QListView::keyPressEvent(event);
}

void SideBar::rebuild() {
    const QString key = current();
    silent_ = true;
    model_->clear();
    for (const Section section : {Section::Servers, Section::Work, Section::Tasks, Section::Runs}) {
        const QList<Entry>& entries = entries_[static_cast<int>(section)];
        if (entries.isEmpty()) continue;
        auto* heading = new QStandardItem(headingOf(section));
        heading->setFlags(Qt::NoItemFlags);
        model_->appendRow(heading);
        for (const Entry& entry : entries) {
            auto* item = new QStandardItem(entry.text);
            item->setData(entry.key, KeyRole);
            item->setData(entry.detail, DetailRole);
            if (entry.dot) item->setData(*entry.dot, DotRole);
            item->setData(entry.strong, StrongRole);
            item->setData(orNothing(entry.progress), ProgressRole);
            item->setData(entry.faint, FaintRole);
            item->setData(entry.action, ActionRole);
            item->setToolTip(toolTipText(entry.toolTip));
            item->setAccessibleText(entry.detail.isEmpty() ? entry.text
                                                           : entry.text + u' ' + entry.detail);
            model_->appendRow(item);
        }
    }
    silent_ = false;
    setCurrent(key);
}

QStandardItem* SideBar::itemOf(const QString& key) const {
    if (key.isEmpty()) return nullptr;
    for (int row = 0; row < model_->rowCount(); ++row) {
        QStandardItem* item = model_->item(row);
        if (item->data(KeyRole).toString() == key) return item;
    }
    return nullptr;
}

}  // namespace gantry::ui
