// SPDX-License-Identifier: PostgreSQL
// A row of colours to choose one from.
#pragma once

#include <QButtonGroup>
#include <QColor>
#include <QWidget>

namespace gantry::ui {

/// Arrow keys and Space choose, as in any group of buttons. An invalid colour means none.
class ColorTags : public QWidget {
    Q_OBJECT
public:
    explicit ColorTags(QWidget* parent = nullptr);

    QColor color() const;
    void setColor(const QColor& color);

private:
    QButtonGroup* group_;
};

}  // namespace gantry::ui
