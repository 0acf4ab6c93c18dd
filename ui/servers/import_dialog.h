// SPDX-License-Identifier: PostgreSQL
// Chooses among the servers that libpq on this machine knows already.
#pragma once

#include <QDialog>
#include <vector>

#include "ui/servers/server_import.h"

class QTreeWidget;

namespace gantry::ui {

class ServerStore;

class ImportDialog : public QDialog {
    Q_OBJECT
public:
    /// Those that `known` has already are shown, but not checked.
    ImportDialog(const std::vector<FoundServer>& found, const ServerStore& known, QWidget* parent);

    std::vector<ServerProfile> chosen() const;

private:
    const std::vector<FoundServer> found_;
    QTreeWidget* list_;
};

}  // namespace gantry::ui
