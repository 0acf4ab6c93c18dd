// SPDX-License-Identifier: PostgreSQL
// Asks for the password of a server.
#pragma once

#include <QDialog>

#include "ui/servers/server_profile.h"

class QCheckBox;
class QLineEdit;

namespace gantry::ui {

class PasswordDialog : public QDialog {
    Q_OBJECT
public:
    /// `refused`: the server did not take the one it was given.
    PasswordDialog(const ServerProfile& server, bool refused, QWidget* parent);

    QString password() const;
    /// It is to be kept in the system's keychain.
    bool keep() const;

private:
    QLineEdit* password_;
    QCheckBox* keep_;
};

}  // namespace gantry::ui
