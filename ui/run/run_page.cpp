// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "core/events/trace_export.h"
#include "core/report/span_table.h"
#include "ui/bridge/backend_watch.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/gantt_view.h"
#include "ui/run/chart_bar.h"
#include "ui/run/details_panel.h"
#include "ui/run/insight_feed.h"
#include "ui/run/log_model.h"
#include "ui/run/replay_bar.h"
#include "ui/run/run_export.h"
#include "ui/run/run_text.h"
#include "ui/run/summary_strip.h"
#include "ui/run/task_model.h"
#include "ui/run/task_table.h"
#include "ui/run/throttle_button.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kSoonMs = 400;
constexpr int kLeastChart = 260;
constexpr int kLeastRoom = 300;  ///< pixels, of chart and tables together
constexpr std::size_t kManyTasks = 20'000;
constexpr int kSoonManyMs = 2000;

}  // namespace

RunPage::RunPage(RunController* run, QWidget* parent) : Page(parent) {
    feed_ = new LiveFeed(run, this);
    setTitle(run->request().title);
    setChips(run->request().chips);
    build(nullptr);
}

RunPage::RunPage(const std::filesystem::path& record, QWidget* parent) : Page(parent) {
    auto* replay = new ReplayFeed(this);
    feed_ = replay;
    setTitle(tr("Recorded run"));
    setChips({text(record.filename().string())});
    build(replay);
    connect(replay, &ReplayFeed::loaded, this, &RunPage::refreshHeader);
    connect(replay, &ReplayFeed::failed, this, [this](const ErrorInfo& error) {
        outcome_->setText(describe(error).toHtmlEscaped());
        outcome_->show();
    });
    replay->load(record);
}

void RunPage::build(ReplayFeed* replay) {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    summary_ = new SummaryStrip(feed_->controller());
    column->addWidget(summary_);
    outcome_ = new QLabel;
    outcome_->setTextFormat(Qt::RichText);
    outcome_->setObjectName(QStringLiteral("outcome"));
    outcome_->setWordWrap(true);
    outcome_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    outcome_->hide();
    column->addWidget(outcome_);
    if (replay != nullptr) column->addWidget(new ReplayBar(replay));
    chart_ = new GanttView;
    bar_ = new ChartBar(chart_);
    column->addWidget(bar_);
    auto* splitter = new QSplitter(Qt::Vertical);
    split_ = splitter;
    connect(splitter, &QSplitter::splitterMoved, this, [this] { splitByUser_ = true; });
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(chart_);
    splitter->addWidget(makeTables());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter, 1);
    setContent(content);

    insights_ = new InsightFeed(feed_->state(), this);
    connect(feed_, &RunFeed::folded, insights_, &InsightFeed::add);
    connect(feed_, &RunFeed::begunAnew, insights_, &InsightFeed::forget);
    connect(insights_, &InsightFeed::changed, this, &RunPage::showInsight);
    connect(insights_, &InsightFeed::judged, this, &RunPage::showJudgement);
    soon_ = new QTimer(this);
    soon_->setSingleShot(true);
    connect(soon_, &QTimer::timeout, this, &RunPage::refreshSlow);
    verify_ = new QPushButton(tr("Verify it…"));
    verify_->setToolTip(tr("Reads every byte of the archive: is all of it there?"));
    verify_->hide();
    connect(verify_, &QPushButton::clicked, this, [this] { Q_EMIT verifyWanted(archiveMade()); });
    addHeaderWidget(verify_);
    restore_ = new QPushButton(tr("Restore it…"));
    restore_->setToolTip(tr("Shows what the archive holds, and asks where to"));
    restore_->hide();
    connect(restore_, &QPushButton::clicked, this, [this] { Q_EMIT restoreWanted(archiveMade()); });
    addHeaderWidget(restore_);
    if (feed_->controller() != nullptr) addHeaderButtons();
    addExports();
    connectSelection();
    chart_->setRun(&feed_->state(), &feed_->throughput());
    connect(feed_, &RunFeed::changed, this, &RunPage::refresh);
    connect(&ThemeKeeper::instance(), &ThemeKeeper::changed, this, [this] {
        chart_->refresh();
        showOutcome();
    });
    refresh();
    refreshSlow();
}

