// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/label.h"

#include <QStyle>

namespace gantry::ui {

QLabel* makeLabel(const QString& text, const char* look, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    if (look) label->setProperty("look", QLatin1String(look));
    return label;
}

void setLook(QWidget* widget, const char* look) {
    widget->setProperty("look", QLatin1String(look));
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

}  // namespace gantry::ui
