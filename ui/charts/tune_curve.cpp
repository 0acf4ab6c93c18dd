// SPDX-License-Identifier: PostgreSQL
#include "ui/charts/tune_curve.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/forms/text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kLeft = 48;
constexpr int kRight = 20;
constexpr int kTop = 34;
constexpr int kBelow = 38;
constexpr double kReach = 14;  // from a mark to the mouse
constexpr double kMark = 5;
constexpr double kMinute = 60;

/// 1, 2 or 5 times a power of ten, so that there are at most five lines.
double niceStep(double most) {
    const double rough = most / 4;
    const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-3))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) return factor * power;
    }
    return 10 * power;
}

QString secondsOf(double value) { return text(tune::secondsText(value)); }

/// Tells a series from the others: its settings without the jobs.
QString nameOf(const tune::Setting& setting) {
    const QString all = text(tune::describe(setting));
    const qsizetype comma = all.indexOf(QLatin1String(", "));
    return comma < 0 ? QString() : all.mid(comma + 2);
}

}  // namespace

TuneCurve::TuneCurve(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Time over the number of jobs"));
}

void TuneCurve::setReport(const tune::Report& report) {
    report_ = report;
    rows_ = tune::rowsOf(report_);
    series_ = tune::seriesOf(report_.points);
    if (selected_ && *selected_ >= report_.points.size()) selected_.reset();
    measureRange();
    QStringList words;
    for (std::size_t i = 0; i < report_.points.size(); ++i) words << describe(i);
    setAccessibleDescription(words.join(QStringLiteral(". ")));
    update();
}

void TuneCurve::setRunning(std::optional<std::size_t> point) {
    running_ = point;
    update();
}

void TuneCurve::select(std::optional<std::size_t> point) {
    if (selected_ == point) return;
    selected_ = point;
    update();
}

void TuneCurve::choose(std::size_t point) {
    if (selected_ == point) return;
    select(point);
    Q_EMIT selectedChanged(point);
}

void TuneCurve::measureRange() {
    double most = 0;
    leastJobs_ = report_.points.empty() ? 1 : report_.points.front().setting.jobs;
    mostJobs_ = leastJobs_;
    for (const tune::Point& point : report_.points) {
        if (point.measured()) most = std::max(most, point.slowest());
        most = std::max(most, point.predicted.value_or(0));
        leastJobs_ = std::min<double>(leastJobs_, point.setting.jobs);
        mostJobs_ = std::max<double>(mostJobs_, point.setting.jobs);
    }
    if (most <= 0) most = 1;
    const double unit = most >= 2 * kMinute ? kMinute : 1;
    step_ = niceStep(most / unit) * unit;
    top_ = std::ceil(most * 1.02 / step_) * step_;
}

QRectF TuneCurve::plot() const { return QRectF(rect()).adjusted(kLeft, kTop, -kRight, -kBelow); }

double TuneCurve::xOf(double jobs) const {
    const QRectF area = plot();
    if (mostJobs_ <= leastJobs_) return area.center().x();
    constexpr double kInset = 12;  // so that no mark touches an edge
    return area.left() + kInset +
           (area.width() - 2 * kInset) * (jobs - leastJobs_) / (mostJobs_ - leastJobs_);
}

double TuneCurve::yOf(double seconds) const {
    const QRectF area = plot();
    return area.bottom() - area.height() * seconds / top_;
}

QPointF TuneCurve::positionOf(std::size_t point) const {
    const tune::Point& p = report_.points[point];
    const double seconds = p.measured() ? p.median() : p.predicted.value_or(0);
    return {xOf(p.setting.jobs), yOf(seconds)};
}

