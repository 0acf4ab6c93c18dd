// SPDX-License-Identifier: PostgreSQL
// The window: side bar, one page at a time, status bar. It composes and decides nothing.
#pragma once

#include <QMainWindow>
#include <QString>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "ui/bridge/run_records.h"
#include "ui/theme/theme.h"

class QActionGroup;
class QLabel;
class QMenu;
class QStackedWidget;

namespace gantry::ui {

class Page;
class RunController;
class RunList;
class ServerStore;
class SideBar;

/// Pages are made when they are first shown.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    using MakePage = std::function<Page*()>;
    using MakeRunPage = std::function<Page*(RunController*)>;
    using MakeRecordPage = std::function<Page*(const std::filesystem::path&)>;

    MainWindow(ServerStore& servers, RunList& runs, QWidget* parent = nullptr);

    /// An entry under "Work".
    void addWorkPage(const QString& key, const QString& label, MakePage make);
    /// What a server's own entry shows; the page is aimed at it first.
    void setServersPage(MakePage make);
    /// What is shown while there is no server.
    void setWelcomePage(MakePage make);
    void setRunPages(MakeRunPage make, MakeRecordPage makeOfRecord);
    /// Runs of the past, the last one first; they stand below those of this session.
    void setRecords(const std::vector<RunRecord>& records);
    /// Shows a recorded run; one that is not in the list yet is added.
    void openRecord(const RunRecord& record);

    /// The server that work pages aim at from now on; empty: none.
    void setCurrentServer(const QString& id);
    QString currentServer() const { return currentServer_; }

    /// "server:ID", "run:N", or a work page's key. Nothing happens if there is none.
    void showPage(const QString& key);
    Page* currentPage() const;
    /// The work page of that key, made if need be; nullptr if there is none.
    Page* workPage(const QString& key);

    /// The first page: the servers', or the welcome.
    void showFirst();

    /// Left in the status bar: the state of the connection. Right: what the page counts.
    void setStatus(const QString& left, const QString& right);

    /// Marks it in the menu.
    void showThemeMode(ThemeMode mode);

    /// Closed while runs go on, the window is only hidden; it comes back with this.
    void comeBack();
    /// Whether the user does not look at it.
    bool isAway() const { return isHidden() || isMinimized() || !isActiveWindow(); }

Q_SIGNALS:
    void addServerWanted();
    void importWanted();
    void scratchWanted();
    void demoWanted();
    void openRecordWanted();
    /// Of the entry of a server.
    void editServerWanted(const QString& id);
    void themeChosen(gantry::ui::ThemeMode mode);

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    struct WorkPage {
        QString key;
        QString label;
        MakePage make;
        Page* page = nullptr;
    };

    void makeMenus();
    void makeViewMenu(QMenu* menu);
    void choose(const QString& key);
    void showServer(const QString& id);
    void showServerMenu(const QString& key, const QPoint& at);
    /// Hides, and quits once no run is under way.
    void leaveAtEnd();
    void showTitle();
    void onServersChanged();
    void refreshServers();
    void refreshWork();
    void refreshRuns();
    void addRun(RunController* run);
    void removeRun(RunController* run);
    void turnTo(Page* page, const QString& key);
    void aim(Page* page) const;
    void aimPages() const;

    ServerStore& servers_;
    RunList& runs_;
    SideBar* sideBar_;
    QStackedWidget* pages_;
    QLabel* statusLeft_;
    QLabel* statusRight_;
    QString currentServer_;
    QString currentKey_;
    MakePage makeServersPage_;
    Page* serversPage_ = nullptr;
    MakePage makeWelcomePage_;
    Page* welcomePage_ = nullptr;
    QActionGroup* themeActions_ = nullptr;
    QMenu* goMenu_ = nullptr;
    bool quitting_ = false;  ///< as soon as no run is under way
    std::vector<WorkPage> workPages_;
    MakeRunPage makeRunPage_;
    MakeRecordPage makeRecordPage_;
    struct RecordEntry {
        RunRecord record;
        Page* page = nullptr;
    };
    std::vector<RecordEntry> recordEntries_;
    struct RunEntry {
        RunController* run;
        QString key;
        Page* page = nullptr;
    };
    std::vector<RunEntry> runEntries_;
    int nextRun_ = 1;
};

}  // namespace gantry::ui
