// SPDX-License-Identifier: PostgreSQL
// The look of the standard widgets: Fusion with lines of one pixel, round corners and no shadows.
#pragma once

#include <QProxyStyle>

#include "ui/theme/theme.h"

namespace gantry::ui {

/// Draws what a style sheet cannot: check marks, tree arrows, focus.
class GantryStyle : public QProxyStyle {
    Q_OBJECT
public:
    GantryStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option,
                    const QWidget* widget) const override;
    void polish(QApplication* application) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    QIcon standardIcon(StandardPixmap icon, const QStyleOption* option,
                       const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* answer) const override;

    using QProxyStyle::polish;

private:
    bool altDown_ = false;  ///< letters to press with it are underlined meanwhile
};

QPalette paletteOf(const Theme& theme);
QString styleSheetOf(const Theme& theme);

}  // namespace gantry::ui
