// SPDX-License-Identifier: PostgreSQL
// What the vacuum page does: surveys the database, plans what is chosen, starts it.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <utility>

#include "core/advise/past_rates.h"
#include "core/base/format.h"
#include "core/history/history.h"
#include "core/options/command.h"
#include "core/options/profile.h"
#include "core/options/vacuum_table.h"
#include "core/pg/connection.h"
#include "core/vacuum/read_facts.h"
#include "core/vacuum/statement.h"
#include "ui/bridge/run_list.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/pages/advice_note.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/command_dialog.h"
#include "ui/pages/findings_list.h"
#include "ui/pages/jobs_slider.h"
#include "ui/pages/option_form.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/vacuum_page.h"

namespace gantry::ui {
namespace {

const QString kVacuum = QStringLiteral("vacuum");

QString settingText(uint64_t bytes) { return QString::fromStdString(formatSetting(bytes)); }

QString versionText(int version) {
    return QStringLiteral("%1.%2").arg(version / 10000).arg(version % 10000);
}

/// What is told of itself, without a button.
ShownFinding finding(Look look, const QString& text, const QString& remedy = {}) {
    return {.look = look, .text = text, .remedy = remedy};
}

/// A database that the connection names is then only where to ask which there are.
void aimAtAll(options::VacuumOptions& options) {
    options.allDatabases = true;
    std::string& database = options.connection.database;
    const bool conninfo =
        database.find('=') != std::string::npos || database.find("://") != std::string::npos;
    if (!conninfo) options.maintenanceDatabase = std::exchange(database, {});
}

}  // namespace

VacuumPage::Mode VacuumPage::mode() const { return static_cast<Mode>(modes_->chosen()); }

void VacuumPage::chooseMode(Mode mode) {
    modes_->choose(static_cast<int>(mode));
    onMode();
}

bool VacuumPage::takesHelpers() const {
    return mode() == Mode::Auto || mode() == Mode::Vacuum || mode() == Mode::VacuumAnalyze ||
           mode() == Mode::Freeze;
}

bool VacuumPage::hasWork() const {
    return !planned_->chosen.steps.empty() && !planned_->advice.curve.points.empty();
}

void VacuumPage::turn() {
    const QString id = server() ? server()->id : QString();
    takeDefaults();
    if (id == shownServer_) return;
    shownServer_ = id;
    databasesJob_.stop();
    lookJob_.stop();
    planJob_.stop();
    failure_->hide();
    databases_->clear();
    database_.clear();
    all_ = false;
    planned_.reset();
    tables_.clear();
    setTitle(tr("Vacuum"));
    setChips({});
    setStatus({});
    if (!id.isEmpty()) listDatabases();
    onChanged();
}

void VacuumPage::takeDefaults() {
    const int wanted = server() ? server()->defaults.vacuumJobs : 0;
    if (wanted == std::exchange(defaultJobs_, wanted)) return;
    jobsChosen_ = wanted > 0;
    if (!jobsChosen_) return;
    if (wanted > jobs_->maximum()) jobs_->setRange(1, wanted);
    jobs_->setValue(wanted);
}

void VacuumPage::listDatabases() {
    databasesJob_ = access_.run(
        this, shownServer_, {},
        [](const options::ConnectionOptions& connection, const std::stop_token& stop) {
            pg::Connection session = pg::Connection::open(connection, kApplication, stop);
            return std::pair(vacuum::listDatabases(session), session.databaseName());
        },
        [this](const std::pair<std::vector<std::string>, std::string>& found) {
            QStringList names;
            for (const std::string& name : found.first) {
                if (name != "template1") names << QString::fromStdString(name);
            }
            databases_->addItem(tr("All databases"));
            databases_->insertSeparator(1);
            databases_->addItems(names);
            const QString first = usualDatabase(names, QString::fromStdString(found.second));
            if (wantsAll_) {
                chooseAllDatabases();
            } else {
                chooseDatabase(names.contains(wantedDatabase_) ? wantedDatabase_ : first);
            }
        },
        [this](const ErrorInfo& error) { showFailure(tr("The server cannot be reached"), error); });
}

void VacuumPage::chooseDatabase(const QString& database) {
    wantedDatabase_ = database;
    wantsAll_ = false;
    constexpr int kFirst = 2;  // below "All databases", and a line
    for (int row = kFirst; row < databases_->count(); ++row) {
        if (databases_->itemText(row) != database) continue;
        databases_->setCurrentIndex(row);
        return turnTo(database, false);
    }
    // It comes with the list.
}

void VacuumPage::chooseAllDatabases() {
    wantsAll_ = true;
    if (databases_->count() == 0) return;
    databases_->setCurrentIndex(0);
    turnTo({}, true);
}

void VacuumPage::turnTo(const QString& database, bool all) {
    if (all == all_ && database == database_) return;
    all_ = all;
    database_ = database;
    tablesChosen_ = false;
    chooseFull_ = mode() == Mode::Full && !all_;
    checkShown_->setEnabled(!all_);
    uncheckShown_->setEnabled(!all_);
    tables_.clear();
    look();
}

QString VacuumPage::place() const { return all_ ? tr("all databases") : database_; }

QString VacuumPage::confirmation() const { return all_ && server() ? server()->name : database_; }

void VacuumPage::look() {
    if (!aimed()) return;
    planned_.reset();
    planJob_.stop();
    lookJob_.stop();
    setTitle(tr("Vacuum %1").arg(place()));
    setChips({tr("looking…")});
    setStatus({.left = tr("Looking at %1…").arg(place()), .right = {}});
    failure_->hide();
    looked_ = options_.selection;
    looked_.tables.clear();
    lookJob_ = access_.run(
        this, shownServer_, database_,
        [selection = looked_, all = all_](const options::ConnectionOptions& connection,
                                          const std::stop_token& stop) {
            options::VacuumOptions wanted;
            wanted.connection = connection;
            wanted.allDatabases = all;
            wanted.selection = selection;
            wanted.plan = "auto";
            pg::Connection session = pg::Connection::open(connection, kApplication, stop);
            return Looked{.outlook = vacuum::look(wanted, stop),
                          .surroundings = advise::collectSurroundings(session)};
        },
        [this](Looked looked) { showSurvey(std::move(looked)); },
        [this](const ErrorInfo& error) {
            setChips({});
            showFailure(tr("%1 cannot be looked at").arg(place()), error);
            showFoot();
        });
    showFoot();
}

void VacuumPage::refresh() {
    if (aimed()) {
        look();
    } else {
        shownServer_.clear();
        turn();
    }
}

void VacuumPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    constexpr auto kStale = std::chrono::minutes(1);
    if (lookedAt_ && std::chrono::steady_clock::now() - *lookedAt_ > kStale) refresh();
}

