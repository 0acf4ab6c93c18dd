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
class RunTabs;
class ServerStore;
class SideBar;
class Tray;

/// Pages are made when they are first shown.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    using MakePage = std::function<Page*()>;
    using MakeRunPage = std::function<Page*(RunController*)>;
    using MakeRecordPage = std::function<Page*(const std::filesystem::path&)>;
    using MakeComparePage =
        std::function<Page*(const std::filesystem::path&, const std::filesystem::path&)>;

    MainWindow(ServerStore& servers, RunList& runs, QWidget* parent = nullptr);

    /// An entry under "Work".
    void addWorkPage(const QString& key, const QString& label, MakePage make);
    /// What a server's own entry shows; the page is aimed at it first.
    void setServersPage(MakePage make);
    /// What is shown while there is no server.
    void setWelcomePage(MakePage make);
    void setRunPages(MakeRunPage make, MakeRecordPage makeOfRecord);
    /// Two runs side by side.
    void setComparePage(MakeComparePage make) { makeComparePage_ = std::move(make); }
    /// Of runs that are over and have records, by their keys.
    void compare(const QString& one, const QString& other);
    /// Of recorded runs; those that are not in the list yet are added.
    void compareRecords(const RunRecord& one, const RunRecord& other);
    /// A saved task in the side bar; `id` is whatever tells it from the others.
    struct TaskEntry {
        QString id;
        QString name;
        QString detail;
        QString toolTip;
    };
    void setTasks(const std::vector<TaskEntry>& tasks);
    /// Runs of the past, the last one first; they stand below those of this session.
    void setRecords(const std::vector<RunRecord>& records);
    /// Of runs that the history forgot, and so does the list; as they were called while they were
    /// written.
    void forgetRecords(const std::vector<std::filesystem::path>& logs);
    /// Shows a recorded run; one that is not in the list yet is added.
    void openRecord(const RunRecord& record);

    /// The server that work pages aim at from now on; empty: none.
    void setCurrentServer(const QString& id);
    QString currentServer() const { return currentServer_; }

    /// "server:ID", "run:N", or a work page's key. Nothing happens if there is none.
    void showPage(const QString& key);
    QString shownKey() const { return currentKey_; }
    Page* currentPage() const;
    /// The work page of that key, made if need be; nullptr if there is none.
    Page* workPage(const QString& key);

    /// The page of that server or, if it is not known, of the first one; else the welcome.
    void showFirst(const QString& server = {});

    /// Marks it in the menu.
    void showThemeMode(ThemeMode mode);

    /// Asked before the window is closed, once no run keeps it; false: it stays, and whoever said
    /// so closes it when it is time.
    void setCloseGuard(std::function<bool()> mayClose) { mayClose_ = std::move(mayClose); }

    /// Closed while runs go on, the window is only hidden; it comes back with this.
    void comeBack();
    /// Whether the user does not look at it.
    /// It was closed while runs go on, and Gantry ends with them.
    bool quitsAtEnd() const { return quitting_; }
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
    /// Runs go on without the window from now on.
    void leftToBackground();
    /// Of a saved task, by its id.
    void taskWanted(const QString& id);
    void taskMenuWanted(const QString& id, const QPoint& at);

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
    void showEntryMenu(const QString& key, const QPoint& at);
    /// Hides, and quits once no run is under way.
    void leaveAtEnd();
    /// Asks before a page's own work ends with the window.
    void askToEnd(Page* page);
    void quitIfThrough();
    void closeTab(const QString& key);
    /// Of a run of the side bar that has a record; empty: it has none.
    std::filesystem::path recordOf(const QString& key) const;
    QString titleOfRun(const QString& key) const;
    /// What the run could be compared with.
    void fillCompareMenu(QMenu* menu, const QString& key);
    void stepTab(int by);
    void showTabs();
    /// Adds a record that is not in the list yet; its key.
    QString listed(const RunRecord& record);
    void addPage(Page* page);
    void showTitle();
    void showStatus();
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
    RunTabs* tabs_;
    QStackedWidget* pages_;
    Tray* tray_;
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
    bool closing_ = false;   ///< likewise, once what was started here is cleared away
    std::function<bool()> mayClose_;
    std::vector<WorkPage> workPages_;
    MakeRunPage makeRunPage_;
    MakeRecordPage makeRecordPage_;
    struct RecordEntry {
        RunRecord record;
        Page* page = nullptr;
    };
    std::vector<RecordEntry> recordEntries_;
    MakeComparePage makeComparePage_;
    std::map<QString, Page*> comparePages_;  ///< by key
    struct RunEntry {
        RunController* run;
        QString key;
        Page* page = nullptr;
    };
    std::vector<RunEntry> runEntries_;
    int nextRun_ = 1;
};

}  // namespace gantry::ui
