// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/patterns.h"

#include <QImage>
#include <QPainter>
#include <cmath>

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

QColor mixed(const QColor& color, const QColor& other, double share) {
    const auto part = [share](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * share));
    };
    return {part(color.red(), other.red()), part(color.green(), other.green()),
            part(color.blue(), other.blue())};
}

}  // namespace gantry::ui
