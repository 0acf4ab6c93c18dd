// SPDX-License-Identifier: PostgreSQL
// The application put together: what outlives the window, the window, and the pages in it.
#pragma once

#include <QString>

#include "ui/bridge/run_list.h"
#include "ui/servers/server_store.h"
#include "ui/shell/main_window.h"

namespace gantry::ui {

/// Where the application keeps what it remembers. Empty: nowhere, for tests.
struct DesktopFolders {
    QString config;  ///< servers, saved tasks
    QString data;    ///< recorded runs
};

/// Needs a QApplication and a ThemeKeeper. Everything is made, nothing is shown yet.
class Desktop {
public:
    explicit Desktop(const DesktopFolders& folders);

    ServerStore& servers() { return servers_; }
    RunList& runs() { return runs_; }
    MainWindow& window() { return window_; }

private:
    ServerStore servers_;
    RunList runs_;
    MainWindow window_;
};

}  // namespace gantry::ui
