// SPDX-License-Identifier: PostgreSQL
// What tells bars apart without colour, and how colours are mixed.
#pragma once

#include <QBrush>
#include <QColor>

namespace gantry::ui {

enum class Pattern { Rising, Falling, Upright, Level, Dots };
inline constexpr QColor kLightPattern(255, 255, 255, 52);
inline constexpr QColor kDarkPattern(0, 0, 0, 44);

/// An image rather than a pixmap: exports are drawn on threads of their own.
QBrush patternBrush(Pattern pattern, const QColor& color);

/// The pattern upon a colour, opaque: painted in half the time of one after the other.
QBrush patternedBrush(const QColor& color, const QBrush& pattern);

/// `share` of the other colour, 0…1.
QColor mixed(const QColor& color, const QColor& other, double share);

}  // namespace gantry::ui
