// SPDX-License-Identifier: PostgreSQL
#include "ui/theme/style.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QStyleOption>

namespace gantry::ui {
namespace {

constexpr int kIndicatorSize = 14;

void drawCheckBox(const QStyleOption& option, QPainter& painter) {
    const Theme& t = currentTheme();
    const bool on = option.state & QStyle::State_On;
    const bool partly = option.state & QStyle::State_NoChange;
    const bool enabled = option.state & QStyle::State_Enabled;
    QRectF box(0, 0, kIndicatorSize - 1, kIndicatorSize - 1);
    box.moveCenter(QRectF(option.rect).center());
    box.moveTo(std::floor(box.x()) + 0.5, std::floor(box.y()) + 0.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (!enabled) painter.setOpacity(0.45);
    const bool filled = on || partly;
    const bool near = option.state & (QStyle::State_MouseOver | QStyle::State_HasFocus);
    painter.setPen(filled || near ? t.accent : t.muted);
    painter.setBrush(filled ? t.accent : t.panel);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(QPen(t.onAccent, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    if (on) {
        QPainterPath tick(box.topLeft() + QPointF(3.2, 6.8));
        tick.lineTo(box.topLeft() + QPointF(5.7, 9.3));
        tick.lineTo(box.topLeft() + QPointF(10, 4.2));
        painter.drawPath(tick);
    } else if (partly) {
        painter.drawLine(box.center() - QPointF(3, 0), box.center() + QPointF(3, 0));
    }
    painter.restore();
}

void drawRadioButton(const QStyleOption& option, QPainter& painter) {
    const Theme& t = currentTheme();
    const bool on = option.state & QStyle::State_On;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (!(option.state & QStyle::State_Enabled)) painter.setOpacity(0.45);
    const QPointF center = QRectF(option.rect).center();
    const bool near = option.state & (QStyle::State_MouseOver | QStyle::State_HasFocus);
    painter.setPen(on || near ? t.accent : t.muted);
    painter.setBrush(on ? t.accent : t.panel);
    painter.drawEllipse(center, 6.5, 6.5);
    if (on) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.onAccent);
        painter.drawEllipse(center, 2.6, 2.6);
    }
    painter.restore();
}

/// An open angle that points right, or down for what is open.
void drawBranch(const QStyleOption& option, QPainter& painter) {
    if (!(option.state & QStyle::State_Children)) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(currentTheme().muted, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = QRectF(option.rect).center();
    QPainterPath angle;
    if (option.state & QStyle::State_Open) {
        angle.moveTo(c + QPointF(-3.5, -1.75));
        angle.lineTo(c + QPointF(0, 1.75));
        angle.lineTo(c + QPointF(3.5, -1.75));
    } else {
        angle.moveTo(c + QPointF(-1.75, -3.5));
        angle.lineTo(c + QPointF(1.75, 0));
        angle.lineTo(c + QPointF(-1.75, 3.5));
    }
    painter.drawPath(angle);
    painter.restore();
}

/// Beside the header's text, at the end where there is room: up for what begins with the least.
void drawSortArrow(const QStyleOption& option, QPainter& painter, const QWidget* widget) {
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(&option);
    const auto* view = qobject_cast<const QHeaderView*>(widget);
    if (!header || !view || header->sortIndicator == QStyleOptionHeader::None) return;
    constexpr double kPadding = 8;  // padding and font as in the style sheet
    QFont font = view->font();
    font.setPixelSize(12);
    font.setWeight(QFont::DemiBold);
    constexpr double kGap = 8.5;
    constexpr double kLeastMargin = 4.5;
    const double left = view->sectionViewportPosition(header->section);
    const double right = left + view->sectionSize(header->section);
    const double beside = kPadding + QFontMetricsF(font).horizontalAdvance(header->text) + kGap;
    const double x = (header->textAlignment & Qt::AlignRight) != 0
                         ? std::max(right - beside, left + kLeastMargin)
                         : std::min(left + beside, right - kLeastMargin);
    const double up = header->sortIndicator == QStyleOptionHeader::SortDown ? 1 : -1;
    const QPointF c(x, view->rect().center().y() + 0.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(currentTheme().muted, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF angle[] = {c + QPointF(-3.5, 1.5 * up), c + QPointF(0, -1.5 * up),
                             c + QPointF(3.5, 1.5 * up)};
    painter.drawPolyline(angle, 3);
    painter.restore();
}

/// Closes a tab; quiet until the mouse is over it.
void drawCross(const QStyleOption& option, QPainter& painter) {
    const Theme& theme = currentTheme();
    const bool hovered = (option.state & QStyle::State_MouseOver) != 0;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF c = QRectF(option.rect).center();
    if (hovered) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.line);
        painter.drawRoundedRect(QRectF(c - QPointF(8, 8), QSizeF(16, 16)), 3, 3);
    }
    painter.setPen(QPen(hovered ? theme.text : theme.muted, 1.4, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(c + QPointF(-3, -3), c + QPointF(3, 3));
    painter.drawLine(c + QPointF(-3, 3), c + QPointF(3, -3));
    painter.restore();
}

}  // namespace

GantryStyle::GantryStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void GantryStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                QPainter* painter, const QWidget* widget) const {
    switch (element) {
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck:
            return drawCheckBox(*option, *painter);
        case PE_IndicatorRadioButton:
            return drawRadioButton(*option, *painter);
        case PE_IndicatorBranch:
            return drawBranch(*option, *painter);
        case PE_IndicatorTabClose:
            return drawCross(*option, *painter);
        case PE_IndicatorHeaderArrow:
            return drawSortArrow(*option, *painter, widget);
        default:
            return QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

int GantryStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                             const QWidget* widget) const {
    switch (metric) {
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
            return kIndicatorSize;
        case PM_SplitterWidth:
            return 1;
        default:
            return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

/// A question needs no picture of one; warnings and errors keep theirs.
QIcon GantryStyle::standardIcon(StandardPixmap icon, const QStyleOption* option,
                                const QWidget* widget) const {
    if (icon == SP_MessageBoxQuestion) return {};
    return QProxyStyle::standardIcon(icon, option, widget);
}

int GantryStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* answer) const {
    switch (hint) {
        case SH_UnderlineShortcut:
            return altDown_ ? 1 : 0;
        case SH_EtchDisabledText:
        case SH_DitherDisabledText:
            return 0;
        case SH_DialogButtonBox_ButtonsHaveIcons:
            return 0;
        case SH_Slider_AbsoluteSetButtons:  // a click goes there, not a step towards it
            return Qt::LeftButton;
        case SH_Slider_PageSetButtons:
            return Qt::NoButton;
        default:
            return QProxyStyle::styleHint(hint, option, widget, answer);
    }
}

void GantryStyle::polish(QApplication* application) {
    QProxyStyle::polish(application);
    application->installEventFilter(this);
}

bool GantryStyle::eventFilter(QObject* watched, QEvent* event) {
    const bool press = event->type() == QEvent::KeyPress;
    if (press || event->type() == QEvent::KeyRelease || event->type() == QEvent::WindowDeactivate) {
        const bool alt = press && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Alt;
        const QWidget* window = QApplication::activeWindow();
        if (alt != altDown_ && window) {
            altDown_ = alt;
            const QList<QWidget*> widgets = window->findChildren<QWidget*>();
            for (QWidget* widget : widgets) widget->update();
        }
    }
    return QProxyStyle::eventFilter(watched, event);
}

QPalette paletteOf(const Theme& t) {
    QPalette p;
    p.setColor(QPalette::Window, t.background);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.panel);
    p.setColor(QPalette::AlternateBase, t.background);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.muted);
    p.setColor(QPalette::Button, t.panel);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.error);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.onAccent);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::ToolTipBase, t.panel);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Light, t.panel);
    p.setColor(QPalette::Midlight, t.faintLine);
    p.setColor(QPalette::Mid, t.line);
    p.setColor(QPalette::Dark, t.muted);
    p.setColor(QPalette::Shadow, t.line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        QColor faded = t.muted;
        faded.setAlphaF(0.6F);
        p.setColor(QPalette::Disabled, role, faded);
    }
    p.setColor(QPalette::Disabled, QPalette::Highlight, t.line);
    return p;
}

}  // namespace gantry::ui
