// SPDX-License-Identifier: PostgreSQL
#include "ui/charts/strips.h"

#include <QCoreApplication>
#include <QLineF>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ui/forms/text.h"
#include "ui/gantt/gantt_painter.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

struct Chart {
    Q_DECLARE_TR_FUNCTIONS(Chart)
};

void paintName(QPainter& p, const QRect& header, const QString& name, const QString& value) {
    QFont font = interfaceFont();
    font.setPixelSize(11);
    p.setFont(font);
    p.setPen(currentTheme().muted);
    if (value.isEmpty()) {
        p.drawText(header, Qt::AlignVCenter, name);
        return;
    }
    const int half = header.height() / 2;
    p.drawText(header.adjusted(0, 0, 0, -half), Qt::AlignBottom, name);
    p.drawText(header.adjusted(0, half, 0, 0), Qt::AlignTop, value);
}

/// What a line stands for, at the right end.
void paintPlate(QPainter& p, const QRect& area, const QColor& color, const QString& label) {
    QFont font = interfaceFont();
    font.setPixelSize(10);
    p.setFont(font);
    const int width = QFontMetrics(font).horizontalAdvance(label) + 4;
    const QRect plate(area.right() - width - 2, area.top() + 2, width, 13);
    p.fillRect(plate, currentTheme().panel);
    p.setPen(color);
    p.drawText(plate, Qt::AlignCenter, label);
}

/// What of the line lies in `area`. Qt's rasterizer takes time quadratic in the edges that share a
/// row of pixels, of which each dot of a dotted line has two, so that lines are drawn a little at a
/// time.
void paintLine(QPainter& p, const QRect& area, const QPolygonF& line, QPen pen) {
    constexpr int kPoints = 32;
    constexpr double kPixels = 64;
    const double left = area.left() - 1.0;
    const double right = area.right() + 2.0;
    QPolygonF piece;
    double length = 0;  // from the line's beginning to the piece's
    double pieceLength = 0;
    const auto draw = [&] {
        if (pen.style() != Qt::SolidLine) pen.setDashOffset(length / pen.widthF());
        p.setPen(pen);
        if (piece.size() > 1) p.drawPolyline(piece);
        piece = piece.isEmpty() ? QPolygonF() : QPolygonF{piece.back()};
        length += std::exchange(pieceLength, 0);
    };
    p.setRenderHint(QPainter::Antialiasing);
    for (int i = 1; i < line.size(); ++i) {
        const QLineF whole(line[i - 1], line[i]);
        const double begin =
            whole.dx() > 0 ? std::clamp((left - whole.x1()) / whole.dx(), 0., 1.) : 0;
        const double end =
            whole.dx() > 0 ? std::clamp((right - whole.x1()) / whole.dx(), 0., 1.) : 1;
        if (begin > 0 || end <= begin) {
            draw();
            piece.clear();
            length += whole.length() * (end <= begin ? 1 : begin);
        }
        if (end <= begin) continue;
        if (piece.isEmpty()) piece << whole.pointAt(begin);
        const QLineF seen(piece.back(), whole.pointAt(end));
        const int steps = std::max(static_cast<int>(std::ceil(seen.length() / kPixels)), 1);
        for (int step = 1; step <= steps; ++step) {
            piece << seen.pointAt(static_cast<double>(step) / steps);
            pieceLength += seen.length() / steps;
            if (piece.size() >= kPoints || pieceLength >= kPixels) draw();
        }
    }
    draw();
    p.setRenderHint(QPainter::Antialiasing, false);
}