QWidget* RunPage::makeTables() {
    tasks_ = new TaskModel(this);
    table_ = new TaskTable(tasks_);

    log_ = new LogModel(this);
    logView_ = new QListView;
    logView_->setObjectName(QStringLiteral("runLog"));
    logView_->setModel(log_);
    logView_->setWordWrap(true);
    logView_->setResizeMode(QListView::Adjust);
    logView_->setSelectionMode(QAbstractItemView::SingleSelection);
    logView_->setAccessibleName(tr("Log of the run"));
    connect(logView_, &QListView::clicked, log_,
            [this](const QModelIndex& row) { log_->toggle(row.row()); });
    auto* toggle = new QAction(logView_);
    toggle->setShortcuts({Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space});
    toggle->setShortcutContext(Qt::WidgetShortcut);
    logView_->addAction(toggle);
    connect(toggle, &QAction::triggered, log_,
            [this] { log_->toggle(logView_->currentIndex().row()); });

    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->addTab(table_, tr("Tasks"));
    tabs_->addTab(logView_, tr("Log"));
    details_ = new DetailsPanel(feed_->controller() != nullptr);
    details_->setMinimumWidth(240);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(tabs_);
    splitter->addWidget(details_);
    splitter->setStretchFactor(0, 7);
    splitter->setStretchFactor(1, 3);
    splitter->setSizes({740, 300});
    return splitter;
}

void RunPage::connectSelection() {
    connect(chart_, &GanttView::chosen, this, &RunPage::select);
    connect(chart_, &GanttView::rangeChosen, this, &RunPage::refreshDetails);
    connect(chart_, &GanttView::groupingChanged, this, &RunPage::shareRoom);
    connect(chart_, &GanttView::filterChanged, this, [this] {
        const QString filter = chart_->onlyMatches() ? chart_->search() : QString();
        if (filter != std::exchange(filter_, filter)) tasks_->setFilter(filter);
    });
    connect(tasks_, &TaskModel::arranged, this, [this] {
        keepSelected();
        refreshTabs();
    });
    connect(chart_, &GanttView::activated, this, [this] { details_->setFocus(); });
    connect(chart_, &GanttView::menuAsked, this, &RunPage::showMenu);
    const auto choose = [this](std::optional<TaskId> task) {
        if (selecting_ || !task) return;
        select(task);
        chart_->select(task, true);
    };
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, choose](const QModelIndex& row) { choose(tasks_->taskAt(row.row())); });
    connect(logView_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, choose](const QModelIndex& row) { choose(log_->taskAt(row.row())); });
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        if (const auto task = tasks_->taskAt(table_->indexAt(at).row())) {
            showMenu(*task, table_->viewport()->mapToGlobal(at));
        }
    });
    connect(details_, &DetailsPanel::cancelAsked, this, &RunPage::askCancelTask);
    connect(details_, &DetailsPanel::retryAsked, this, [this](TaskId task) { askRetry(task); });
    connect(details_, &DetailsPanel::logAsked, this, &RunPage::showLogOf);
}

void RunPage::select(std::optional<TaskId> task) {
    const bool nested = std::exchange(selecting_, true);
    selected_ = task;
    chart_->select(task, false);
    const int row = task ? tasks_->rowOf(*task) : -1;
    if (row < 0) {
        table_->clearSelection();
    } else if (table_->currentIndex().row() != row || !table_->selectionModel()->hasSelection()) {
        table_->selectRow(row);
        table_->scrollTo(tasks_->index(row, 0));
    }
    const int line = task ? log_->firstRowOf(*task) : -1;
    if (line >= 0) {
        logView_->setCurrentIndex(log_->index(line));
    } else {
        logView_->clearSelection();
    }
    selecting_ = nested;
    refreshDetails();
}

