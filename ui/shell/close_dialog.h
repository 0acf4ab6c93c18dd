// SPDX-License-Identifier: PostgreSQL
// What is to become of runs under way when the window is closed.
#pragma once

#include <QMessageBox>

#include "ui/bridge/run_list.h"

namespace gantry::ui {

class CloseDialog : public QMessageBox {
    Q_OBJECT
public:
    CloseDialog(const RunList& runs, QWidget* parent);

Q_SIGNALS:
    void keepRunningChosen();
    void cancelChosen();
};

}  // namespace gantry::ui
