// SPDX-License-Identifier: PostgreSQL
// Back up: what at the left, how at the right, how long at the foot.
#pragma once

#include <QSet>
#include <optional>

#include "core/advise/dump_advice.h"
#include "core/dump/dump_preflight.h"
#include "core/options/dump_options.h"
#include "core/options/validate.h"
#include "ui/models/object_tree.h"
#include "ui/pages/saved_tasks.h"
#include "ui/servers/server_access.h"
#include "ui/shell/page.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QTimer;

namespace gantry::ui {

class AdviceNote;
class ChoiceCards;
class ErrorPanel;
class FindingsList;
class JobsSlider;
class OptionForm;
class RunList;
class TreePane;

class BackupPage : public Page {
    Q_OBJECT
public:
    BackupPage(ServerStore& servers, ServerAccess& access, RunList& runs, SavedTasks& tasks,
               QWidget* parent = nullptr);

    /// Of the server that the page is aimed at, or will be next.
    void chooseDatabase(const QString& database);
    /// Starts a saved task as it is.
    void runTask(const SavedTask& task);
    /// Shows it, ready to be started.
    void openTask(const SavedTask& task);
    QString database() const { return database_; }
    /// As they would be run now, without a password.
    const options::DumpOptions& options() const { return options_; }
    const ObjectTree& objects() const { return objects_; }
    void refresh() override;

private:
    struct Looked {
        dump::Inventory inventory;
        advise::Surroundings surroundings;
    };

    QWidget* makeObjects();
    QWidget* makeSettings();
    QWidget* makeCompression();
    QWidget* makeDestination();
    QWidget* makeFoot();
    void makeHeader();

    void turn();
    /// Begins with what a sweep found best on this server, as soon as that is known.
    void takeDefaults();
    /// Format and codec.
    void showOutput(const options::DumpOptions& wanted);
    void listDatabases();
    void look();
    void showLooked(const Looked& looked);
    void readRelations();
    void showFailure(const QString& what, const ErrorInfo& error);

    void gather();
    void onChanged();
    void onFormat();
    void adviseNow();
    void inspectNow();
    void checkDestination();
    void showAdvice();
    void showEstimate();
    void showFindings();
    void showSummary();
    void objectMenu(const QPoint& position);
    void toggleDefinitionOnly();

    void start();
    void copyCommand();
    void saveTask();
    void applyPending();
    options::DumpOptions resolved(options::DumpOptions options, const QString& database) const;
    archive::Format format() const;
    QString proposedDestination() const;

    ServerStore& servers_;
    ServerAccess& access_;
    RunList& runs_;
    SavedTasks& tasks_;

    ObjectTree objects_;
    options::DumpOptions options_;
    std::vector<options::Problem> problems_;
    std::optional<options::DumpOptions> pending_;  ///< a task's, until its database is known
    std::optional<int> taskJobs_;                  ///< a task's, until the slider reaches that far
    bool byPatterns_ = false;                      ///< a task's patterns choose, not the tree
    options::Selection patterns_;
    QString shownServer_;
    QString database_;
    QString wantedDatabase_;
    std::optional<Looked> looked_;
    std::optional<advise::Advice> advice_;
    std::vector<dump::DumpFinding> inspected_;
    std::optional<uint64_t> freeBytes_;
    bool destinationTaken_ = false;
    int proposal_ = 1;                ///< which name for the destination is proposed
    ServerDefaults defaults_;         ///< of the server, as taken over
    bool jobsChosen_ = false;         ///< by hand: the advice no longer moves the slider
    bool destinationChosen_ = false;  ///< likewise
    bool quiet_ = false;

    AccessJob databasesJob_, lookJob_, relationsJob_, inspectJob_;
    AsyncJob adviceJob_, destinationJob_;
    QTimer* adviceTimer_;
    QTimer* inspectTimer_;
    QTimer* destinationTimer_;

    QComboBox* databases_ = nullptr;
    TreePane* tree_ = nullptr;
    QWidget* split_ = nullptr;
    ErrorPanel* failure_ = nullptr;
    ChoiceCards* formats_ = nullptr;
    QLabel* jobsNote_ = nullptr;
    JobsSlider* jobs_ = nullptr;
    AdviceNote* reason_ = nullptr;
    QComboBox* codec_ = nullptr;
    QComboBox* level_ = nullptr;
    QLabel* compressionNote_ = nullptr;
    QLabel* destinationLabel_ = nullptr;
    QLineEdit* destination_ = nullptr;
    QLabel* destinationNote_ = nullptr;
    FindingsList* findings_ = nullptr;
    OptionForm* form_ = nullptr;
    QWidget* fold_ = nullptr;
    QScrollArea* settings_ = nullptr;
    QLabel* estimate_ = nullptr;
    QLabel* problem_ = nullptr;
    QPushButton* startButton_ = nullptr;
};

}  // namespace gantry::ui
