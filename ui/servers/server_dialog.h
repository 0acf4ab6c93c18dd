// SPDX-License-Identifier: PostgreSQL
// The form of a server's profile, with a test that tells the exact cause of a failure.
#pragma once

#include <QDialog>
#include <optional>

#include "ui/bridge/async.h"
#include "ui/servers/server_profile.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace gantry::ui {

class ColorTags;
class ErrorPanel;

class ServerDialog : public QDialog {
    Q_OBJECT
public:
    /// For a new server if `server` has no id.
    ServerDialog(const ServerProfile& server, const std::optional<QString>& password,
                 QWidget* parent);

    ServerProfile profile() const;
    /// Empty if none was entered.
    QString password() const;
    /// The password is to be kept in the system's keychain.
    bool keepPassword() const;

private:
    QWidget* makeForm();
    QWidget* makeFoot();
    void fill(const std::optional<QString>& password);
    void test();
    void forgetTest();
    void keepRoom();
    void showProblems();
    QString suggestedName() const;

    ServerProfile server_;
    QLineEdit* name_;
    QLineEdit* host_;
    QLineEdit* port_;
    QLineEdit* database_;
    QLineEdit* user_;
    QLineEdit* password_;
    QCheckBox* keep_;
    QComboBox* sslMode_;
    QLineEdit* service_;
    ColorTags* color_;
    QCheckBox* production_;
    QLabel* tested_;
    ErrorPanel* failure_;
    QWidget* outcome_;  ///< both
    QPushButton* testButton_;
    QPushButton* saveButton_;
    AsyncJob testing_;
};

}  // namespace gantry::ui
