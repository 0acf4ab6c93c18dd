// SPDX-License-Identifier: PostgreSQL
#include <QHeaderView>
#include <QImage>
#include <QTreeWidget>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kNarrow = 60;

QImage pictureOf(QTreeWidget& tree, int sorted) {
    tree.header()->setSortIndicator(sorted, Qt::AscendingOrder);
    return tree.header()->grab().toImage();
}

/// What a picture has that the other has not, and whether it lies on anything.
struct Arrow {
    QRect place;
    bool covers = false;
};

Arrow arrowIn(const QImage& with, const QImage& without) {
    Arrow arrow;
    for (int y = 0; y < with.height(); ++y) {
        for (int x = 0; x < with.width(); ++x) {
            if (with.pixel(x, y) == without.pixel(x, y)) continue;
            arrow.place |= QRect(x, y, 1, 1);
            arrow.covers |= without.pixelColor(x, y) != currentTheme().panel;
        }
    }
    return arrow;
}

/// Where a header's text ends, whose section ends at `right`.
int endOfText(const QImage& header, int right) {
    const int line = header.height() - 1;
    for (int x = right - 1; x >= 0; --x) {
        for (int y = 0; y < line; ++y) {
            if (header.pixelColor(x, y) != currentTheme().panel) return x;
        }
    }
    return -1;
}

TEST_CASE("sort arrow: beside the header's text, in line with it, and never on it") {
    QTreeWidget tree;
    tree.setHeaderLabels({QStringLiteral("Relation"), QStringLiteral("Rows"),
                          QStringLiteral("A name that is far too long")});
    tree.headerItem()->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    tree.resize(500, 200);
    tree.setSortingEnabled(true);
    tree.header()->setSectionsClickable(false);  // a section under the mouse looks the same
    tree.header()->setStretchLastSection(false);
    for (const int section : {0, 1}) tree.header()->resizeSection(section, 2 * kNarrow);
    tree.header()->resizeSection(2, kNarrow);
    const QImage plain = pictureOf(tree, -1);
    const int middle = plain.height() / 2;
    // As far from the edge as the numbers beneath it.
    CHECK(std::abs(endOfText(plain, 4 * kNarrow) - (4 * kNarrow - 8)) <= 2);

    const Arrow left = arrowIn(pictureOf(tree, 0), plain);
    REQUIRE_FALSE(left.place.isEmpty());
    CHECK_FALSE(left.covers);
    CHECK(std::abs(left.place.center().y() - middle) <= 2);
    CHECK(left.place.right() < 2 * kNarrow - kNarrow / 4);  // near the text, not at the far end

    const Arrow right = arrowIn(pictureOf(tree, 1), plain);
    REQUIRE_FALSE(right.place.isEmpty());
    CHECK_FALSE(right.covers);
    CHECK(right.place.left() > 2 * kNarrow + kNarrow / 2);

    const Arrow narrow = arrowIn(pictureOf(tree, 2), plain);
    REQUIRE_FALSE(narrow.place.isEmpty());
    CHECK(narrow.place.right() < 5 * kNarrow);
    CHECK(narrow.place.left() >= 5 * kNarrow - 10);  // in the margin
}

}  // namespace
}  // namespace gantry::ui
