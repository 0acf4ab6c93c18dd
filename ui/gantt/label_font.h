// SPDX-License-Identifier: PostgreSQL
// Text on bars: thousands of labels a frame, which shaping each of them anew would not allow.
#pragma once

#include <QFont>
#include <QFontMetrics>
#include <QPointF>
#include <QRawFont>
#include <QRectF>
#include <QString>

class QPainter;

namespace gantry::ui {

/// A font as one thread paints with it. Glyphs are put side by side, which is all that European
/// scripts need; any other text takes the long way.
class LabelFont {
public:
    /// `pixels`: false for formats that keep text as text.
    LabelFont(const QFont& font, bool pixels);

    const QFont& font() const { return font_; }
    /// Left in `room` and centred vertically; what has no room ends in an ellipsis.
    void draw(QPainter& painter, const QRectF& room, const QString& label) const;

private:
    bool drawGlyphs(QPainter& painter, const QRectF& room, const QString& label) const;

    QFont font_;
    QFontMetrics metrics_;
    QRawFont raw_;  ///< invalid: the long way for everything
    quint32 ellipsis_ = 0;
    double ellipsisWidth_ = 0;
};

}  // namespace gantry::ui