void RunPage::addHeaderButtons() {
    RunController* run = feed_->controller();
    throttle_ = new ThrottleButton;
    throttle_->hide();
    connect(throttle_, &ThrottleButton::changed, run, &RunController::setThrottle);
    addHeaderWidget(throttle_);
    pause_ = new QPushButton(tr("Pause"));
    pause_->setToolTip(tr("What runs goes on to its end; nothing new begins"));
    connect(pause_, &QPushButton::clicked, this, [run] { run->setPaused(!run->paused()); });
    addHeaderWidget(pause_);
    retry_ = new QPushButton;
    retry_->hide();
    connect(retry_, &QPushButton::clicked, this, [this] { askRetry({}); });
    addHeaderWidget(retry_);
    resume_ = new QPushButton(tr("Finish it…"));
    resume_->setObjectName(QStringLiteral("finish"));
    resume_->setToolTip(tr("Restores what is missing, and only that"));
    resume_->hide();
    connect(resume_, &QPushButton::clicked, this, &RunPage::askResume);
    addHeaderWidget(resume_);
    if (run->request().connection) {
        watch_ = new BackendWatch(*run->request().connection, this);
        details_->setBackends(&watch_->facts());
        connect(watch_, &BackendWatch::changed, this, &RunPage::refreshDetails);
    }
    cancel_ = new QPushButton(tr("Cancel…"));
    cancel_->setProperty("look", QStringLiteral("danger"));
    connect(cancel_, &QPushButton::clicked, this, &RunPage::askCancel);
    addHeaderWidget(cancel_);
    connect(run, &RunController::phaseChanged, this, &RunPage::refreshHeader);
    connect(run, &RunController::finished, this, [this] {
        refreshHeader();
        refresh();
        refreshSlow();
    });
    refreshHeader();
}

void RunPage::refreshHeader() {
    if (RunController* run = feed_->controller()) {
        const auto& begun = run->state().started();
        throttle_->setVisible(run->active() && begun && begun->operation == "vacuum");
        pause_->setVisible(run->active());
        pause_->setEnabled(run->phase() == RunPhase::Running);
        pause_->setText(run->paused() ? tr("Resume") : tr("Pause"));
        cancel_->setVisible(run->active());
        const bool stopping = run->phase() == RunPhase::Stopping;
        cancel_->setEnabled(!stopping);
        cancel_->setText(stopping ? tr("Stopping…") : tr("Cancel…"));
        const std::size_t failed = failedObjects({}).size();
        resume_->setVisible(canBeFinished());
        retry_->setVisible(failed > 0 && !canBeFinished());
        const bool refused = run->phase() == RunPhase::Refused;
        summary_->setVisible(!refused);
        bar_->setVisible(!refused);
        split_->setVisible(!refused);
        outcome_->setAlignment(refused ? Qt::AlignTop : Qt::AlignVCenter);
        retry_->setText(failed == 1 ? tr("Retry what failed…")
                                    : tr("Retry the %1 that failed…").arg(countText(failed)));
    } else if (feed_->state().started()) {
        setTitle(titleOf(*feed_->state().started()));
        setChips(chipsOf(*feed_->state().started()));
    }
    verify_->setVisible(!archiveMade().isEmpty());
    restore_->setVisible(!archiveMade().isEmpty());
    showOutcome();
}

QString RunPage::archiveMade() const {
    const events::RunState& run = feed_->state();
    if (!run.started() || run.started()->operation != "dump" || !run.finished()) return {};
    if (!run.finished()->cameToItsEnd()) return {};
    const auto file = run.started()->options.find("file");
    const bool known =
        file != run.started()->options.end() && std::filesystem::path(file->second).is_absolute();
    return known ? text(file->second) : QString();
}

