// SPDX-License-Identifier: PostgreSQL
// A run on the screen, while it goes on and after: summary, chart, tasks, log, details, verdict.
#pragma once

#include <QElapsedTimer>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ui/run/run_feed.h"
#include "ui/shell/page.h"

class QLabel;
class QListView;
class QPushButton;
class QSplitter;
class QTabWidget;
class QTimer;

namespace gantry::ui {

class BackendWatch;
class ChartBar;
struct ChartPicture;
class DetailsPanel;
class GanttView;
class InsightFeed;
class LogModel;
class SummaryStrip;
class TaskModel;
class TaskTable;
class ThrottleButton;

class RunPage : public Page {
    Q_OBJECT
public:
    /// `run` outlives the page.
    explicit RunPage(RunController* run, QWidget* parent = nullptr);
    /// A recorded run, read in the background.
    explicit RunPage(const std::filesystem::path& record, QWidget* parent = nullptr);

    GanttView* chart() const { return chart_; }
    const RunFeed& feed() const { return *feed_; }
    /// Chooses a task in chart, table, log and details.
    void select(std::optional<TaskId> task);
    std::optional<TaskId> selected() const { return selected_; }
    /// What the run's length came from, in a few sentences, once that is found out; empty before.
    QString verdict() const;
    /// For export: the run as it is now, whole unless somebody has zoomed.
    std::shared_ptr<const ChartPicture> picture() const;

Q_SIGNALS:
    /// Another run is to be started.
    void runWanted(const gantry::ui::RunRequest& request);
    /// What the run wrote is to be restored.
    void restoreWanted(const QString& archive);
    /// What the run wrote is to be read back.
    void verifyWanted(const QString& archive);

private:
    void build(ReplayFeed* replay);
    QWidget* makeTables();
    void connectSelection();
    void addHeaderButtons();
    void addExports();
    void refresh();
    void refreshSlow();
    void refreshTabs();
    void shareRoom();
    void keepSelected();
    void refreshDetails();
    void showInsight();
    void showJudgement();
    void refreshHeader();
    /// What the run has written, where this machine can open it; empty if it has not.
    QString archiveMade() const;
    void showOutcome();
    void askCancel();
    void askCancelTask(TaskId task);
    /// What of the task, or of the whole run, failed and could be tried again: by a run of its
    /// own, also while this one goes on.
    std::vector<std::string> failedObjects(std::optional<TaskId> task) const;
    void askRetry(std::optional<TaskId> task);
    /// True of a restore that broke off, but left a record from which another can finish it.
    bool canBeFinished() const;
    void askResume();
    void showMenu(TaskId task, QPoint at);
    void showLogOf(TaskId task);
    /// Asks where to; what is written is made in the background.
    void save(const QString& title, const QString& suffix, std::function<QByteArray()> make);

    RunFeed* feed_;
    InsightFeed* insights_ = nullptr;
    SummaryStrip* summary_ = nullptr;
    ChartBar* bar_ = nullptr;
    GanttView* chart_ = nullptr;
    TaskModel* tasks_ = nullptr;
    TaskTable* table_ = nullptr;
    LogModel* log_ = nullptr;
    QListView* logView_ = nullptr;
    QSplitter* split_ = nullptr;  ///< chart above tables
    bool splitByUser_ = false;
    QTabWidget* tabs_ = nullptr;
    DetailsPanel* details_ = nullptr;
    QLabel* outcome_ = nullptr;
    ThrottleButton* throttle_ = nullptr;
    QPushButton* pause_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QPushButton* retry_ = nullptr;
    QPushButton* resume_ = nullptr;
    QPushButton* verify_ = nullptr;
    QPushButton* restore_ = nullptr;
    BackendWatch* watch_ = nullptr;  ///< of a run whose sessions can be looked at
    QTimer* soon_ = nullptr;         ///< for what need not follow every event
    std::optional<TaskId> selected_;
    bool selecting_ = false;
    QString filter_;  ///< of the table
};

}  // namespace gantry::ui
