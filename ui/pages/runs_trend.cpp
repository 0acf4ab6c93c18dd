// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/runs_trend.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kHeadingHeight = 32;
constexpr int kAxisHeight = 20;
constexpr int kScaleWidth = 64;
constexpr int kGap = 12;

QString timeText(double seconds) {
    return durationText(Duration(static_cast<int64_t>(seconds * 1e6)));
}

}  // namespace

RunsTrend::RunsTrend(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Size and time over months"));
}

void RunsTrend::showLike(const history::PastRun& like, const std::vector<history::PastRun>& runs) {
    points_.clear();
    for (const history::PastRun& run : runs) {
        if (run.operation != like.operation || run.database != like.database ||
            run.cluster != like.cluster || !run.cameToItsEnd() || run.ofSweep() != like.ofSweep()) {
            continue;
        }
        const uint64_t bytes = run.compressedBytes > 0 ? run.compressedBytes : run.bytes;
        points_.push_back(
            {.at = QDateTime::fromString(text(run.startedAt), Qt::ISODate).toLocalTime(),
             .bytes = static_cast<double>(bytes),
             .seconds = static_cast<double>(run.elapsed.count()) / 1e6});
    }
    std::sort(points_.begin(), points_.end(),
              [](const Point& a, const Point& b) { return a.at < b.at; });
    title_ = points_.empty()
                 ? tr("No run like this one on %1 has come to its end").arg(text(like.database))
                 : tr("%1: size and time of its last %n runs of this kind", nullptr,
                      static_cast<int>(points_.size()))
                       .arg(text(like.database));
    QStringList words;
    for (const Point& point : points_) words << describe(point);
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    update();
}

void RunsTrend::clear() {
    points_.clear();
    title_ = tr("Choose a run to see how its database has grown");
    update();
}

QString RunsTrend::describe(const Point& point) const {
    return tr("%1: %2 in %3")
        .arg(point.at.toString(QStringLiteral("yyyy-MM-dd HH:mm")),
             bytesText(static_cast<uint64_t>(point.bytes)), timeText(point.seconds));
}

std::vector<RunsTrend::Plot> RunsTrend::plots() const {
    const int width = (this->width() - kGap) / 2;
    const auto area = [&](int left) {
        return QRect(left + kScaleWidth, kHeadingHeight, width - kScaleWidth - 8,
                     height() - kHeadingHeight - kAxisHeight);
    };
    return {{area(0), &Point::bytes, currentTheme().accent},
            {area(width + kGap), &Point::seconds, currentTheme().index}};
}

QPointF RunsTrend::place(const Plot& plot, const Point& point) const {
    double most = 0;
    for (const Point& other : points_) most = std::max(most, other.*plot.value);
    const auto span = static_cast<double>(points_.front().at.secsTo(points_.back().at));
    const auto since = static_cast<double>(points_.front().at.secsTo(point.at));
    const double x = span > 0 ? since / span : 0.5;
    return {plot.area.left() + x * plot.area.width(),
            plot.area.bottom() - point.*plot.value / std::max(most, 1e-9) * plot.area.height()};
}

void RunsTrend::paintEvent(QPaintEvent*) {
    const Theme& theme = currentTheme();
    QPainter p(this);
    QFont font = interfaceFont();
    p.setFont(font);
    p.setPen(theme.muted);
    p.drawText(QRect(0, 0, width(), kHeadingHeight - 14), Qt::AlignVCenter,
               p.fontMetrics().elidedText(title_, Qt::ElideMiddle, width()));
    if (points_.empty()) return;
    font.setPixelSize(11);
    p.setFont(font);
    for (const Plot& plot : plots()) {
        double most = 0;
        for (const Point& point : points_) most = std::max(most, point.*plot.value);
        const bool size = plot.value == &Point::bytes;
        p.setPen(theme.muted);
        p.drawText(QRect(plot.area.left() - kScaleWidth, plot.area.top() - 8, kScaleWidth - 6, 16),
                   Qt::AlignRight | Qt::AlignVCenter,
                   size ? bytesText(static_cast<uint64_t>(most)) : timeText(most));
        const QRect axis(plot.area.left(), plot.area.bottom() + 3, plot.area.width(), 16);
        const QString format = QStringLiteral("d MMM yyyy");
        p.drawText(axis, Qt::AlignLeft, points_.front().at.toString(format));
        if (points_.size() > 1) {
            p.drawText(axis, Qt::AlignRight, points_.back().at.toString(format));
        }
        p.fillRect(QRect(plot.area.left(), plot.area.bottom(), plot.area.width(), 1), theme.line);
        QPolygonF curve;
        for (const Point& point : points_) curve << place(plot, point);
        p.setRenderHint(QPainter::Antialiasing);
        p.setPen(QPen(plot.color, 1.6));
        p.drawPolyline(curve);
        p.setPen(Qt::NoPen);
        p.setBrush(plot.color);
        for (const QPointF& at : curve) p.drawEllipse(at, 2.5, 2.5);
        p.setBrush(Qt::NoBrush);
    }
}

bool RunsTrend::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || points_.empty()) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Point* nearest = nullptr;
    double least = 0;
    for (const Plot& plot : plots()) {
        for (const Point& point : points_) {
            const double distance = std::abs(place(plot, point).x() - help->pos().x());
            if (nearest == nullptr || distance < least) {
                nearest = &point;
                least = distance;
            }
        }
    }
    QToolTip::showText(help->globalPos(), describe(*nearest), this);
    return true;
}

}  // namespace gantry::ui