void RunPage::showOutcome() {
    const Theme& theme = currentTheme();
    const RunController* run = feed_->controller();
    QString head;
    QString rest;
    QColor color = theme.error;
    if (run != nullptr && run->phase() == RunPhase::Refused && run->refusal()) {
        head = tr("Refused before anything was touched.");
        rest = describe(*run->refusal());
    } else if (run != nullptr && run->active() && run->paused()) {
        head = tr("Paused.");
        rest = tr("What was begun goes on to its end; nothing new begins until you resume.");
        color = theme.warning;
    } else if (feed_->state().finished()) {
        const OutcomeText outcome = outcomeOf(feed_->state());
        head = outcome.head;
        rest = outcome.rest + verdict();
        color = outcome.color;
    }
    const QString message =
        head.isEmpty()
            ? QString()
            : QStringLiteral("<span style='color:%1;font-weight:600'>%2</span> %3")
                  .arg(color.name(), head.toHtmlEscaped(), inOneLine(rest).toHtmlEscaped());
    outcome_->setVisible(!message.isEmpty());
    if (message != outcome_->text()) outcome_->setText(message);
}

void RunPage::refresh() {
    const events::RunState& run = feed_->state();
    summary_->show(run);
    bar_->show(run);
    chart_->refresh();
    insights_->observe(run);
    if (!soon_->isActive()) {
        soon_->start(run.tasks().size() > kManyTasks ? kSoonManyMs : kSoonMs);
    }
}

QString RunPage::verdict() const { return insights_->judgement().verdict; }

void RunPage::showInsight() {
    chart_->setInsight(insights_->insight());
    summary_->showBusy(insights_->insight().use);
    refreshDetails();
}

void RunPage::showJudgement() {
    const RunJudgement& judgement = insights_->judgement();
    details_->setOutlooks(judgement.outlooks, judgement.workers);
    refreshDetails();
    showOutcome();
}

void RunPage::refreshSlow() {
    const events::RunState& run = feed_->state();
    summary_->showTasks(run);
    // Only a restore's tasks have names of their own.
    const bool named = run.started() && run.started()->operation == "restore";
    table_->setTasksNamed(named);
    const bool nested = std::exchange(selecting_, true);
    tasks_->setRun(&run);
    log_->setRun(&run);
    selecting_ = nested;
    shareRoom();
    refreshTabs();
    refreshDetails();
    refreshHeader();
}

/// Few lanes leave the room that they do not need to the tables.
void RunPage::shareRoom() {
    const int room = split_->height();
    if (splitByUser_ || room < kLeastRoom) return;
    const int least = std::min(room * 2 / 5, kLeastChart);
    const int wanted = std::clamp(chart_->wantedHeight(), least, room * 13 / 20);
    if (std::abs(split_->sizes().front() - wanted) > 2) split_->setSizes({wanted, room - wanted});
}

/// In the table, wherever its row has gone to; the table does not follow it.
void RunPage::keepSelected() {
    const int row = selected_ ? tasks_->rowOf(*selected_) : -1;
    if (row < 0 || table_->selectionModel()->isRowSelected(row, {})) return;
    const bool nested = std::exchange(selecting_, true);
    const int scrolled = table_->verticalScrollBar()->value();
    table_->selectRow(row);
    table_->verticalScrollBar()->setValue(scrolled);
    selecting_ = nested;
}

