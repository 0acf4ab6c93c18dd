// SPDX-License-Identifier: PostgreSQL
// A run as command lines, to be looked at and copied.
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>
#include <vector>

namespace gantry::ui {

struct ShownCommand {
    QString heading;    ///< "gantryctl", "The nearest pg_dump"
    QString line;       ///< one line for a shell; without a password
    QStringList notes;  ///< what it cannot do, each a full sentence
};

class CommandDialog : public QDialog {
    Q_OBJECT
public:
    CommandDialog(const std::vector<ShownCommand>& commands, QWidget* parent);
};

}  // namespace gantry::ui
