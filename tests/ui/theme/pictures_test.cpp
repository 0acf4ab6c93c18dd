// SPDX-License-Identifier: PostgreSQL
#include <QImageReader>
#include <QRegularExpression>
#include <catch2/catch_test_macros.hpp>

#include "ui/theme/style.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

TEST_CASE("pictures of the style sheet are of a kind that Qt reads without a plug-in") {
    static const QRegularExpression kPicture(QStringLiteral("url\\((.*?)\\)"));
    auto pictures = kPicture.globalMatch(styleSheetOf(currentTheme()));
    REQUIRE(pictures.hasNext());
    while (pictures.hasNext()) {
        const QString name = pictures.next().captured(1);
        CAPTURE(name.toStdString());
        QImageReader reader(name);
        CHECK(reader.format() == "png");
        CHECK_FALSE(reader.read().isNull());
    }
}

}  // namespace
}  // namespace gantry::ui
