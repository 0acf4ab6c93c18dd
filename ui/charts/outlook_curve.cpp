// SPDX-License-Identifier: PostgreSQL
#include "ui/charts/outlook_curve.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

QString timeText(double seconds) {
    return durationText(Duration(static_cast<int64_t>(seconds * 1e6)));
}

}  // namespace

OutlookCurve::OutlookCurve(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Time over number of workers"));
}

void OutlookCurve::setOutlooks(std::vector<report::Outlook> outlooks, uint32_t workers) {
    outlooks_ = std::move(outlooks);
    workers_ = workers;
    QStringList words;
    for (const report::Outlook& outlook : outlooks_) {
        words << tr("%1 workers: %2").arg(outlook.workers).arg(timeText(outlook.seconds));
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    setVisible(!outlooks_.empty());
    update();
}

/// With room above for the words of a run that is its slowest.
QRect OutlookCurve::plot() const { return rect().adjusted(54, 22, -10, -22); }

QPointF OutlookCurve::pointOf(double workers, double seconds) const {
    const QRect area = plot();
    const double most = std::max<double>(static_cast<double>(outlooks_.size()) - 1, 1);
    const double fewest = outlooks_.front().workers;
    const double slowest = outlooks_.front().seconds;
    return {area.left() + (workers - fewest) / most * area.width(),
            area.bottom() - seconds / std::max(slowest, 1e-6) * area.height()};
}

void OutlookCurve::paintEvent(QPaintEvent*) {
    if (outlooks_.empty()) return;
    const Theme& theme = currentTheme();
    QPainter p(this);
    QFont font = interfaceFont();
    font.setPixelSize(11);
    p.setFont(font);
    const QRect area = plot();
    p.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), theme.line);
    p.setPen(theme.muted);
    p.drawText(QRect(0, area.top() - 8, 42, 16), Qt::AlignRight | Qt::AlignVCenter,
               timeText(outlooks_.front().seconds));
    const auto count = static_cast<uint32_t>(outlooks_.size());
    const uint32_t step = std::max(1U, (count + 7) / 8);
    const uint32_t fewest = outlooks_.front().workers;
    for (uint32_t workers = fewest; workers < fewest + count; workers += step) {
        const double x = pointOf(workers, 0).x();
        p.drawText(QRectF(x - 16, area.bottom() + 4, 32, 16), Qt::AlignCenter,
                   QString::number(workers));
    }
    QPolygonF curve;
    QPolygonF bound;
    for (const report::Outlook& outlook : outlooks_) {
        curve << pointOf(outlook.workers, outlook.seconds);
        bound << pointOf(outlook.workers, std::min(outlook.lowerBound, outlook.seconds));
    }
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(theme.muted, 1, Qt::DotLine));
    p.drawPolyline(bound);
    p.setPen(QPen(theme.accent, 1.6));
    p.drawPolyline(curve);
    p.setPen(Qt::NoPen);
    p.setBrush(theme.accent);
    for (const QPointF& point : curve) p.drawEllipse(point, 2.2, 2.2);
    if (workers_ >= fewest && workers_ < fewest + count) {
        const report::Outlook& was = outlooks_[workers_ - fewest];
        const QPointF at = pointOf(was.workers, was.seconds);
        p.setPen(QPen(theme.accent, 2));
        p.setBrush(theme.panel);
        p.drawEllipse(at, 5, 5);
        p.setPen(theme.text);
        const bool leftOf = at.x() > area.center().x();
        p.drawText(QRectF(leftOf ? at.x() - 120 : at.x() + 8, at.y() - 21, 112, 16),
                   Qt::AlignVCenter | static_cast<int>(leftOf ? Qt::AlignRight : Qt::AlignLeft),
                   tr("this run %1").arg(timeText(was.seconds)));
    }
}

bool OutlookCurve::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || outlooks_.empty()) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const report::Outlook* nearest = &outlooks_.front();
    for (const report::Outlook& outlook : outlooks_) {
        const auto distance = [&](const report::Outlook& o) {
            return std::abs(pointOf(o.workers, o.seconds).x() - help->pos().x());
        };
        if (distance(outlook) < distance(*nearest)) nearest = &outlook;
    }
    QToolTip::showText(help->globalPos(),
                       tr("%3 workers: about %1, no less than %2")
                           .arg(timeText(nearest->seconds), timeText(nearest->lowerBound),
                                QString::number(nearest->workers)),
                       this);
    return true;
}

}  // namespace gantry::ui
