// SPDX-License-Identifier: PostgreSQL
// Something that takes a while and can be cancelled, before any page could show it.
#pragma once

#include <QDialog>

class QLabel;
class QProgressBar;
class QPushButton;

namespace gantry::ui {

/// Escape and the close button cancel, too. It stays until finish(), since what was cancelled has
/// to be cleaned up first.
class ProgressDialog : public QDialog {
    Q_OBJECT
public:
    ProgressDialog(const QString& title, QWidget* parent);

    /// What goes on now; a sentence.
    void setStep(const QString& text);
    /// Of `all`; without it the bar only tells that something goes on.
    void setProgress(int done, int all);
    /// For what has to be waited for.
    void forbidCancel();
    /// Closes it.
    void finish();

    void reject() override;

Q_SIGNALS:
    void cancelled();

private:
    QLabel* step_;
    QProgressBar* bar_;
    QPushButton* cancel_;
};

}  // namespace gantry::ui
