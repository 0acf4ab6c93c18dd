// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/color_tags.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QPainter>

#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

struct Tag {
    const char* name;
    QRgb color;  ///< 0: none
};

constexpr Tag kTags[] = {
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "No colour"), 0},
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "Red"), 0xffd03b33},
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "Orange"), 0xffe0951b},
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "Green"), 0xff2f8f46},
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "Teal"), 0xff12939a},
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "Blue"), 0xff3b7dd8},
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "Violet"), 0xff8a63bf},
    {QT_TRANSLATE_NOOP("gantry::ui::ColorTags", "Grey"), 0xff8893a2},
};

class Swatch : public QAbstractButton {
public:
    Swatch(const QColor& color, const QString& name) : color_(color) {
        setCheckable(true);
        setFocusPolicy(Qt::StrongFocus);
        setToolTip(name);
        setAccessibleName(name);
    }
    const QColor& color() const { return color_; }
    QSize sizeHint() const override { return {26, 26}; }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& t = currentTheme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QPointF center(width() / 2.0, height() / 2.0);
        if (color_.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color_);
            painter.drawEllipse(center, 7, 7);
        } else {
            painter.setPen(QPen(t.muted, 1.2));
            painter.drawEllipse(center, 6.5, 6.5);
            painter.drawLine(center + QPointF(-4.5, 4.5), center + QPointF(4.5, -4.5));
        }
        if (!isChecked() && !hasFocus()) return;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(isChecked() ? t.accent : t.muted, hasFocus() ? 2 : 1.5));
        painter.drawEllipse(center, 10.5, 10.5);
    }

private:
    const QColor color_;
};

}  // namespace

ColorTags::ColorTags(QWidget* parent) : QWidget(parent), group_(new QButtonGroup(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (const Tag& tag : kTags) {
        auto* swatch = new Swatch(tag.color == 0 ? QColor() : QColor(tag.color), tr(tag.name));
        group_->addButton(swatch);
        row->addWidget(swatch);
    }
    row->addStretch(1);
    setColor({});
}

QColor ColorTags::color() const {
    return static_cast<const Swatch*>(group_->checkedButton())->color();
}

void ColorTags::setColor(const QColor& color) {
    const QList<QAbstractButton*> buttons = group_->buttons();
    for (QAbstractButton* button : buttons) {
        if (static_cast<Swatch*>(button)->color() == color) return button->setChecked(true);
    }
    buttons.front()->setChecked(true);
}

}  // namespace gantry::ui
