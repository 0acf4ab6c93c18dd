// SPDX-License-Identifier: PostgreSQL
// What tells bars apart without colour, and how colours are mixed.
#pragma once

#include <QBrush>
#include <QColor>
#include <QRectF>

#include "ui/gantt/gantt_text.h"

class QPainter;

namespace gantry::ui {

enum class Pattern { Rising, Falling, Upright, Level, Dots };
inline constexpr QColor kLightPattern(255, 255, 255, 52);
inline constexpr QColor kDarkPattern(0, 0, 0, 44);

/// An image rather than a pixmap: exports are drawn on threads of their own.
QBrush patternBrush(Pattern pattern, const QColor& color);

/// The pattern upon a colour, opaque: painted in half the time of one after the other.
QBrush patternedBrush(const QColor& color, const QBrush& pattern);

/// Overlaid on bars of a kind so that they differ without colour; null for COPY.
QBrush patternOf(Category category);

/// `share` of the other colour, 0…1.
QColor mixed(const QColor& color, const QColor& other, double share);
/// Black or white, whichever can be read on it: with a contrast of 4.5 to 1 at least.
QColor textOn(const QColor& background);

/// Tears the right end off what is painted there.
void paintTornEnd(QPainter& painter, const QRectF& rect);

}  // namespace gantry::ui
