// SPDX-License-Identifier: PostgreSQL
// A failure in the page where it happened: what failed, why, and what to do about it.
#pragma once

#include <QWidget>
#include <functional>

#include "core/base/error.h"

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace gantry::ui {

class ErrorPanel : public QWidget {
    Q_OBJECT
public:
    explicit ErrorPanel(QWidget* parent = nullptr);

    /// `what` is a short heading; the cause is shown in the words of whoever refused. `again`, if
    /// given, is offered as a button.
    void showError(const QString& what, const ErrorInfo& error, std::function<void()> again = {});
    /// A way out, offered under the text; in the order of calls.
    QPushButton* addAction(const QString& text);
    /// To a column that has no margins.
    void addTo(QBoxLayout* column);

private:
    QLabel* what_;
    QLabel* cause_;
    QLabel* hint_;
    QHBoxLayout* actions_;
    QPushButton* tryAgain_;
    std::function<void()> again_;
};

}  // namespace gantry::ui
