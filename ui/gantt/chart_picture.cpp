// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/chart_picture.h"

#include <QFontMetrics>
#include <QPainter>

#include "ui/gantt/legend.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kPictureMargin = 14;
constexpr int kTitleTop = 10;
constexpr int kFactsTop = 34;
constexpr int kLegendTop = 60;
constexpr int kLineHeight = 20;
constexpr int kSign = 14;  ///< pixels that a swatch is wide
constexpr int kSignHeight = 12;
constexpr int kAfterSign = 5;
constexpr int kBetween = 14;

QFont pictureFont(int pixels, QFont::Weight weight = QFont::Normal) {
    QFont font = interfaceFont();
    font.setPixelSize(pixels);
    font.setWeight(weight);
    return font;
}

}  // namespace

bool ChartPicture::showsPart() const {
    return scale.mode() == TimeScale::Mode::Free &&
           (scale.begin() > Duration::zero() || scale.end() < run->now());
}

QSize ChartPicture::wholeSize(int atWidth) const {
    return {atWidth, paintLegend(nullptr, atWidth) +
                         ChartGeometry::heightFor(layout, !run->loads().empty())};
}

void ChartPicture::paintTitle(QPainter& painter, int across) const {
    const QRect line(kPictureMargin, kTitleTop, across - 2 * kPictureMargin, kLineHeight);
    const QFont titleFont = pictureFont(16, QFont::DemiBold);
    painter.setFont(titleFont);
    painter.setPen(currentTheme().text);
    painter.drawText(line, Qt::AlignVCenter,
                     QFontMetrics(titleFont).elidedText(title, Qt::ElideRight, line.width()));
    const QFont factsFont = pictureFont(12);
    painter.setFont(factsFont);
    painter.setPen(currentTheme().muted);
    painter.drawText(line.translated(0, kFactsTop - kTitleTop), Qt::AlignVCenter,
                     QFontMetrics(factsFont).elidedText(facts, Qt::ElideRight, line.width()));
}

int ChartPicture::paintLegend(QPainter* painter, int across) const {
    const QFont font = pictureFont(12);
    const QFontMetrics metrics(font);
    const Legend legend = legendOf(*run);
    int x = kPictureMargin;
    int y = kLegendTop;
    for (const LegendEntry& entry : legend) {
        if (!isShown(entry, legend)) continue;
        const QString name = legendName(entry);
        const int wide = kSign + kAfterSign + metrics.horizontalAdvance(name);
        if (x > kPictureMargin && x + wide > across - kPictureMargin) {
            x = kPictureMargin;
            y += kLineHeight;
        }
        if (painter != nullptr) {
            const QRectF sign(x + 0.5, y + (kLineHeight - kSignHeight) / 2 + 0.5, kSign - 1,
                              kSignHeight - 1);
            paintSwatch(*painter, sign, entry);
            painter->setFont(font);
            painter->setPen(currentTheme().text);
            painter->drawText(QRect(x + kSign + kAfterSign, y, wide, kLineHeight), Qt::AlignVCenter,
                              name);
        }
        x += wide + kBetween;
    }
    return y + kLineHeight + kTitleTop;
}

void ChartPicture::paint(QPainter& painter, QSize size, bool vector) const {
    painter.fillRect(QRect({}, size), currentTheme().panel);
    paintTitle(painter, size.width());
    const int head = paintLegend(&painter, size.width());
    painter.translate(0, head);
    const ChartGeometry g =
        ChartGeometry::of({size.width(), size.height() - head}, layout, !run->loads().empty());
    TimeScale fitted = scale;
    if (!showsPart()) fitted.fit();
    fitted.setWidth(g.rows.width());
    ChartScene drawn = scene;
    drawn.run = run.get();
    drawn.layout = &layout;
    drawn.scale = &fitted;
    drawn.throughput = &throughput;
    drawn.critical = &insight.critical;
    drawn.busy = &insight.busy;
    drawn.matches = scene.matches == nullptr ? nullptr : &matches;
    drawn.arrows = &arrows;
    drawn.overview = nullptr;
    drawn.crosshair.reset();
    drawn.hovered.reset();
    drawn.vector = vector;
    GanttPainter(painter, drawn, g).paint();
}

}  // namespace gantry::ui