/// What tabs and status bar count.
void RunPage::refreshTabs() {
    const events::RunState& run = feed_->state();
    const std::size_t all = run.tasks().size();
    const auto shown = static_cast<std::size_t>(tasks_->rowCount());
    tabs_->setTabText(0, shown == all
                             ? tr("Tasks (%1)").arg(countText(all))
                             : tr("Tasks (%1 of %2)").arg(countText(shown), countText(all)));
    tabs_->setTabText(1, log_->problems() == 0 ? tr("Log") : tr("Log (%1)").arg(log_->problems()));
    std::size_t ignored = 0;
    std::size_t fatal = 0;
    for (const std::size_t span : run.failures()) {
        const events::SpanState& failed = run.spans()[span];
        if (!failed.retried) ++(failed.ignored ? ignored : fatal);
    }
    // A span that fails as a whole and is passed over is told twice.
    std::size_t errors = std::max(ignored, run.ignoredErrors().size()) + fatal;
    // What ended it need not have been an item's.
    if (run.finished() && run.finished()->outcome == events::Outcome::Failed &&
        !run.finished()->brokenOff) {
        errors = std::max<std::size_t>(errors, 1);
    }
    setStatus({.left = lastNoticeOf(run).section(u'\n', 0, 0),
               .right = tr("%n errors", nullptr, static_cast<int>(errors)) + QStringLiteral(" · ") +
                        tr("%n notices", nullptr, static_cast<int>(run.notices().size()))});
}

void RunPage::refreshDetails() {
    details_->offerLog(selected_ && log_->firstRowOf(*selected_) >= 0);
    details_->offerRetry(selected_ && !failedObjects(selected_).empty());
    if (watch_ != nullptr) {
        std::vector<int32_t> pids;
        const auto task = feed_->state().tasks().find(selected_.value_or(TaskId{}));
        if (selected_ && isVisible() && task != feed_->state().tasks().end()) {
            for (const std::size_t index : task->second.spans) {
                const events::SpanState& span = feed_->state().spans()[index];
                if (span.running() && span.backendPid != 0) pids.push_back(span.backendPid);
            }
        }
        watch_->watch(pids);
    }
    details_->show(feed_->state(), feed_->throughput(), chart_->insight(), selected_,
                   chart_->selectedPart(), chart_->range());
}