void VacuumPage::showSurvey(Looked looked) {
    vacuum::Outlook& outlook = looked.outlook;
    lookedAt_ = std::chrono::steady_clock::now();
    surroundings_ = std::move(looked.surroundings);
    std::vector<std::string> kept;
    if (tablesChosen_ && tables_.survey()) {
        for (const std::size_t place : tables_.chosen()) {
            kept.push_back(VacuumTables::nameOf(tables_.survey()->tables[place]));
        }
    }
    const vacuum::ServerFacts& facts = outlook.survey.server;
    const QString version = versionText(facts.version);
    servers_.noteVersion(shownServer_, version);
    const auto count = static_cast<int>(outlook.survey.tables.size());
    QString size = tr("%n tables", nullptr, count);
    if (all_) {
        size = tr("%1 in %n databases", nullptr, static_cast<int>(outlook.survey.databases.size()))
                   .arg(size);
    }
    setChips({tr("PostgreSQL %1").arg(version) + QStringLiteral(" · ") + size});
    setStatus({.left = tr("%1: connected to %2").arg(server()->name, place()),
               .right = tr("%1 connections free").arg(facts.freeConnections)});
    quiet_ = true;
    const int helpers = helpers_->currentIndex();
    helpers_->clear();
    helpers_->addItem(tr("as advised"));
    for (uint32_t i = 0; i <= facts.mostHelpers; ++i) {
        helpers_->addItem(i == 0 ? tr("none") : tr("up to %1").arg(i));
    }
    helpers_->setCurrentIndex(std::clamp(helpers, 0, helpers_->count() - 1));
    tables_.setSurvey(std::make_shared<const vacuum::Survey>(std::move(outlook.survey)));
    tables_.setPlan(outlook.plan);
    fitColumns();
    if (!kept.empty()) tables_.choose(kept);
    quiet_ = false;
    applyPending();
    onChanged();
}

