// SPDX-License-Identifier: PostgreSQL
// Vacuum: which tables need what and why above, how it is done beneath.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/advise/surroundings.h"
#include "core/advise/vacuum_advice.h"
#include "core/options/vacuum_options.h"
#include "core/options/validate.h"
#include "core/vacuum/vacuum.h"
#include "ui/models/vacuum_tables.h"
#include "ui/pages/saved_tasks.h"
#include "ui/servers/server_access.h"
#include "ui/shell/page.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTimer;
class QTreeView;

namespace gantry::ui {

class AdviceNote;
class ChoiceCards;
class ConfirmRow;
class ErrorPanel;
class FindingsList;
class JobsSlider;
class OptionForm;
class RunList;

class VacuumPage : public Page {
    Q_OBJECT
public:
    /// In the order of the cards.
    enum class Mode { Auto, Vacuum, VacuumAnalyze, Analyze, Freeze, Full, Reindex };

    VacuumPage(ServerStore& servers, ServerAccess& access, RunList& runs, SavedTasks& tasks,
               QWidget* parent = nullptr);

    /// Of the server that the page is aimed at, or will be next.
    void chooseDatabase(const QString& database);
    void chooseAllDatabases();
    void chooseMode(Mode mode);
    /// Starts a saved task as it is.
    void runTask(const SavedTask& task);
    /// Shows it, ready to be started.
    void openTask(const SavedTask& task);
    void refresh() override;
    /// As they would be run now, without a password.
    const options::VacuumOptions& options() const { return options_; }
    VacuumTables& tables() { return tables_; }
    /// The plan of what is shown now has been made.
    bool planned() const { return planned_ && !planJob_.running(); }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// What a plan says of all tables, and of those that are chosen.
    struct Planned {
        vacuum::VacuumPlan whole;
        vacuum::VacuumPlan chosen;
        advise::Advice advice;
        uint32_t helpers = 0;  ///< that the table with the most of them has
        std::string helped;    ///< this table
        std::size_t helpedTables = 0;
        std::size_t rewritten = 0;  ///< tables
        double longestLock = 0;     ///< seconds
        std::string longest;        ///< the table that is locked so long
        uint64_t disk = 0;          ///< needed beside the tables at most
    };
    /// `question`: of all tables, with the options that are wanted.
    static Planned makePlan(const advise::VacuumQuestion& question,
                            const std::vector<std::size_t>& chosen);
    struct Looked {
        vacuum::Outlook outlook;
        advise::Surroundings surroundings;
    };

    void makeHeader();
    QWidget* makeTables();
    QWidget* makeSettings();
    QWidget* makeWorkers();
    QWidget* makeFoot();

    void turn();
    /// Begins with what a sweep found best on this server, as soon as that is known.
    void takeDefaults();
    void listDatabases();
    void turnTo(const QString& database, bool all);
    bool aimed() const { return all_ || !database_.isEmpty(); }
    /// "shop", "all databases".
    QString place() const;
    /// What is typed to confirm: the database's name; for all of them the server's.
    QString confirmation() const;
    void fitColumns();
    void showWhetherAnyFits();
    void look();
    void showSurvey(Looked looked);
    void showFailure(const QString& what, const ErrorInfo& error);

    Mode mode() const;
    bool takesHelpers() const;
    bool hasWork() const;  ///< of the plan
    void gather();
    options::VacuumOptions shownOptions() const;
    void onMode();
    void onChanged();
    void planNow();
    void showPlan();
    void showAdvice();
    void showFindings();
    void showSummary();
    void showFoot();
    QString firstError() const;

    void start();
    void copyCommand();
    void saveTask();
    void applyPending();

    ServerStore& servers_;
    ServerAccess& access_;
    RunList& runs_;
    SavedTasks& tasks_;

    VacuumTables tables_;
    options::VacuumOptions options_;
    options::VacuumSelection looked_;  ///< what the survey was made with
    std::vector<options::Problem> problems_;
    advise::Surroundings surroundings_;  ///< as of the survey
    std::optional<Planned> planned_;
    std::optional<options::VacuumOptions> pending_;  ///< a task's, until its tables are known
    QString shownServer_;
    std::optional<std::chrono::steady_clock::time_point> lookedAt_;
    QString database_;
    QString wantedDatabase_;
    int defaultJobs_ = 0;  ///< of the server, as taken over
    bool all_ = false;     ///< databases, rather than database_
    bool wantsAll_ = false;
    bool jobsChosen_ = false;    ///< by hand: the advice no longer moves the slider
    bool tablesChosen_ = false;  ///< likewise
    bool chooseFull_ = false;    ///< what is worth it, once the plan tells
    bool quiet_ = false;

    AccessJob databasesJob_, lookJob_;
    AsyncJob planJob_;
    QTimer* planTimer_;
    QTimer* lookTimer_;

    QComboBox* databases_ = nullptr;
    QLineEdit* search_ = nullptr;
    QPushButton* checkShown_ = nullptr;
    QPushButton* uncheckShown_ = nullptr;
    QLabel* choice_ = nullptr;
    std::set<int> sizedByUser_;  ///< columns
    bool sizing_ = false;
    QTreeView* view_ = nullptr;
    QLabel* noneFits_ = nullptr;  ///< in place of rows
    QSplitter* split_ = nullptr;
    ErrorPanel* failure_ = nullptr;
    ChoiceCards* modes_ = nullptr;
    JobsSlider* jobs_ = nullptr;
    AdviceNote* jobsReason_ = nullptr;
    QComboBox* helpers_ = nullptr;
    QLabel* helpersReason_ = nullptr;
    FindingsList* findings_ = nullptr;
    OptionForm* form_ = nullptr;
    QWidget* fold_ = nullptr;
    QScrollArea* settings_ = nullptr;
    ConfirmRow* confirmation_ = nullptr;
    QLabel* estimate_ = nullptr;
    QLabel* problem_ = nullptr;
    QPushButton* startButton_ = nullptr;
};

}  // namespace gantry::ui
