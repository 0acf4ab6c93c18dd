// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/label_font.h"

#include <QGlyphRun>
#include <QList>
#include <QPainter>
#include <algorithm>

namespace gantry::ui {
namespace {

constexpr char16_t kEllipsis = u'…';

/// Each letter is one glyph, from left to right.
bool isPlain(const QString& label) {
    return std::all_of(label.begin(), label.end(), [](QChar letter) {
        const char16_t c = letter.unicode();
        return (c >= 0x20 && c < 0x300) || (c >= 0x370 && c < 0x483) || (c >= 0x48a && c < 0x590) ||
               (c >= 0x2010 && c <= 0x2027);
    });
}

}  // namespace

LabelFont::LabelFont(const QFont& font, bool pixels) : font_(font), metrics_(font) {
    if (!pixels) return;
    raw_ = QRawFont::fromFont(font);
    const QList<quint32> glyphs = raw_.glyphIndexesForString(QString(kEllipsis));
    if (glyphs.size() != 1 || glyphs.front() == 0) {
        raw_ = QRawFont();
        return;
    }
    ellipsis_ = glyphs.front();
    ellipsisWidth_ = raw_.advancesForGlyphIndexes(glyphs).front().x();
}

void LabelFont::draw(QPainter& painter, const QRectF& room, const QString& label) const {
    if (raw_.isValid() && isPlain(label) && drawGlyphs(painter, room, label)) return;
    painter.setFont(font_);
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                     metrics_.elidedText(label, Qt::ElideRight, static_cast<int>(room.width())));
}

/// False: the font lacks a letter.
bool LabelFont::drawGlyphs(QPainter& painter, const QRectF& room, const QString& label) const {
    QList<quint32> glyphs = raw_.glyphIndexesForString(label);
    if (glyphs.size() != label.size() || glyphs.contains(0)) return false;
    QList<QPointF> positions = raw_.advancesForGlyphIndexes(glyphs, QRawFont::KernedAdvances);
    double width = 0;
    qsizetype fitting = 0;  // glyphs that leave room for an ellipsis
    double fittingWidth = 0;
    for (qsizetype i = 0; i < glyphs.size(); ++i) {
        const double advance = positions[i].x();
        positions[i] = QPointF(width, 0);
        if (width + ellipsisWidth_ <= room.width()) {
            fitting = i;
            fittingWidth = width;
        }
        width += advance;
        if (width > room.width()) {
            glyphs.resize(fitting + 1);
            positions.resize(fitting + 1);
            glyphs[fitting] = ellipsis_;
            positions[fitting] = QPointF(fittingWidth, 0);
            break;
        }
    }
    QGlyphRun run;
    run.setRawFont(raw_);
    run.setRawData(glyphs.constData(), positions.constData(), static_cast<int>(glyphs.size()));
    const double top = room.center().y() - metrics_.height() / 2.0;
    painter.drawGlyphRun(QPointF(room.left(), qRound(top) + metrics_.ascent()), run);
    return true;
}

}  // namespace gantry::ui
