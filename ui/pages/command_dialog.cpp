// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/command_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/forms/label.h"
#include "ui/theme/theme.h"

namespace gantry::ui {

CommandDialog::CommandDialog(const std::vector<ShownCommand>& commands, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(tr("Copy as command"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(680, 360);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(8);
    for (const ShownCommand& command : commands) {
        auto* row = new QHBoxLayout;
        row->addWidget(makeLabel(command.heading, "heading"));
        row->addStretch(1);
        auto* copy = new QPushButton(tr("Copy"));
        copy->setAccessibleName(tr("Copy %1").arg(command.heading));
        connect(copy, &QPushButton::clicked, this, [copy, line = command.line] {
            QApplication::clipboard()->setText(line);
            copy->setText(tr("Copied"));
        });
        row->addWidget(copy);
        column->addLayout(row);
        auto* text = new QPlainTextEdit(command.line);
        text->setReadOnly(true);
        text->setTabChangesFocus(true);
        text->setFont(monospaceFont());
        text->setMinimumHeight(56);
        text->setAccessibleName(command.heading);
        column->addWidget(text, 1);
        for (const QString& note : command.notes) {
            auto* label = makeLabel(note, "muted");
            label->setWordWrap(true);
            column->addWidget(label);
        }
        column->addSpacing(6);
    }
    column->addWidget(makeLabel(
        tr("No password is in them: psql's ways (PGPASSWORD, pass file, prompt) apply."), "muted"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
}

}  // namespace gantry::ui
