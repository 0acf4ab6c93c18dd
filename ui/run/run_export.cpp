// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_export.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

namespace gantry::ui {
namespace {

constexpr int kLeastWidth = 1280;
constexpr int kFineness = 2;

}  // namespace

QByteArray pngOf(const ChartPicture& picture) {
    const QSize size = picture.wholeSize(std::max(picture.width, kLeastWidth));
    QImage image(size * kFineness, QImage::Format_RGB32);
    image.setDevicePixelRatio(kFineness);
    image.fill(Qt::white);
    QPainter painter(&image);
    picture.paint(painter, size, false);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

QByteArray svgOf(const ChartPicture& picture) {
    const QSize size = picture.wholeSize(std::max(picture.width, kLeastWidth));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(picture.title);
    generator.setDescription(picture.facts);
    QPainter painter(&generator);
    picture.paint(painter, size, true);
    painter.end();
    return bytes;
}

}  // namespace gantry::ui
