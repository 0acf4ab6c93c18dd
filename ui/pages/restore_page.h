// SPDX-License-Identifier: PostgreSQL
// Restore: which archive and what of it at the left, where to at the right.
#pragma once

#include <optional>
#include <vector>

#include "core/advise/curve.h"
#include "core/options/restore_options.h"
#include "core/options/validate.h"
#include "core/restore/check.h"
#include "ui/models/archive_tree.h"
#include "ui/pages/findings_list.h"
#include "ui/pages/restore_wanted.h"
#include "ui/pages/saved_tasks.h"
#include "ui/servers/server_access.h"
#include "ui/shell/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QTimer;

namespace gantry::ui {

class AdviceNote;
class ChoiceCards;
class ConfirmRow;
class ErrorPanel;
class JobsSlider;
class OptionForm;
class RecentArchives;
class RunList;
class TreePane;

class RestorePage : public Page {
    Q_OBJECT
public:
    enum class Target { New, Existing, Scratch, Refresh };

    /// Lists of chosen entries are written to `listFolder` (a temporary one if it is empty).
    RestorePage(ServerStore& servers, ServerAccess& access, RunList& runs, SavedTasks& tasks,
                QString listFolder, QWidget* parent = nullptr);

    /// Reads its contents; the page shows them when they are there.
    void openArchive(const QString& path);
    void chooseTarget(Target target, const QString& database);
    /// Shows a saved task, ready to be started.
    void openTask(const SavedTask& task);
    const ArchiveTree& contents() const { return contents_; }
    /// As they would be run now, without a password.
    const options::RestoreOptions& options() const { return options_; }
    void refresh() override;

Q_SIGNALS:
    /// A run has started a throwaway server, or is about to.
    void scratchStarted(gantry::ui::RunController* run);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeArchive();
    QWidget* makeSettings();
    QWidget* makeTarget();
    QWidget* makeFoot();
    void makeHeader();

    void turn();
    /// Begins with what a sweep found best on this server, as soon as that is known.
    void takeDefaults();
    void listDatabases();
    void forgetChoices();
    void showContents(ArchiveContents contents);
    void gather();
    void onChanged();
    void proposeName();
    void onTarget();
    void inspectNow();
    /// The target as it can be connected to, and a restore of what is chosen.
    bool canLook() const;
    QString lookedDatabase() const;
    QString advisedDatabase() const;
    void showChips();
    void adviseNow();
    void showAdvice();
    void showFindings();
    void showFoot();
    void showSummary();
    void showJobs();
    void treeMenu(const QPoint& position);
    void setFlag(const QString& name);

    Target target() const;
    QString database() const;
    bool destroys() const;
    QString whatIsDestroyed() const;
    /// Finds out how much that is, in the background.
    void measureDoomed();
    QString firstError() const;
    /// What is set and chosen by now.
    RestoreWanted wanted() const;

    void start();
    void copyCommand();
    void saveTask();
    void applyTask(const options::RestoreOptions& wanted);
    void applyTarget(const options::RestoreOptions& wanted);

    ServerStore& servers_;
    ServerAccess& access_;
    RunList& runs_;
    SavedTasks& tasks_;
    const QString listFolder_;

    ArchiveTree contents_;
    bool script_ = false;
    options::RestoreOptions options_;
    std::vector<options::Problem> problems_;
    std::optional<options::RestoreOptions> pending_;        ///< until the archive has been read
    std::optional<options::RestoreOptions> pendingTarget_;  ///< until databases are listed
    QString shownServer_;
    int defaultJobs_ = 0;  ///< of the server, as taken over
    QString openPath_;
    QString wantedDatabase_;
    bool freshChosen_ = false;  ///< the new database's name, by hand
    QStringList knownDatabases_;
    std::vector<ShownFinding> inspected_;
    bool inspecting_ = false;
    std::optional<restore::Doomed> doomed_;
    std::optional<advise::Advice> advice_;
    bool jobsChosen_ = false;  ///< by hand: the advice no longer moves the slider
    bool blocked_ = false;
    bool quiet_ = false;

    AsyncJob readJob_;
    AsyncJob listJob_;
    AccessJob databasesJob_, inspectJob_, adviceJob_, doomedJob_;
    QTimer* inspectTimer_;

    QLineEdit* path_ = nullptr;
    QPushButton* verify_ = nullptr;
    QWidget* empty_ = nullptr;  ///< where the contents are not
    QLabel* invitation_ = nullptr;
    RecentArchives* recent_ = nullptr;
    TreePane* tree_ = nullptr;
    ErrorPanel* failure_ = nullptr;
    ChoiceCards* targets_ = nullptr;
    QLabel* databaseLabel_ = nullptr;
    QComboBox* existing_ = nullptr;
    QLineEdit* fresh_ = nullptr;
    QCheckBox* clean_ = nullptr;
    QLabel* targetNote_ = nullptr;
    JobsSlider* jobs_ = nullptr;
    QLabel* jobsLabel_ = nullptr;
    AdviceNote* jobsReason_ = nullptr;
    FindingsList* findings_ = nullptr;
    OptionForm* form_ = nullptr;
    QWidget* fold_ = nullptr;
    QScrollArea* settings_ = nullptr;
    QLabel* summary_ = nullptr;
    QLabel* problem_ = nullptr;
    ConfirmRow* confirmation_ = nullptr;
    QPushButton* startButton_ = nullptr;
};

}  // namespace gantry::ui
