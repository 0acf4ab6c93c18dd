// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/progress_dialog.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/forms/label.h"

namespace gantry::ui {

ProgressDialog::ProgressDialog(const QString& title, QWidget* parent)
    : QDialog(parent),
      step_(makeLabel({}, "muted")),
      bar_(new QProgressBar),
      cancel_(new QPushButton(tr("Cancel"))) {
    setWindowTitle(title);
    constexpr int kWidth = 420;
    setFixedWidth(kWidth);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(makeLabel(title, "heading"));
    bar_->setTextVisible(false);
    bar_->setRange(0, 0);
    column->addWidget(bar_);
    column->addWidget(step_);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(cancel_);
    column->addLayout(row);
    connect(cancel_, &QPushButton::clicked, this, &ProgressDialog::reject);
}

void ProgressDialog::setStep(const QString& text) {
    step_->setText(text);
    setAccessibleDescription(text);
}

void ProgressDialog::setProgress(int done, int all) {
    bar_->setRange(0, all);
    bar_->setValue(done);
}

void ProgressDialog::forbidCancel() {
    cancel_->setEnabled(false);
    cancel_->hide();
}

void ProgressDialog::finish() { QDialog::accept(); }

void ProgressDialog::reject() {
    if (!cancel_->isEnabled()) return;
    cancel_->setEnabled(false);
    setStep(tr("Cleaning up …"));
    bar_->setRange(0, 0);
    Q_EMIT cancelled();
}

}  // namespace gantry::ui