void VacuumPage::showFailure(const QString& what, const ErrorInfo& error) {
    failure_->showError(what, error, [this] {
        shownServer_.clear();
        turn();
    });
    setStatus({.left = what, .right = {}});
}

/// What the page shows, as options.
void VacuumPage::gather() {
    options_ = {};
    if (server()) options_.connection = connectionTo(*server(), database_);
    if (all_) aimAtAll(options_);
    problems_ = form_->apply(options::vacuumTable(options_));
    if (jobsChosen_) options_.jobs = static_cast<uint32_t>(jobs_->value());
    if (takesHelpers() && helpers_->currentIndex() > 0) {
        options_.parallel = static_cast<uint32_t>(helpers_->currentIndex() - 1);
    }
    options::VacuumWork& work = options_.work;
    if (mode() == Mode::Auto) options_.plan = "auto";
    work.analyze = mode() == Mode::VacuumAnalyze;
    work.analyzeOnly = mode() == Mode::Analyze && !work.analyzeInStages;
    work.freeze = mode() == Mode::Freeze;
    work.full = mode() == Mode::Full;
    work.reindexConcurrently = mode() == Mode::Reindex;
    if (!all_ && tables_.survey() && !tables_.everything()) {
        const vacuum::Survey& survey = *tables_.survey();
        for (const std::size_t place : tables_.chosen()) {
            const vacuum::TableFacts& table = survey.tables[place];
            // By its name it would be vacuumed with all its partitions.
            if (vacuum::isLeftToPartitions(table, options_, survey.server.major())) continue;
            options_.selection.tables.push_back(VacuumTables::nameOf(table));
        }
    }
    std::vector<options::Problem> found = options::validate(options_);
    if (tables_.survey()) {
        const std::vector<options::Problem> gates =
            vacuum::serverGates(options_, tables_.survey()->server.major());
        found.insert(found.end(), gates.begin(), gates.end());
    }
    problems_.insert(problems_.end(), found.begin(), found.end());
}

/// As advised is said as a number: the run takes what the slider shows.
options::VacuumOptions VacuumPage::shownOptions() const {
    options::VacuumOptions shown = options_;
    shown.jobs = static_cast<uint32_t>(jobs_->value());
    return shown;
}

void VacuumPage::onMode() {
    if (!tablesChosen_ && tables_.survey()) {
        const bool quiet = std::exchange(quiet_, true);
        tables_.chooseAll();
        quiet_ = quiet;
    }
    chooseFull_ = !tablesChosen_ && !all_ && mode() == Mode::Full;
    helpers_->setEnabled(takesHelpers());
    confirmation_->clear();
    onChanged();
}

void VacuumPage::onChanged() {
    if (quiet_) return;
    gather();
    form_->showProblems(problems_);
    showSummary();
    showFindings();
    showFoot();
    if (!tables_.survey() || options::hasErrors(problems_)) return;
    const options::VacuumSelection& s = options_.selection;
    const bool others = s.minXidAge != looked_.minXidAge || s.minMxidAge != looked_.minMxidAge ||
                        s.missingStatsOnly != looked_.missingStatsOnly;
    (others ? lookTimer_ : planTimer_)->start();
}

namespace {

/// As long as the steps will take here, by what earlier runs did: one page tells one time.
vacuum::VacuumPlan planAsLearnt(const vacuum::Survey& survey, const options::VacuumOptions& options,
                                const advise::CostFactors& factors) {
    vacuum::VacuumPlan plan = vacuum::planVacuum(survey, options);
    factors.apply(plan.graph);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        plan.steps[i].seconds = plan.graph.tasks[i].cost;
    }
    return plan;
}

}  // namespace