/// What is between the line and the floor within `area`, a column of pixels at a time.
void paintArea(QPainter& p, const QRect& area, const QPolygonF& line, double floor, QColor color,
               int alpha) {
    color.setAlpha(alpha);
    for (int i = 1; i < line.size(); ++i) {
        const QPointF& from = line[i - 1];
        const QPointF& to = line[i];
        if (to.x() <= from.x()) continue;
        const double slope = (to.y() - from.y()) / (to.x() - from.x());
        const int last = std::min(static_cast<int>(std::lround(to.x())), area.right() + 1);
        for (int x = std::max(static_cast<int>(std::lround(from.x())), area.left()); x < last;
             ++x) {
            const double top = from.y() + slope * (x + 0.5 - from.x());
            p.fillRect(QRectF(x, top, 1, floor - top), color);
        }
    }
}

}  // namespace

void paintThroughputStrip(QPainter& p, const QRect& header, const QRect& area,
                          const ChartScene& scene) {
    const Theme& theme = currentTheme();
    const report::Throughput* data = scene.throughput;
    const double peak = data == nullptr ? 0 : data->peak();
    paintName(p, header, Chart::tr("Throughput"),
              peak > 0 ? Chart::tr("up to %1").arg(rateText(peak)) : QString());
    if (peak <= 0) return;
    p.save();
    p.setClipRect(area);
    const double floor = area.bottom() - 1;
    const double height = area.height() - 8;
    const auto xOf = [&](Duration at) { return area.left() + scene.scale->x(at); };
    const Duration width = data->slotWidth();
    const auto slotOf = [&](Duration at) {
        return static_cast<std::size_t>(std::max<int64_t>(at / width, 0));
    };
    const std::size_t first = slotOf(scene.scale->begin());
    const std::size_t last = std::min(slotOf(scene.scale->end()) + 1, data->slots().size());
    const std::vector<report::Throughput::Ratio> compression = data->ratios();
    double bestRatio = 1;
    for (const auto& ratio : compression) bestRatio = std::max(bestRatio, ratio.value);
    QPolygonF rates;
    QPolygonF ratios;
    for (std::size_t i = first; i < last; ++i) {
        const double x = xOf(width * static_cast<int64_t>(i) + width / 2);
        // Slots narrower than a pixel: the higher of those that share it.
        const double y = floor - height * data->bytesPerSecond(i) / peak;
        if (!rates.isEmpty() && x - rates.back().x() < 1) {
            rates.back().setY(std::min(rates.back().y(), y));
        } else {
            rates << QPointF(x, y);
        }
    }
    for (const auto& ratio : compression) {
        // Of those to the left and right of what is seen, the nearest is enough.
        const QPointF point(xOf(ratio.at), floor - height * ratio.value / bestRatio);
        if (ratios.size() > 1 && ratios.back().x() > area.right()) break;
        if (point.x() < area.left()) ratios.clear();
        if (ratios.isEmpty() || point.x() - ratios.back().x() >= 1) ratios << point;
    }
    paintArea(p, area, rates, floor, theme.accent, 36);
    paintLine(p, area, rates, QPen(theme.accent, 1.2));
    paintLine(p, area, ratios, QPen(theme.matview, 1.2, Qt::DotLine));
    p.restore();
    if (compression.size() > 1) {
        paintPlate(p, area, theme.matview,
                   Chart::tr("compression %1 to 1").arg(compression.back().value, 0, 'f', 1));
    }
}

