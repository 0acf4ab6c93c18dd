// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/label_font.h"

#include <QImage>
#include <QPainter>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

/// Where there is ink.
QRect inkOf(const QString& label, const QRectF& room, bool pixels) {
    QImage image(400, 40, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setPen(Qt::black);
    QFont font = interfaceFont();
    font.setPixelSize(12);
    LabelFont(font, pixels).draw(painter, room, label);
    painter.end();
    QRect ink;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (qGray(image.pixel(x, y)) < 200) ink |= QRect(x, y, 1, 1);
        }
    }
    return ink;
}

TEST_CASE("label font: glyphs stand where the long way puts them") {
    const QString label = GENERATE(QStringLiteral("audit_log · part 3"), QStringLiteral("Größe"),
                                   QStringLiteral("таблица"));
    const QRectF room(20, 8, 300, 24);
    const QRect quick = inkOf(label, room, true);
    const QRect slow = inkOf(label, room, false);
    REQUIRE_FALSE(quick.isEmpty());
    CHECK(std::abs(quick.left() - slow.left()) <= 1);
    CHECK(std::abs(quick.top() - slow.top()) <= 1);
    CHECK(std::abs(quick.bottom() - slow.bottom()) <= 1);
    CHECK(std::abs(quick.width() - slow.width()) <= 4);
}

TEST_CASE("label font: what has no room ends in an ellipsis within it") {
    const QRectF room(20, 8, 60, 24);
    const QRect ink = inkOf(QStringLiteral("public.a_table_with_a_long_name"), room, true);
    REQUIRE_FALSE(ink.isEmpty());
    CHECK(ink.left() >= 19);
    CHECK(ink.right() <= 81);
    CHECK(ink.width() > 40);
}

TEST_CASE("label font: other scripts are shaped") {
    const QRectF room(20, 8, 300, 24);
    const QString label = QStringLiteral("جدول");
    CHECK(inkOf(label, room, true) == inkOf(label, room, false));
}

}  // namespace
}  // namespace gantry::ui
