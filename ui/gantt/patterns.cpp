// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/patterns.h"

#include <QImage>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/theme/theme.h"

namespace gantry::ui {

QBrush patternBrush(Pattern pattern, const QColor& color) {
    constexpr int kSize = 8;
    QImage tile(kSize, kSize, QImage::Format_ARGB32_Premultiplied);
    tile.fill(Qt::transparent);
    QPainter p(&tile);
    p.setPen(color);
    const auto slant = [&](int from, int to) {
        p.setRenderHint(QPainter::Antialiasing);
        for (int x = -kSize; x <= kSize; x += kSize) p.drawLine(x, from, x + kSize, to);
    };
    switch (pattern) {
        case Pattern::Rising:
            slant(kSize, 0);
            break;
        case Pattern::Falling:
            slant(0, kSize);
            break;
        case Pattern::Upright:
            for (int x = 1; x < kSize; x += 4) p.drawLine(x, 0, x, kSize);
            break;
        case Pattern::Level:
            for (int y = 1; y < kSize; y += 4) p.drawLine(0, y, kSize, y);
            break;
        case Pattern::Dots:
            for (int y = 1; y < kSize; y += 4) {
                for (int x = 1; x < kSize; x += 4) p.fillRect(x + (y == 5 ? 2 : 0), y, 1, 1, color);
            }
            break;
    }
    p.end();
    return QBrush(tile);
}

QBrush patternedBrush(const QColor& color, const QBrush& pattern) {
    if (pattern.style() == Qt::NoBrush) return color;
    // A painter goes from tile to tile: wide ones take it far.
    constexpr int kWidth = 256;
    QImage tile(kWidth, pattern.textureImage().height(), QImage::Format_RGB32);
    tile.fill(color);
    QPainter p(&tile);
    p.fillRect(tile.rect(), pattern);
    p.end();
    return QBrush(tile);
}

QBrush patternOf(Category category) {
    static const std::array<QBrush, kCategories> kPatterns{
        QBrush(),                                       // COPY
        patternBrush(Pattern::Rising, kDarkPattern),    // index
        patternBrush(Pattern::Upright, kLightPattern),  // constraint
        patternBrush(Pattern::Dots, kLightPattern),     // foreign key
        patternBrush(Pattern::Level, kDarkPattern),     // materialized view
        QBrush(),                                       // definitions
        patternBrush(Pattern::Falling, kLightPattern),  // vacuum
        patternBrush(Pattern::Upright, kDarkPattern),   // analyze
    };
    return kPatterns[static_cast<std::size_t>(category)];
}

QColor mixed(const QColor& color, const QColor& other, double share) {
    const auto part = [share](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * share));
    };
    return {part(color.red(), other.red()), part(color.green(), other.green()),
            part(color.blue(), other.blue())};
}

QColor textOn(const QColor& background) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double luminance = 0.2126 * linear(background.redF()) +
                             0.7152 * linear(background.greenF()) +
                             0.0722 * linear(background.blueF());
    constexpr double kBrightest = 0.183;  // white on it still has a contrast of 4.5
    return luminance > kBrightest ? QColor(Qt::black) : QColor(Qt::white);
}

void paintTornEnd(QPainter& painter, const QRectF& rect) {
    constexpr double kTooth = 4;
    constexpr double kDeep = 6;
    const double deep = std::min(kDeep, rect.width() / 2);
    QPolygonF edge;
    bool inside = true;
    for (double y = rect.top(); y < rect.bottom() + kTooth; y += kTooth, inside = !inside) {
        edge << QPointF(rect.right() - 1 - (inside ? deep : 0), std::min(y, rect.bottom()));
    }
    QPolygonF torn = edge;
    torn << rect.bottomRight() << rect.topRight();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(currentTheme().panel);
    painter.drawPolygon(torn);
    painter.setPen(QPen(currentTheme().error, 2));
    painter.drawPolyline(edge);
    painter.restore();
}

}  // namespace gantry::ui
