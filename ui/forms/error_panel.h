// SPDX-License-Identifier: PostgreSQL
// A failure in the page where it happened: what failed, why, and what to do about it.
#pragma once

#include <QFrame>

#include "core/base/error.h"

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace gantry::ui {

class ErrorPanel : public QFrame {
    Q_OBJECT
public:
    explicit ErrorPanel(QWidget* parent = nullptr);

    /// `what` is a short heading; the cause is shown in the words of whoever refused.
    void showError(const QString& what, const ErrorInfo& error);
    /// A way out, offered under the text; in the order of calls.
    QPushButton* addAction(const QString& text);

private:
    QLabel* what_;
    QLabel* cause_;
    QLabel* hint_;
    QHBoxLayout* actions_;
};

}  // namespace gantry::ui
