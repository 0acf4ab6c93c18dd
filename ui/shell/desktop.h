// SPDX-License-Identifier: PostgreSQL
// The application put together: what outlives the window, the window, and the pages in it.
#pragma once

#include <QSettings>
#include <QString>
#include <functional>
#include <memory>

#include "ui/bridge/run_list.h"
#include "ui/pages/saved_tasks.h"
#include "ui/servers/scratch_servers.h"
#include "ui/servers/secret_store.h"
#include "ui/servers/server_access.h"
#include "ui/servers/server_store.h"
#include "ui/shell/english_counts.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notifier.h"

namespace gantry::ui {

/// Where the application keeps what it remembers. Empty: nowhere, for tests.
struct DesktopFolders {
    QString config;  ///< servers, appearance, saved tasks
    QString data;    ///< lists of what failed; empty: no run is kept in the history either
};

/// Needs a QApplication and a ThemeKeeper. Everything is made, nothing is shown yet.
class Desktop : public QObject {
    Q_OBJECT
public:
    explicit Desktop(const DesktopFolders& folders);
    ~Desktop() override;

    ServerStore& servers() { return servers_; }
    ServerAccess& access() { return access_; }
    ScratchServers& scratch() { return scratch_; }
    RunList& runs() { return runs_; }
    MainWindow& window() { return window_; }

    /// Shows the demo database, ready to be backed up; starts its server if none runs.
    void openDemo();
    /// Shows a run as its record tells it; a message if the file is none.
    void openRecord(const QString& path);

private:
    void addPages();
    void listRecords();
    void connectWindow();
    /// Asks what becomes of the throwaway servers that were started here.
    bool mayClose();
    void listTasks();
    /// Shows it on its page, ready to be started.
    void openTask(const QString& id);
    void askDeleteTask(const QString& id);
    void showTaskMenu(const QString& id, const QPoint& at);
    const SavedTask* findTask(const QString& id) const;
    Page* makeServersPage();
    Page* makeWelcomePage();
    /// Shows the page for backing up, aimed at this database.
    void backUp(const QString& serverId, const QString& database);
    /// Likewise for restoring into it.
    void restoreInto(const QString& serverId, const QString& database);
    void restoreFrom(const QString& archive);
    void verify(const QString& archive);
    void vacuumThere(const QString& serverId, const QString& database);
    Page* makeRestorePage();
    Page* makeRunsPage();
    Page* makeTunePage();
    /// Of a new server if there is none of that id.
    void editServer(const QString& id);
    void removeServer(const QString& id);
    void stopScratchServer(const QString& id);
    struct Removal {
        QString title;
        QString question;
        QString consequence;
        QString action;  ///< what the button says
    };
    void confirmRemoval(const Removal& removal, std::function<void()> carryOut);
    void importServers();
    void showError(const QString& what, const ErrorInfo& error);

    EnglishCounts english_;
    std::unique_ptr<QSettings> settings_;
    ServerStore servers_;
    SecretStore secrets_;
    ServerAccess access_;
    ScratchServers scratch_;
    RunList runs_;
    const QString listFolder_;
    bool leaveServers_ = false;  ///< running, when the window is closed
    SavedTasks tasks_;
    MainWindow window_;
    Notifier notifier_;
};

}  // namespace gantry::ui
