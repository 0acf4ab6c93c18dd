// SPDX-License-Identifier: PostgreSQL
// Reads an archive to its last byte and says whether all of it is there.
#pragma once

#include <QDialog>

#include "core/archive/verify.h"
#include "ui/bridge/async.h"

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace gantry::ui {

/// Begins at once, in the background; closing it ends that.
class VerifyDialog : public QDialog {
    Q_OBJECT
public:
    VerifyDialog(const QString& path, QWidget* parent);

    /// What it came to, in a few sentences; empty before.
    QString verdict() const;

private:
    void showProgress(uint64_t done, uint64_t all);
    void showReport(const archive::VerifyReport& report);
    void end(const QString& verdict, const QColor& color, const QString& rest);

    QProgressBar* bar_;
    QLabel* step_;
    QLabel* verdict_;
    QPlainTextEdit* problems_;
    QPushButton* close_;
    AsyncJob job_;
};

}  // namespace gantry::ui
