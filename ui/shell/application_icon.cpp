// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/application_icon.h"

#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace gantry::ui {

QIcon applicationIcon() {
    QSvgRenderer drawing(QStringLiteral(":/org.gantry.Gantry.svg"));
    QIcon icon;
    for (const int size : {16, 32, 48, 128}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        drawing.render(&painter);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

}  // namespace gantry::ui