VacuumPage::Planned VacuumPage::makePlan(const advise::VacuumQuestion& question,
                                         const std::vector<std::size_t>& chosen) {
    Planned planned;
    const vacuum::Survey& survey = question.survey;
    planned.whole = planAsLearnt(survey, question.options, question.factors);
    advise::VacuumQuestion asked = question;
    vacuum::Survey& some = asked.survey;
    some.tables.clear();
    for (const std::size_t place : chosen) some.tables.push_back(survey.tables[place]);
    asked.options.jobs.reset();
    planned.advice = advise::adviseVacuum(asked);
    asked.options.jobs = question.options.jobs.value_or(planned.advice.jobs());
    planned.chosen = planAsLearnt(some, asked.options, question.factors);
    std::vector<uint64_t> disk;
    for (const vacuum::Step& step : planned.chosen.steps) {
        if (step.tables.empty()) continue;
        const vacuum::TableFacts& table = some.tables[step.tables.front()];
        if (step.helpers > 0) ++planned.helpedTables;
        if (step.helpers > planned.helpers) {
            planned.helpers = step.helpers;
            planned.helped = table.displayName();
        }
        if (!step.full) continue;
        ++planned.rewritten;
        disk.push_back(vacuum::extraDisk(table));
        if (step.seconds > planned.longestLock) {
            planned.longestLock = step.seconds;
            planned.longest = table.displayName();
        }
    }
    std::sort(disk.begin(), disk.end(), std::greater<>());
    for (std::size_t i = 0; i < disk.size() && i < planned.chosen.proposals.jobs; ++i) {
        planned.disk += disk[i];
    }
    return planned;
}

void VacuumPage::planNow() {
    if (!tables_.survey()) return;
    planJob_.stop();
    planJob_ = runAsync(
        this,
        [survey = tables_.survey(), options = options_, surroundings = surroundings_,
         chosen = tables_.chosen()](const std::stop_token&) {
            history::History history(history::usualFolder());
            return makePlan({.survey = *survey,
                             .options = options,
                             .surroundings = surroundings,
                             .factors = advise::costFactors(history, surroundings, "vacuum",
                                                            vacuum::toldOptions(options))},
                            chosen);
        },
        [this](Planned planned) {
            planned_ = std::move(planned);
            showPlan();
        },
        [this](const ErrorInfo& error) { showFailure(tr("No plan can be made"), error); });
}

void VacuumPage::showPlan() {
    tables_.setPlan(planned_->whole);
    fitColumns();
    // Writing everything anew is nobody's wish: begin with what gives room back.
    if (std::exchange(chooseFull_, false)) {
        quiet_ = true;
        tables_.chooseByAction(vacuum::Action::Full);
        quiet_ = false;
        onChanged();
        return;
    }
    showAdvice();
    showFindings();
    showFoot();
}

void VacuumPage::showAdvice() {
    const advise::Advice& advice = planned_->advice;
    quiet_ = true;
    jobs_->setAdvice(advice.curve.points.empty() ? std::nullopt : std::optional(advice.curve));
    if (!jobsChosen_) jobs_->setValue(static_cast<int>(advice.jobs()));
    quiet_ = false;
    jobsReason_->setAdvice(hasWork() ? std::optional(advice) : std::nullopt);
    QString reason;
    if (!takesHelpers()) {
        reason = tr("Only a vacuum that cleans indexes has use for them.");
    } else if (planned_->helpers == 0) {
        reason = options_.parallel
                     ? tr("None, as told.")
                     : tr("None advised: tables side by side keep all processors busy, or no "
                          "table has two large indexes.");
    } else if (options_.parallel) {
        reason = tr("Up to %1 for each table, as told.").arg(planned_->helpers);
    } else {
        reason = tr("%1 advised for %2, whose indexes would else be waited for at the end.")
                     .arg(planned_->helpers)
                     .arg(text(planned_->helped));
        if (planned_->helpedTables > 1) {
            reason += u' ' +
                      tr("%n tables have some.", nullptr, static_cast<int>(planned_->helpedTables));
        }
    }
    helpersReason_->setText(reason);
}