void paintLoadStrip(QPainter& p, const QRect& header, const QRect& area, const ChartScene& scene) {
    const Theme& theme = currentTheme();
    QPolygonF busy;
    QPolygonF active;
    uint32_t most = 1;
    std::optional<double> lastBusy;
    std::optional<uint32_t> lastActive;
    uint32_t lastSessions = 0;
    for (const events::LoadState& state : scene.run->loads()) {
        most = std::max(most, state.load.active.value_or(0));
    }
    const double floor = area.bottom() - 1;
    const double height = area.height() - 6;
    const double width = area.width();
    // Of looks that share a pixel the higher.
    const auto add = [&](QPolygonF& line, Duration at, double share) {
        const double x = scene.scale->x(at);
        const QPointF point(area.left() + x, floor - height * share);
        if (x < -width || x > 2 * width) return;
        if (line.isEmpty() || point.x() - line.back().x() >= 1) {
            line << point;
        } else {
            line.back().setY(std::min(line.back().y(), point.y()));
        }
    };
    for (const events::LoadState& state : scene.run->loads()) {
        if (state.load.processors) {
            lastBusy = state.load.processors;
            add(busy, state.at, *lastBusy);
        }
        if (state.load.active) {
            lastActive = state.load.active;
            lastSessions = state.load.sessions.value_or(0);
            add(active, state.at, static_cast<double>(*lastActive) / most);
        }
    }
    paintName(p, header, Chart::tr("This machine's CPU"),
              lastBusy ? Chart::tr("%1 busy").arg(shareText(*lastBusy)) : QString());
    p.save();
    p.setClipRect(area);
    paintArea(p, area, busy, floor, theme.muted, 40);
    paintLine(p, area, busy, QPen(theme.muted, 1.2));
    paintLine(p, area, active, QPen(theme.constraint, 1.2, Qt::DashLine));
    p.restore();
    if (lastActive) {
        paintPlate(p, area, theme.constraint,
                   Chart::tr("%1 of %2 sessions active").arg(*lastActive).arg(lastSessions));
    }
}

void paintOverviewRows(QPainter& p, const QRect& area, const ChartScene& scene) {
    const Theme& theme = currentTheme();
    p.fillRect(area, theme.background);
    const std::vector<std::size_t>& order = scene.layout->order();
    if (order.empty()) return;
    TimeScale whole;
    whole.setWidth(area.width());
    whole.setRun(scene.run->now(), scene.scale->runEnd());
    const double step = (area.height() - 6.0) / static_cast<double>(order.size());
    // More rows than pixels: some of them stand for the others.
    const std::size_t skip = step >= 1 ? 1 : static_cast<std::size_t>(std::ceil(1 / step));
    for (std::size_t i = 0; i < order.size(); i += skip) {
        const double top = area.top() + 3 + step * static_cast<double>(i);
        const double height = std::clamp(step - 1, 1.0, 4.0);
        const Row& row = scene.layout->row(order[i]);
        forEachPiece(row.bars, whole, 1, [&](const Piece& piece) {
            const Bar& bar = row.bars[piece.first];
            p.fillRect(
                QRectF(area.left() + piece.x0, top, std::max(piece.x1 - piece.x0, 1.0), height),
                bar.flaw == Flaw::Failed ? theme.error : kindColor(bar.kind));
        });
    }
}

void paintOverviewStrip(QPainter& p, const QRect& header, const QRect& area,
                        const ChartScene& scene) {
    const Theme& theme = currentTheme();
    paintName(p, header, Chart::tr("Overview"), {});
    if (scene.overview != nullptr) {
        p.drawPixmap(area.topLeft(), *scene.overview);
    } else {
        paintOverviewRows(p, area, scene);
    }
    TimeScale whole;
    whole.setWidth(area.width());
    whole.setRun(scene.run->now(), scene.scale->runEnd());
    const double x0 = std::clamp(whole.x(scene.scale->begin()), 0.0, area.width() - 1.0);
    const double x1 = std::clamp(whole.x(scene.scale->end()), x0 + 3, area.width() - 0.0);
    QColor veil = theme.panel;
    veil.setAlpha(150);
    p.fillRect(QRectF(area.left(), area.top(), x0, area.height()), veil);
    p.fillRect(QRectF(area.left() + x1, area.top(), area.width() - x1, area.height()), veil);
    p.setPen(QPen(theme.accent, 1.5));
    p.setBrush(Qt::NoBrush);
    p.setRenderHint(QPainter::Antialiasing);
    p.drawRoundedRect(QRectF(area.left() + x0 + 0.75, area.top() + 0.75,
                             std::max(x1 - x0 - 1.5, 3.0), area.height() - 1.5),
                      3, 3);
    p.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace gantry::ui
