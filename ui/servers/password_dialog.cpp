// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/password_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/forms/label.h"

namespace gantry::ui {

namespace {

/// Who asks whom, as far as that is known before libpq has looked.
QString whoAsks(const ServerProfile& server) {
    if (!server.service.isEmpty()) {
        return PasswordDialog::tr("The server of service %1 asks for it.").arg(server.service);
    }
    const QString host = server.host.isEmpty() ? PasswordDialog::tr("this machine") : server.host;
    return server.user.isEmpty()
               ? PasswordDialog::tr("The server on %1 asks for it.").arg(host)
               : PasswordDialog::tr("The server asks %1 on %2 for it.").arg(server.user, host);
}

}  // namespace

PasswordDialog::PasswordDialog(const ServerProfile& server, bool refused, QWidget* parent)
    : QDialog(parent),
      password_(new QLineEdit),
      keep_(new QCheckBox(tr("&Keep it in the keychain"))) {
    setWindowTitle(tr("Password"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(makeLabel(tr("Password for %1").arg(server.name), "heading"));
    if (refused) {
        QLabel* label = makeLabel(tr("The server refused the last one."), "error");
        label->setObjectName(QStringLiteral("refused"));
        column->addWidget(label);
    }
    column->addWidget(makeLabel(whoAsks(server), "muted"));
    password_->setEchoMode(QLineEdit::Password);
    password_->setMinimumWidth(320);
    password_->setAccessibleName(tr("Password"));
    column->addWidget(password_);
    keep_->setToolTip(tr("Otherwise it is kept in memory until Gantry ends, and nowhere else."));
    column->addWidget(keep_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* connectButton = buttons->addButton(tr("Connect"), QDialogButtonBox::AcceptRole);
    connectButton->setProperty("look", QLatin1String("primary"));
    connectButton->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addSpacing(6);
    column->addWidget(buttons);
}

QString PasswordDialog::password() const { return password_->text(); }

bool PasswordDialog::keep() const { return keep_->isChecked(); }

}  // namespace gantry::ui
