// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/jobs_slider.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kLeft = 44;
constexpr int kRight = 24;
constexpr int kEdge = 12;  // of a plain slider
constexpr int kTop = 20;
constexpr int kBelow = 44;  // the slider and its numbers
constexpr int kGroove = 14;
constexpr int kHeight = 178;
constexpr int kMinute = 60;
constexpr int kHour = 3600;

/// 1, 2 or 5 times a power of ten, so that there are at most five lines.
double niceStep(double most) {
    const double rough = most / 4;
    const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-3))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) return factor * power;
    }
    return 10 * power;
}

}  // namespace

QString spokenDuration(double seconds) {
    const auto say = [](const char* text) {
        return QCoreApplication::translate("gantry::ui::JobsSlider", text);
    };
    if (seconds < 1) return say("less than 1 s");
    const auto whole = static_cast<int>(std::lround(seconds));
    if (whole < kMinute) return say("%1 s").arg(whole);
    if (whole < 10 * kMinute) return say("%1 min %2 s").arg(whole / kMinute).arg(whole % kMinute);
    if (whole < kHour) return say("%1 min").arg((whole + kMinute / 2) / kMinute);
    return say("%1 h %2 min").arg(whole / kHour).arg(whole % kHour / kMinute);
}

JobsSlider::JobsSlider(bool curve, QWidget* parent) : QAbstractSlider(parent), curve_(curve) {
    setOrientation(Qt::Horizontal);
    setRange(1, 2);
    setPageStep(2);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Jobs"));
    connect(this, &QAbstractSlider::valueChanged, this, [this] { update(); });
}

void JobsSlider::setAdvice(const std::optional<advise::Curve>& advice) {
    advice_ = advice;
    if (advice_) setRange(1, static_cast<int>(advice_->points.back().jobs));
    update();
}

QSize JobsSlider::sizeHint() const { return {480, curve_ ? kHeight : kBelow}; }
QSize JobsSlider::minimumSizeHint() const { return {260, sizeHint().height()}; }

QRectF JobsSlider::plot() const {
    if (!curve_) return QRectF(rect()).adjusted(kEdge, 0, -kEdge, -kBelow);
    return QRectF(rect()).adjusted(kLeft, kTop, -kRight, -kBelow);
}

double JobsSlider::xOf(double jobs) const {
    const double span = std::max(1, maximum() - minimum());
    return plot().left() + plot().width() * (jobs - minimum()) / span;
}

void JobsSlider::moveTo(double x) {
    const double share = (x - plot().left()) / std::max(1.0, plot().width());
    setValue(minimum() + static_cast<int>(std::lround(share * (maximum() - minimum()))));
}

void JobsSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) moveTo(event->position().x());
}

void JobsSlider::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) moveTo(event->position().x());
}

void JobsSlider::focusInEvent(QFocusEvent* event) {
    QAbstractSlider::focusInEvent(event);
    update();
}

void JobsSlider::focusOutEvent(QFocusEvent* event) {
    QAbstractSlider::focusOutEvent(event);
    update();
}

