// SPDX-License-Identifier: PostgreSQL
#include <QSlider>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

TEST_CASE("a click into a slider's groove goes to that place") {
    QSlider slider(Qt::Horizontal);
    slider.setRange(1, 16);
    slider.setPageStep(1);
    slider.resize(320, 24);
    slider.show();
    QTest::mouseClick(&slider, Qt::LeftButton, {}, QPoint(240, 12));
    CHECK(slider.value() >= 11);
    CHECK(slider.value() <= 13);
    QTest::mouseClick(&slider, Qt::LeftButton, {}, QPoint(4, 12));
    CHECK(slider.value() == 1);
}