std::optional<std::size_t> TuneCurve::pointAt(const QPointF& position) const {
    std::optional<std::size_t> nearest;
    double least = kReach;
    for (std::size_t i = 0; i < report_.points.size(); ++i) {
        const QPointF away = positionOf(i) - position;
        const double distance = std::hypot(away.x(), away.y());
        if (distance >= least) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

QString TuneCurve::describe(std::size_t point) const {
    const tune::Point& p = report_.points[point];
    QString words = text(tune::describe(p.setting)) + QStringLiteral(": ");
    if (p.measured()) {
        words += secondsOf(p.median());
        if (p.samples.size() > 1) {
            words += tr(" (%1 to %2, measured %3 times)")
                         .arg(secondsOf(p.fastest()), secondsOf(p.slowest()))
                         .arg(p.samples.size());
        }
        words += tr(", %1 times as fast as with the fewest").arg(rows_[point].speedUp, 0, 'f', 2);
    } else {
        words += rows_[point].note.empty() ? tr("not measured") : text(rows_[point].note);
    }
    if (p.predicted) words += tr("; predicted %1").arg(secondsOf(*p.predicted));
    if (p.lowerBound > 0) words += tr(", no less than %1").arg(secondsOf(p.lowerBound));
    if (p.limit) {
        const std::string_view limit = advise::toString(*p.limit);
        words += tr("; limited by: %1")
                     .arg(QString::fromUtf8(limit.data(), static_cast<qsizetype>(limit.size())));
    }
    return words;
}

QColor TuneCurve::colorOf(std::size_t series) const {
    const Theme& t = currentTheme();
    const QColor colors[] = {t.index, t.foreignKey, t.constraint, t.matview, t.error, t.muted};
    return colors[series % std::size(colors)];
}

void TuneCurve::paintGrid(QPainter& painter) const {
    const Theme& t = currentTheme();
    const QRectF area = plot();
    const bool minutes = top_ >= 2 * kMinute;
    const double unit = minutes ? kMinute : 1;
    painter.setPen(t.muted);
    painter.drawText(QRectF(8, 8, 100, 16), Qt::AlignLeft | Qt::AlignVCenter,
                     minutes ? tr("minutes") : tr("seconds"));
    for (double value = 0; value <= top_ + step_ / 2; value += step_) {
        painter.setPen(QPen(value > 0 ? t.faintLine : t.line, 1));
        painter.drawLine(QPointF(area.left(), yOf(value)), QPointF(area.right(), yOf(value)));
        painter.setPen(t.muted);
        painter.drawText(QRectF(0, yOf(value) - 8, kLeft - 8, 16),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(value / unit));
    }
    double last = -1000;
    for (const tune::Point& point : report_.points) {
        const double x = xOf(point.setting.jobs);
        if (x - last < 22 && x >= last) continue;
        last = x;
        painter.drawText(QRectF(x - 20, area.bottom() + 4, 40, 16), Qt::AlignCenter,
                         QString::number(point.setting.jobs));
    }
    painter.drawText(QRectF(area.left(), area.bottom() + 19, area.width(), 16), Qt::AlignCenter,
                     tr("jobs"));
}

QPen TuneCurve::predictedPen(std::size_t series) const {
    // Of several each has its own colour.
    if (series_.size() > 1) return {colorOf(series), 1.2, Qt::DashLine};
    return {currentTheme().accent, 1.6};
}

void TuneCurve::paintPredicted(QPainter& painter, const std::vector<std::size_t>& series,
                               std::size_t number) const {
    const Theme& t = currentTheme();
    QPolygonF curve;
    QPolygonF bound;
    for (const std::size_t i : series) {
        const tune::Point& point = report_.points[i];
        if (!point.predicted) continue;
        curve << QPointF(xOf(point.setting.jobs), yOf(*point.predicted));
        if (point.lowerBound > 0) {
            bound << QPointF(xOf(point.setting.jobs), yOf(point.lowerBound));
        }
    }
    // The advisor's own curve has the numbers in between as well.
    if (series_.size() == 1 && report_.foreseen) {
        curve.clear();
        bound.clear();
        for (const advise::CurvePoint& point : report_.foreseen->points) {
            if (point.jobs < leastJobs_ || point.jobs > mostJobs_) continue;
            curve << QPointF(xOf(point.jobs), yOf(point.seconds));
            bound << QPointF(xOf(point.jobs), yOf(point.lowerBound));
        }
    }
    painter.setPen(QPen(t.muted, 1, Qt::DotLine));
    painter.drawPolyline(bound);
    painter.setPen(predictedPen(number));
    painter.drawPolyline(curve);
    if (series_.size() > 1) return;
    painter.setPen(QPen(t.accent, 1));
    painter.setBrush(t.panel);
    for (const std::size_t i : series) {
        const tune::Point& point = report_.points[i];
        if (!point.predicted) continue;
        painter.drawEllipse(QPointF(xOf(point.setting.jobs), yOf(*point.predicted)), 2.5, 2.5);
    }
}

void TuneCurve::paintMark(QPainter& painter, const QPointF& at, std::size_t series) const {
    // By shape as well as by colour.
    switch (series % 3) {
        case 0:
            painter.drawEllipse(at, kMark, kMark);
            break;
        case 1:
            painter.drawRect(
                QRectF(at.x() - kMark + 0.5, at.y() - kMark + 0.5, 2 * kMark - 1, 2 * kMark - 1));
            break;
        default:
            painter.drawPolygon(QPolygonF{at + QPointF(0, -kMark - 1), at + QPointF(kMark + 1, 0),
                                          at + QPointF(0, kMark + 1), at + QPointF(-kMark - 1, 0)});
    }
}

void TuneCurve::paintMeasured(QPainter& painter, const std::vector<std::size_t>& series,
                              std::size_t number) const {
    const Theme& t = currentTheme();
    const QColor color = colorOf(number);
    QPolygonF line;
    for (const std::size_t i : series) {
        if (report_.points[i].measured()) line << positionOf(i);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.6));
    painter.drawPolyline(line);
    for (const std::size_t i : series) {
        const tune::Point& point = report_.points[i];
        const QPointF at = positionOf(i);
        if (running_ == i) {
            painter.setPen(QPen(color, 1, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(at, kMark + 6, kMark + 6);
        }
        if (selected_ == i) {
            painter.setPen(QPen(hasFocus() ? t.accent : t.muted, 1.5));
            painter.setBrush(hasFocus() ? t.accentTint : QColor(Qt::transparent));
            painter.drawEllipse(at, kMark + 4, kMark + 4);
        }
        if (!point.measured()) continue;
        painter.setPen(QPen(color, 1.4));
        const double low = yOf(point.fastest());
        const double high = yOf(point.slowest());
        painter.drawLine(QPointF(at.x(), low), QPointF(at.x(), high));
        for (const double y : {low, high}) {
            if (point.samples.size() > 1) {
                painter.drawLine(QPointF(at.x() - 4, y), QPointF(at.x() + 4, y));
            }
        }
        painter.setBrush(rows_[i].knee ? color : t.panel);
        painter.setPen(QPen(color, 2));
        paintMark(painter, at, number);
    }
}

void TuneCurve::paintAdvised(QPainter& painter) const {
    const std::optional<std::size_t> advised = tune::advisedPoint(report_);
    if (!advised) return;
    const Theme& t = currentTheme();
    const QRectF area = plot();
    const QPointF at = positionOf(*advised);
    painter.setPen(QPen(t.good, 1, Qt::DashLine));
    painter.drawLine(QPointF(at.x(), area.top() - 4), QPointF(at.x(), area.bottom()));
    QFont bold = painter.font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    const QString label = tr("advised");
    const double width = QFontMetricsF(bold).horizontalAdvance(label);
    const bool fits = at.x() + 6 + width < area.right();
    painter.setPen(t.good);
    painter.drawText(QRectF(fits ? at.x() + 6 : at.x() - 6 - width, area.top() - 10, width + 2, 16),
                     Qt::AlignLeft | Qt::AlignVCenter, label);
    bold.setWeight(QFont::Normal);
    painter.setFont(bold);
}

void TuneCurve::paintLegend(QPainter& painter) const {
    const Theme& t = currentTheme();
    const QFontMetricsF metrics(painter.font());
    double x = plot().right();
    const auto entry = [&](const QString& name, auto draw) {
        x -= metrics.horizontalAdvance(name);
        painter.setPen(t.muted);
        painter.drawText(QPointF(x, 8 + 12), name);
        x -= 26;
        draw(QPointF(x + 10, 8 + 8));
        x -= 12;
    };
    const bool predicted = std::any_of(report_.points.begin(), report_.points.end(),
                                       [](const tune::Point& p) { return p.predicted; });
    const bool bounded = std::any_of(report_.points.begin(), report_.points.end(),
                                     [](const tune::Point& p) { return p.lowerBound > 0; });
    if (bounded) {
        entry(tr("lower bound"), [&](const QPointF& at) {
            painter.setPen(QPen(t.muted, 1, Qt::DotLine));
            painter.drawLine(at - QPointF(10, 0), at + QPointF(10, 0));
        });
    }
    if (predicted) {
        entry(tr("predicted"), [&](const QPointF& at) {
            QPen pen = predictedPen(0);
            if (series_.size() > 1) pen.setColor(t.muted);
            painter.setPen(pen);
            painter.drawLine(at - QPointF(10, 0), at + QPointF(10, 0));
        });
    }
    if (!report_.anyMeasured()) return;
    for (std::size_t i = series_.size(); i-- > 0;) {
        const QString name = nameOf(report_.points[series_[i].front()].setting);
        entry(name.isEmpty() ? tr("measured") : name, [&](const QPointF& at) {
            painter.setPen(QPen(colorOf(i), 1.6));
            painter.drawLine(at - QPointF(10, 0), at + QPointF(10, 0));
            painter.setBrush(t.panel);
            paintMark(painter, at, i);
        });
    }
}

void TuneCurve::paintEvent(QPaintEvent*) {
    const Theme& t = currentTheme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), t.panel);
    QFont font = interfaceFont();
    font.setPixelSize(11);
    painter.setFont(font);
    if (report_.points.empty()) return;
    paintGrid(painter);
    for (std::size_t i = 0; i < series_.size(); ++i) {
        painter.setBrush(Qt::NoBrush);
        paintPredicted(painter, series_[i], i);
    }
    paintAdvised(painter);
    for (std::size_t i = 0; i < series_.size(); ++i) paintMeasured(painter, series_[i], i);
    paintLegend(painter);
}

void TuneCurve::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const auto point = pointAt(event->position());
    if (!point) return;
    choose(*point);
    if (report_.points[*point].measured()) Q_EMIT openWanted(*point);
}

void TuneCurve::mouseMoveEvent(QMouseEvent* event) {
    const auto point = pointAt(event->position());
    const bool opens = point && report_.points[*point].measured();
    setCursor(opens ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TuneCurve::keyPressEvent(QKeyEvent* event) {
    const std::size_t count = report_.points.size();
    const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    const bool forth = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    if (count > 0 && (back || forth)) {
        if (!selected_) {
            choose(forth ? 0 : count - 1);
        } else {
            choose((*selected_ + (forth ? 1 : count - 1)) % count);
        }
        return;
    }
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                       event->key() == Qt::Key_Space;
    if (enter && selected_ && report_.points[*selected_].measured()) {
        Q_EMIT openWanted(*selected_);
        return;
    }
    QWidget::keyPressEvent(event);
}

void TuneCurve::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void TuneCurve::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool TuneCurve::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto point = pointAt(help->pos());
    if (!point) {
        QToolTip::hideText();
        return true;
    }
    QString words = describe(*point);
    const std::vector<tune::Sample>& samples = report_.points[*point].samples;
    if (!samples.empty() && !samples.back().record.empty()) words += tr(". Click to open its run.");
    QToolTip::showText(help->globalPos(), words, this);
    return true;
}

}  // namespace gantry::ui
