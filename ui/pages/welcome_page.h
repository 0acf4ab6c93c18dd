// SPDX-License-Identifier: PostgreSQL
// What is shown while no server is known: three ways to come by one.
#pragma once

#include "ui/shell/page.h"

class QLabel;
class QPushButton;

namespace gantry::ui {

class WelcomePage : public Page {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    /// How many servers libpq on this machine knows already.
    void setFound(int count);

Q_SIGNALS:
    void addWanted();
    void importWanted();
    void demoWanted();

private:
    QLabel* foundText_;
    QPushButton* importButton_;
};

}  // namespace gantry::ui