void VacuumPage::showFindings() {
    std::vector<ShownFinding> shown;
    if (!tables_.survey() || !planned_) {
        shown.push_back(finding(Look::Note, tr("What it takes is told here once it is planned.")));
        findings_->setFindings(shown);
        return;
    }
    if (planned_->rewritten > 0) {
        ShownFinding locks =
            finding(Look::Warning,
                    tr("Nobody can read or write a table while it is written anew: %1 for %2")
                        .arg(text(planned_->longest),
                             planned_->longestLock < 1
                                 ? tr("less than a second")
                                 : tr("about %1").arg(spokenDuration(planned_->longestLock))),
                    tr("Bloated indexes alone can be rebuilt while the tables stay in use."));
        locks.mends = {{tr("Reindex instead"), [this] { chooseMode(Mode::Reindex); }}};
        shown.push_back(std::move(locks));
        shown.push_back(finding(
            Look::Warning,
            tr("Up to %1 more of disk are needed meanwhile").arg(bytesText(planned_->disk))));
    } else if (planned_->chosen.steps.empty()) {
        shown.push_back(finding(Look::Note, tables_.chosen().empty()
                                                ? tr("No table is chosen")
                                                : tr("None of the chosen tables needs anything")));
    } else {
        shown.push_back(finding(Look::Good, tr("The tables stay in use meanwhile")));
    }
    const vacuum::Proposals& p = planned_->chosen.proposals;
    if (p.ring) {
        shown.push_back(finding(
            Look::Note,
            *p.ring == 0 ? tr("No buffer usage limit")
                         : tr("Buffer usage limit for each table: %1").arg(settingText(*p.ring)),
            text(p.ringWhy)));
    }
    if (p.memory) {
        shown.push_back(finding(
            Look::Note, tr("maintenance_work_mem for each table: %1").arg(settingText(*p.memory)),
            text(p.memoryWhy)));
    }
    const std::vector<vacuum::TableFacts>& tables = tables_.survey()->tables;
    const auto refused = std::count_if(tables.begin(), tables.end(),
                                       [](const auto& table) { return !table.permitted; });
    if (refused > 0) {
        shown.push_back(finding(Look::Note, tr("%n tables are not yours to vacuum", nullptr,
                                               static_cast<int>(refused))));
    }
    findings_->setFindings(shown);
}

void VacuumPage::showSummary() {
    if (!tables_.survey()) {
        choice_->clear();
        return;
    }
    uint64_t bytes = 0;
    const std::vector<std::size_t> chosen = tables_.chosen();
    for (const std::size_t place : chosen) bytes += tables_.survey()->tables[place].bytes();
    if (all_) return choice_->setText(tr("all of them, %1").arg(bytesText(bytes)));
    choice_->setText(tr("%1 of %2 chosen, %3")
                         .arg(countText(chosen.size()), countText(tables_.survey()->tables.size()),
                              bytesText(bytes)));
}

QString VacuumPage::firstError() const {
    if (!server()) return tr("Choose a server at the left first.");
    if (!tables_.survey()) return {};
    if (tables_.chosen().empty()) {
        return mode() == Mode::Full
                   ? tr("No table would give much back. Check those to write anew all the same.")
                   : tr("No table is chosen.");
    }
    if (!all_ && !tables_.everything() && options_.selection.tables.empty()) {
        return tr("Only partitioned tables are chosen: this is done to their partitions.");
    }
    for (const options::Problem& problem : problems_) {
        if (problem.severity == options::ProblemSeverity::Error) {
            return inWindow(problem.describe());
        }
    }
    return {};
}

void VacuumPage::showFoot() {
    const QString error = firstError();
    // Until there is a plan nobody knows how many jobs to advise.
    const bool ready = error.isEmpty() && planned_ && !lookJob_.running();
    const bool confirming = ready && mode() == Mode::Full;
    confirmation_->ask(
        confirming ? tr("%n tables are locked against everybody while they are written anew. To "
                        "confirm, type “%1”:",
                        nullptr, static_cast<int>(tables_.chosen().size()))
                         .arg(confirmation())
                   : QString(),
        confirmation());
    problem_->setText(error);
    problem_->setVisible(!error.isEmpty());
    startButton_->setEnabled(ready && confirmation_->confirmed());
    startButton_->setToolTip(toolTipText(error));
    QString estimate;
    if (lookJob_.running()) {
        estimate = tr("Looking at the tables…");
    } else if (ready) {
        const auto jobs = static_cast<uint32_t>(jobs_->value());
        const double seconds = hasWork() ? planned_->advice.curve.at(jobs).seconds : 0;
        estimate = !hasWork()    ? tr("None of the chosen tables needs anything now")
                   : seconds < 1 ? tr("Less than a second, an estimate")
                                 : tr("About %1, an estimate").arg(spokenDuration(seconds));
    }
    estimate_->setText(estimate);
    estimate_->setVisible(!estimate.isEmpty());
}

