// SPDX-License-Identifier: PostgreSQL
// How hard a vacuum presses the server, to be changed while it works.
#pragma once

#include <QPushButton>

#include "core/run/run_control.h"

class QSpinBox;
class QTimer;

namespace gantry::ui {

/// Opens a small form with the two limits; says in its own text what is set.
class ThrottleButton : public QPushButton {
    Q_OBJECT
public:
    explicit ThrottleButton(QWidget* parent = nullptr);

    /// What is empty is as the run began.
    run::Throttle throttle() const;

Q_SIGNALS:
    /// A moment after the last change; or at once, for what is under way to begin again with it.
    void changed(const gantry::run::Throttle& throttle, bool beginAgain);

private:
    QSpinBox* addLimit(class QFormLayout* form, const QString& name, int most, const QString& unit);
    void showText();

    QSpinBox* delay_;
    QSpinBox* limit_;
    QTimer* soon_;
};

}  // namespace gantry::ui
