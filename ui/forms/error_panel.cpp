// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/error_panel.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/forms/label.h"
#include "ui/forms/window_words.h"

namespace gantry::ui {
namespace {

QLabel* wrapping(const char* look) {
    QLabel* label = makeLabel({}, look);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace

ErrorPanel::ErrorPanel(QWidget* parent)
    : QWidget(parent),
      what_(makeLabel({}, "error")),
      cause_(wrapping(nullptr)),
      hint_(wrapping("muted")),
      actions_(new QHBoxLayout) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* frame = new QFrame;
    frame->setObjectName(QStringLiteral("errorPanel"));
    outer->addWidget(frame);
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(6);
    column->addWidget(what_);
    column->addWidget(cause_);
    column->addWidget(hint_);
    actions_->setSpacing(8);
    actions_->addStretch(1);
    column->addLayout(actions_);
    tryAgain_ = addAction(tr("Try again"));
    tryAgain_->setObjectName(QStringLiteral("tryAgain"));
    tryAgain_->hide();
    connect(tryAgain_, &QPushButton::clicked, this, [this] {
        const auto again = again_;  // which it may replace
        again();
    });
}

void ErrorPanel::showError(const QString& what, const ErrorInfo& error,
                           std::function<void()> again) {
    what_->setText(what);
    again_ = std::move(again);
    tryAgain_->setVisible(static_cast<bool>(again_));
    QStringList lines = QString::fromStdString(error.message).split(u'\n');
    for (QString& line : lines) line = line.trimmed();  // libpq indents what follows
    QString cause = lines.join(u'\n');
    if (!error.object.empty())
        cause = QString::fromStdString(error.object) + QStringLiteral(": ") + cause;
    if (!error.sqlState.empty() && error.kind == ErrorKind::Server) {
        cause += tr(" (SQLSTATE %1)").arg(QString::fromStdString(error.sqlState));
    }
    cause_->setText(cause);
    hint_->setText(inWindow(error.hint));
    hint_->setVisible(!error.hint.empty());
    setAccessibleName(what + QStringLiteral(". ") + cause);
    show();
}

void ErrorPanel::addTo(QBoxLayout* column) {
    layout()->setContentsMargins(12, 12, 12, 12);
    column->addWidget(this);
}

QPushButton* ErrorPanel::addAction(const QString& text) {
    auto* button = new QPushButton(text);
    button->setAutoDefault(false);  // Enter is for what stands around the panel
    actions_->insertWidget(actions_->count() - 1, button);
    return button;
}

}  // namespace gantry::ui
