// SPDX-License-Identifier: PostgreSQL
// A few alternatives side by side, each with what it means.
#pragma once

#include <QButtonGroup>
#include <QString>
#include <QWidget>
#include <vector>

namespace gantry::ui {

/// Exactly one is chosen; arrow keys and Space choose as in any group of buttons.
class ChoiceCards : public QWidget {
    Q_OBJECT
public:
    struct Card {
        QString title;
        QString text;
    };
    explicit ChoiceCards(const std::vector<Card>& cards, QWidget* parent = nullptr);

    int chosen() const { return group_->checkedId(); }
    void choose(int index);

Q_SIGNALS:
    void changed(int index);

private:
    QButtonGroup* group_;
};

}  // namespace gantry::ui