void VacuumPage::start() {
    gather();
    showFoot();
    if (!startButton_->isEnabled() || !server()) return;
    options::VacuumOptions wanted = shownOptions();
    wanted.connection.password = access_.connection(shownServer_).password;
    confirmation_->clear();
    const RunController* run = runs_.start(vacuumRequest(std::move(wanted), *server(), place()));
    // What the tables are like afterwards.
    connect(run, &RunController::finished, this,
            [this, server = shownServer_, database = database_, all = all_] {
                if (server == shownServer_ && database == database_ && all == all_) look();
            });
}

void VacuumPage::copyCommand() {
    gather();
    const options::VacuumOptions shown = shownOptions();
    const options::StockCommand stock = options::vacuumdbCommand(shown);
    QStringList notes;
    for (const std::string& note : stock.notes) notes << QString::fromStdString(note);
    auto* dialog = new CommandDialog(
        {{.heading = QStringLiteral("gantryctl"),
          .line = QString::fromStdString(options::quoteForShell(options::gantryctlCommand(shown))),
          .notes = {}},
         {.heading = tr("The nearest vacuumdb"),
          .line = QString::fromStdString(options::quoteForShell(stock.arguments)),
          .notes = notes}},
        this);
    dialog->open();
}

void VacuumPage::saveTask() {
    gather();
    const QString name = askTaskName(this, tasks_, kVacuum, tr("Vacuum %1").arg(place()));
    if (name.isEmpty() || !server()) return;
    options::VacuumOptions kept = options_;
    kept.connection = {};
    kept.maintenanceDatabase.clear();
    kept.connection.database = database_.toStdString();
    tasks_.save({.name = name,
                 .serverId = server()->id,
                 .operation = kVacuum,
                 .profile = QString::fromStdString(options::toProfile(kept))});
}

void VacuumPage::runTask(const SavedTask& task) {
    const ServerProfile* aim = servers_.find(task.serverId);
    try {
        if (!aim) throw Error(ErrorKind::Usage, "the server of this task is no longer known");
        options::VacuumOptions options =
            options::vacuumOptionsFromProfile(task.profile.toStdString());
        const QString database = QString::fromStdString(options.connection.database);
        options.connection = access_.connection(aim->id, database);
        if (options.allDatabases) aimAtAll(options);
        RunRequest request = vacuumRequest(std::move(options), *aim, database);
        request.title = task.name;
        runs_.start(std::move(request));
    } catch (const Error& error) {
        showFailure(tr("“%1” cannot be run").arg(task.name), error.info());
    }
}

void VacuumPage::openTask(const SavedTask& task) {
    try {
        pending_ = options::vacuumOptionsFromProfile(task.profile.toStdString());
    } catch (const Error& error) {
        showFailure(tr("“%1” cannot be opened").arg(task.name), error.info());
        return;
    }
    const QString database = QString::fromStdString(pending_->connection.database);
    if (pending_->allDatabases == all_ && database == database_ && tables_.survey()) {
        applyPending();
        onChanged();
    } else if (pending_->allDatabases) {
        chooseAllDatabases();
    } else {
        chooseDatabase(database);
    }
}

/// The tables are known now: what a task chose can be shown.
void VacuumPage::applyPending() {
    if (!pending_) return;
    options::VacuumOptions wanted = *std::exchange(pending_, std::nullopt);
    quiet_ = true;
    form_->load(options::vacuumTable(wanted));
    const options::VacuumWork& work = wanted.work;
    const Mode mode = wanted.plansItself()       ? Mode::Auto
                      : work.reindexConcurrently ? Mode::Reindex
                      : work.full                ? Mode::Full
                      : work.freeze              ? Mode::Freeze
                      : work.analyzesAlone()     ? Mode::Analyze
                      : work.analyze             ? Mode::VacuumAnalyze
                                                 : Mode::Vacuum;
    tablesChosen_ = !all_ && !wanted.selection.tables.empty();
    chooseMode(mode);
    chooseFull_ = false;
    if (tablesChosen_) tables_.choose(wanted.selection.tables);
    jobsChosen_ = wanted.jobs.has_value();
    if (wanted.jobs) jobs_->setValue(static_cast<int>(*wanted.jobs));
    const int helpers = wanted.parallel ? static_cast<int>(*wanted.parallel) + 1 : 0;
    helpers_->setCurrentIndex(std::min(helpers, helpers_->count() - 1));
    quiet_ = false;
}

}  // namespace gantry::ui