void RunPage::askCancel() {
    auto* box =
        new QMessageBox(QMessageBox::Question, tr("Cancel the run?"),
                        feed_->state().started() && feed_->state().started()->operation == "vacuum"
                            ? tr("Every statement is stopped at the server. Tables that "
                                 "are done stay done, the others are as they were; an "
                                 "index that is being rebuilt keeps its old form.")
                            : tr("Every statement is stopped at the server. What is not "
                                 "finished by then is not there."),
                        QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* cancel = box->addButton(tr("Cancel the run"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Let it run"), QMessageBox::RejectRole));
    connect(cancel, &QPushButton::clicked, this, [this] { feed_->controller()->stop(); });
    box->open();
}

void RunPage::askCancelTask(TaskId task) {
    if (feed_->controller() == nullptr) return;
    const bool dump = feed_->state().started() && feed_->state().started()->operation == "dump";
    const QString object = text(feed_->state().tasks().at(task).object);
    auto* box = new QMessageBox(
        QMessageBox::Question, tr("Cancel this item?"),
        dump ? tr("Without %1 the archive would not be whole: the back-up ends.").arg(object)
             : tr("%1 is left out, and the run goes on without it.").arg(object),
        QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* cancel = box->addButton(tr("Cancel this item"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Let it run"), QMessageBox::RejectRole));
    connect(cancel, &QPushButton::clicked, this,
            [this, task] { feed_->controller()->cancelTask(task); });
    box->open();
}

std::vector<std::string> RunPage::failedObjects(std::optional<TaskId> task) const {
    const events::RunState& run = feed_->state();
    const RunController* controller = feed_->controller();
    std::vector<std::string> objects;
    if (controller == nullptr || !controller->request().again ||
        (run.finished() && run.finished()->outcome != events::Outcome::CompletedWithErrors)) {
        return objects;
    }
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < run.ignoredErrors().size(); ++i) {
        const std::string& object = run.ignoredErrors()[i].object;
        const bool wanted = !object.empty() && !isDamage(run.ignoredErrors()[i]) &&
                            (!task || run.ignoredAt()[i].second.task == *task);
        if (wanted && seen.insert(object).second) objects.push_back(object);
    }
    return objects;
}

void RunPage::askRetry(std::optional<TaskId> task) {
    const std::vector<std::string> objects = failedObjects(task);
    if (objects.empty()) return;
    constexpr std::size_t kNamed = 8;
    QStringList names;
    for (std::size_t i = 0; i < std::min(objects.size(), kNamed); ++i) names << text(objects[i]);
    if (objects.size() > kNamed) names << tr("and %1 more").arg(objects.size() - kNamed);
    auto* box = new QMessageBox(QMessageBox::Question, tr("Retry"), tr("Try again what failed?"),
                                QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    const auto& started = feed_->state().started();
    QString what = started && started->operation == "vacuum"
                       ? tr("A run of its own vacuums this again.")
                       : tr("A run of its own restores this from the archive; nothing is dropped "
                            "first.");
    if (feed_->controller()->active()) what += u' ' + tr("It goes on beside this one.");
    box->setInformativeText(
        tr("%1 Remove the cause of the failure before.\n\n%2").arg(what, names.join(u'\n')));
    QPushButton* retry = box->addButton(tr("Retry"), QMessageBox::AcceptRole);
    box->addButton(QMessageBox::Cancel);
    connect(retry, &QPushButton::clicked, this,
            [this, objects] { Q_EMIT runWanted(feed_->controller()->request().again(objects)); });
    box->open();
}

bool RunPage::canBeFinished() const {
    const RunController* run = feed_->controller();
    const events::RunState& state = feed_->state();
    if (run == nullptr || run->phase() != RunPhase::Finished || !run->request().resumed ||
        run->recordPath().empty() || !state.started() || !state.finished()) {
        return false;
    }
    // A plain script has no entries that could be told apart.
    return !state.finished()->cameToItsEnd() && state.started()->versions.contains("archive");
}

void RunPage::askResume() {
    auto* box = new QMessageBox(QMessageBox::Question, tr("Finish the restore"),
                                tr("Restore what is missing?"), QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    QString what =
        tr("A run of its own goes by the record of this one: tables and indexes that were finished "
           "stay as they are, the others come from the same archive into the same database.");
    if (feed_->state().finished()->outcome == events::Outcome::Failed) {
        what += u' ' + tr("Remove the cause of the failure before.");
    }
    box->setInformativeText(what);
    QPushButton* finish = box->addButton(tr("Finish it"), QMessageBox::AcceptRole);
    box->addButton(QMessageBox::Cancel);
    connect(finish, &QPushButton::clicked, this, [this] {
        const RunController* run = feed_->controller();
        Q_EMIT runWanted(run->request().resumed(run->recordPath()));
    });
    box->open();
}

void RunPage::showMenu(TaskId task, QPoint at) {
    const auto found = feed_->state().tasks().find(task);
    if (found == feed_->state().tasks().end()) return;
    const events::TaskState& state = found->second;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto copy = [](const QString& words) { QApplication::clipboard()->setText(words); };
    menu->addAction(tr("Copy name"), this, [copy, name = text(state.object)] { copy(name); });
    std::string statement;
    for (const std::size_t span : state.spans) {
        const auto& error = feed_->state().spans()[span].error;
        if (error && !error->statement.empty()) statement = error->statement;
    }
    QAction* copyStatement = menu->addAction(tr("Copy failed statement"), this,
                                             [copy, words = text(statement)] { copy(words); });
    copyStatement->setVisible(!statement.empty());
    menu->addAction(tr("Show in table"), this, [this, task] {
        tabs_->setCurrentIndex(0);
        select(task);
        table_->setFocus();
    });
    menu->addAction(tr("Show in chart"), this, [this, task] {
        select(task);
        chart_->select(task, true);
        chart_->setFocus();
    });
    menu->addAction(tr("Zoom to it"), this, [this, task] {
        select(task);
        chart_->fitChosen();
    });
    menu->addAction(tr("Show log lines"), this, [this, task] { showLogOf(task); })
        ->setEnabled(log_->firstRowOf(task) >= 0);
    if (feed_->controller() != nullptr && feed_->controller()->active()) {
        menu->addSeparator();
        menu->addAction(tr("Cancel this item…"), this, [this, task] { askCancelTask(task); })
            ->setEnabled(state.runningSpans > 0);
    }
    if (!failedObjects(task).empty()) {
        menu->addSeparator();
        menu->addAction(tr("Retry this item…"), this, [this, task] { askRetry(task); });
    }
    menu->popup(at);
}

void RunPage::showLogOf(TaskId task) {
    tabs_->setCurrentIndex(1);
    log_->unfold(task);
    const int row = log_->firstRowOf(task);
    if (row >= 0) logView_->scrollTo(log_->index(row));
    select(task);
}

void RunPage::addExports() {
    QMenu* menu = bar_->exportMenu();
    // A copy of the run as it is now is written down in the background.
    const auto copy = [this] { return std::make_shared<const events::RunState>(feed_->state()); };
    menu->addAction(tr("Picture of the chart (PNG)…"), this, [this] {
        save(tr("Export picture"), QStringLiteral("png"),
             [picture = picture()] { return pngOf(*picture); });
    });
    menu->addAction(tr("Drawing of the chart (SVG)…"), this, [this] {
        save(tr("Export drawing"), QStringLiteral("svg"),
             [picture = picture()] { return svgOf(*picture); });
    });
    menu->addAction(tr("Table of all tasks (CSV)…"), this, [this, copy] {
        save(tr("Export table"), QStringLiteral("csv"),
             [run = copy()] { return QByteArray::fromStdString(report::csvOf(*run)); });
    });
    menu->addAction(tr("Trace for Perfetto and Chrome (JSON)…"), this, [this, copy] {
        save(tr("Export trace"), QStringLiteral("json"),
             [run = copy()] { return QByteArray::fromStdString(events::traceOf(*run)); });
    });
    menu->addSeparator();
    menu->addAction(tr("Copy log"), this,
                    [this] { QApplication::clipboard()->setText(log_->allText()); });
}

std::shared_ptr<const ChartPicture> RunPage::picture() const {
    const auto run = std::make_shared<const events::RunState>(feed_->state());
    auto picture = std::make_shared<ChartPicture>(chart_->picture(run));
    picture->title = run->started() ? titleOf(*run->started()) : title();
    picture->facts = subtitleOf(*run);
    if (picture->showsPart()) {
        const Duration from = std::max(picture->scale.begin(), Duration::zero());
        const Duration to = std::min(picture->scale.end(), run->now());
        picture->title += QStringLiteral(" · ") + tr("from %1").arg(periodText(from, to));
    }
    return picture;
}

void RunPage::save(const QString& title, const QString& suffix, std::function<QByteArray()> make) {
    auto* dialog = new QFileDialog(this, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    const auto& began = feed_->state().started();
    const QString day = began ? momentText(began->startedAt).left(10) : QString();
    QString name = QStringLiteral("%1 %2").arg(this->title(), day).simplified();
    dialog->selectFile(name.replace(u' ', u'-').replace(u'/', u'-') + u'.' + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, make](const QString& path) {
        runAsync(
            this,
            [path, make](const std::stop_token&) {
                const QByteArray bytes = make();
                QSaveFile file(path);
                const bool done = file.open(QIODevice::WriteOnly) &&
                                  file.write(bytes) == bytes.size() && file.commit();
                if (!done) {
                    throw Error(ErrorKind::Io, file.errorString().toStdString(), path.toStdString(),
                                "Choose another place.");
                }
            },
            [this, path] {
                setStatus({.left = tr("Written: %1").arg(path), .right = status().right});
            },
            [this](const ErrorInfo& error) {
                auto* box = new QMessageBox(QMessageBox::Warning, tr("Not exported"),
                                            text(error.describe()), QMessageBox::Ok, this);
                box->setAttribute(Qt::WA_DeleteOnClose);
                box->open();
            });
    });
    dialog->open();
}

}  // namespace gantry::ui