void JobsSlider::paintCurve(QPainter& painter) const {
    const Theme& t = currentTheme();
    const QRectF area = plot();
    double most = 0;
    for (const advise::CurvePoint& point : advice_->points) most = std::max(most, point.seconds);
    const bool minutes = most >= 2 * kMinute;
    const double unit = minutes ? kMinute : 1;
    const double step = niceStep(most / unit) * unit;
    const double top = std::ceil(most / step) * step;
    const auto yOf = [&](double seconds) {
        return area.bottom() - area.height() * seconds / std::max(top, 1e-9);
    };
    painter.setPen(t.muted);
    painter.drawText(QRectF(area.left(), 0, 100, kTop - 4), Qt::AlignLeft | Qt::AlignVCenter,
                     minutes ? tr("minutes") : tr("seconds"));
    for (double value = 0; value <= top + step / 2; value += step) {
        painter.setPen(QPen(t.faintLine, 1));
        painter.drawLine(QPointF(area.left(), yOf(value)), QPointF(area.right(), yOf(value)));
        painter.setPen(t.muted);
        painter.drawText(QRectF(0, yOf(value) - 8, kLeft - 8, 16),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(value / unit));
    }
    QPainterPath curve;
    QPainterPath bound;
    for (const advise::CurvePoint& point : advice_->points) {
        const QPointF at(xOf(point.jobs), yOf(point.seconds));
        const QPointF below(at.x(), yOf(point.lowerBound));
        if (point.jobs == 1) {
            curve.moveTo(at);
            bound.moveTo(below);
        } else {
            curve.lineTo(at);
            bound.lineTo(below);
        }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.muted, 1, Qt::DashLine));
    painter.drawPath(bound);
    painter.setPen(QPen(t.accent, 2));
    painter.drawPath(curve);

    const double advised = xOf(advice_->knee);
    painter.setPen(QPen(t.good, 1, Qt::DashLine));
    painter.drawLine(QPointF(advised, area.top() - 2),
                     QPointF(advised, height() - kBelow + kGroove));
    const QString label = tr("advised");
    QFont bold = painter.font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    const double width = QFontMetricsF(bold).horizontalAdvance(label);
    const bool fits = advised + 6 + width < this->width();
    painter.setPen(t.good);
    // Down where no curve is: even the shortest of runs stays above.
    painter.drawText(
        QRectF(fits ? advised + 6 : advised - 6 - width, area.bottom() - 20, width + 2, 16),
        Qt::AlignLeft | Qt::AlignVCenter, label);
    bold.setWeight(QFont::Normal);
    painter.setFont(bold);
    // The bound has its name where it is farthest from the curve's end.
    painter.setPen(t.muted);
    painter.drawText(
        QRectF(area.right() - 160, yOf(advice_->points.back().lowerBound) + 2, 160, 16),
        Qt::AlignRight | Qt::AlignTop, tr("lower bound"));
}

/// Points at the advised number from above.
void JobsSlider::paintMark(QPainter& painter) const {
    const QPointF tip(xOf(advice_->knee), height() - kBelow + kGroove - 9);
    painter.setPen(Qt::NoPen);
    painter.setBrush(currentTheme().good);
    const QPointF corners[] = {tip, tip + QPointF(-4.5, -5), tip + QPointF(4.5, -5)};
    painter.drawPolygon(corners, 3);
}

void JobsSlider::paintAxis(QPainter& painter) const {
    const Theme& t = currentTheme();
    const QRectF area = plot();
    const double y = height() - kBelow + kGroove;
    const double at = xOf(value());
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.line);
    painter.drawRoundedRect(QRectF(area.left(), y - 2, area.width(), 4), 2, 2);
    painter.setBrush(isEnabled() ? t.accent : t.muted);
    painter.drawRoundedRect(QRectF(area.left(), y - 2, at - area.left(), 4), 2, 2);
    if (hasFocus()) {
        painter.setBrush(t.accentTint);
        painter.drawEllipse(QPointF(at, y), 11, 11);
    }
    painter.setBrush(t.panel);
    painter.setPen(QPen(isEnabled() ? t.accent : t.muted, 2));
    painter.drawEllipse(QPointF(at, y), 7, 7);

    // As many numbers as do not touch; the chosen one always, and bold.
    const int every = std::max(1, static_cast<int>(std::ceil(34.0 * (maximum() - minimum()) /
                                                             std::max(1.0, area.width()))));
    for (int jobs = minimum(); jobs <= maximum(); ++jobs) {
        const bool chosen = jobs == value();
        const bool regular = (jobs == 1 || jobs % every == 0) && std::abs(xOf(jobs) - at) > 20;
        if (!chosen && !regular) continue;
        QFont font = painter.font();
        font.setWeight(chosen ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        painter.setPen(chosen ? t.text : t.muted);
        painter.drawText(QRectF(xOf(jobs) - 20, y + 11, 40, 16), Qt::AlignCenter,
                         QString::number(jobs));
    }
}

void JobsSlider::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont font = interfaceFont();
    font.setPixelSize(11);
    painter.setFont(font);
    if (advice_ && curve_) paintCurve(painter);
    if (!advice_ && curve_ && isEnabled()) {
        painter.setPen(currentTheme().muted);
        painter.drawText(plot(), Qt::AlignCenter, tr("The predicted times appear here."));
    }
    paintAxis(painter);
    if (advice_ && !curve_) paintMark(painter);
}

}  // namespace gantry::ui
