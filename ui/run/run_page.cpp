// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_page.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include "core/events/trace_export.h"
#include "ui/forms/label.h"
#include "ui/gantt/gantt_view.h"
#include "ui/run/chart_bar.h"
#include "ui/run/details_panel.h"
#include "ui/run/log_model.h"
#include "ui/run/progress_delegate.h"
#include "ui/run/replay_bar.h"
#include "ui/run/run_export.h"
#include "ui/run/summary_strip.h"
#include "ui/run/task_model.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kSoonMs = 400;
constexpr std::size_t kManyTasks = 20'000;
constexpr int kSoonManyMs = 2000;

QString titleOf(const events::RunStarted& started) {
    const QString database = text(started.database);
    if (started.operation == "dump") return RunPage::tr("Back up %1").arg(database);
    if (started.operation == "restore") return RunPage::tr("Restore into %1").arg(database);
    if (started.operation == "vacuum") return RunPage::tr("Vacuum %1").arg(database);
    return QStringLiteral("%1 %2").arg(text(started.operation), database);
}

QStringList chipsOf(const events::RunStarted& started) {
    QStringList chips;
    const auto version = started.versions.find("server");
    if (version != started.versions.end()) {
        chips << RunPage::tr("PostgreSQL %1").arg(text(version->second).section(u' ', 0, 0));
    }
    for (const char* option : {"format", "compress"}) {
        const auto found = started.options.find(option);
        if (found != started.options.end()) chips << text(found->second);
    }
    if (!started.startedAt.empty()) chips << text(started.startedAt);
    return chips;
}

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
        outcome_->setText(text(error.describe()).toHtmlEscaped());
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
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(chart_);
    splitter->addWidget(makeTables());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter, 1);
    setContent(content);

    soon_ = new QTimer(this);
    soon_->setSingleShot(true);
    connect(soon_, &QTimer::timeout, this, &RunPage::refreshSlow);
    if (feed_->controller() != nullptr) addHeaderButtons();
    addExports();
    connectSelection();
    chart_->setRun(&feed_->state(), &feed_->throughput());
    connect(feed_, &RunFeed::changed, this, &RunPage::refresh);
    connect(&ThemeKeeper::instance(), &ThemeKeeper::changed, this, [this] { chart_->refresh(); });
    refresh();
    refreshSlow();
}

QWidget* RunPage::makeTables() {
    tasks_ = new TaskModel(this);
    table_ = new QTableView;
    table_->setObjectName(QStringLiteral("roomyTable"));
    table_->setModel(tasks_);
    table_->setItemDelegateForColumn(TaskModel::Progress, new ProgressDelegate(table_));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setSortingEnabled(true);
    table_->sortByColumn(TaskModel::State, Qt::AscendingOrder);
    table_->setTabKeyNavigation(false);
    table_->setAccessibleName(tr("Tasks of the run"));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(26);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->setHighlightSections(false);
    constexpr int kWidths[] = {170, 150, 64, 86, 74, 84, 96, 140};
    for (int i = 0; i < TaskModel::ColumnCount; ++i) table_->setColumnWidth(i, kWidths[i]);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);

    auto* taskSide = new QWidget;
    auto* column = new QVBoxLayout(taskSide);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(table_);

    log_ = new LogModel(this);
    logView_ = new QListView;
    logView_->setModel(log_);
    logView_->setWordWrap(true);
    logView_->setResizeMode(QListView::Adjust);
    logView_->setSelectionMode(QAbstractItemView::SingleSelection);
    logView_->setAccessibleName(tr("Log of the run"));

    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->addTab(taskSide, tr("Tasks"));
    tabs_->addTab(logView_, tr("Log"));
    auto* filter = new QLineEdit;
    filter->setPlaceholderText(tr("Filter: name, kind, state, >10s"));
    filter->setAccessibleName(tr("Filter of the tasks"));
    filter->setClearButtonEnabled(true);
    filter->setFixedWidth(220);
    auto* corner = new QWidget;
    auto* room = new QHBoxLayout(corner);
    room->setContentsMargins(0, 3, 10, 3);
    room->addWidget(filter);
    tabs_->setCornerWidget(corner);
    connect(filter, &QLineEdit::textChanged, tasks_, &TaskModel::setFilter);
    connect(tabs_, &QTabWidget::currentChanged, filter,
            [filter](int tab) { filter->setVisible(tab == 0); });

    details_ = new DetailsPanel(feed_->controller() != nullptr);
    details_->setMinimumWidth(240);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(tabs_);
    splitter->addWidget(details_);
    splitter->setStretchFactor(0, 7);
    splitter->setStretchFactor(1, 3);
    splitter->setSizes({700, 320});
    return splitter;
}

void RunPage::connectSelection() {
    connect(chart_, &GanttView::chosen, this, &RunPage::select);
    connect(chart_, &GanttView::rangeChosen, this, &RunPage::refreshDetails);
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
    connect(details_, &DetailsPanel::logAsked, this, &RunPage::showLogOf);
    connect(details_, &DetailsPanel::verdictChanged, this, [this] {
        refreshDetails();
        showOutcome();
    });
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
    pause_ = new QPushButton(tr("Pause"));
    pause_->setToolTip(tr("What runs goes on to its end; nothing new begins"));
    connect(pause_, &QPushButton::clicked, this, [run] { run->setPaused(!run->paused()); });
    addHeaderWidget(pause_);
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
        pause_->setVisible(run->active());
        pause_->setEnabled(run->phase() == RunPhase::Running);
        pause_->setText(run->paused() ? tr("Resume") : tr("Pause"));
        cancel_->setVisible(run->active());
        const bool stopping = run->phase() == RunPhase::Stopping;
        cancel_->setEnabled(!stopping);
        cancel_->setText(stopping ? tr("Stopping…") : tr("Cancel…"));
    } else if (feed_->state().started()) {
        setTitle(titleOf(*feed_->state().started()));
        setChips(chipsOf(*feed_->state().started()));
    }
    showOutcome();
}

void RunPage::showOutcome() {
    const Theme& theme = currentTheme();
    const RunController* run = feed_->controller();
    QString head;
    QString rest;
    QColor color = theme.error;
    if (run != nullptr && run->phase() == RunPhase::Refused && run->refusal()) {
        head = tr("Refused before anything was touched.");
        rest = text(run->refusal()->describe());
    } else if (const auto& end = feed_->state().finished()) {
        const QString took = durationText(feed_->state().now());
        switch (end->outcome) {
            case events::Outcome::Clean:
                head = tr("Finished without errors in %1.").arg(took);
                color = theme.good;
                break;
            case events::Outcome::CompletedWithErrors:
                head = end->ignoredErrors == 1
                           ? tr("Finished in %1, but an error was passed over.").arg(took)
                           : tr("Finished in %1, but %2 errors were passed over.")
                                 .arg(took, countText(end->ignoredErrors));
                rest = tr("The log lists what failed. ");
                break;
            case events::Outcome::Failed:
                head = tr("Failed after %1.").arg(took);
                break;
            case events::Outcome::Cancelled:
                head = tr("Cancelled after %1.").arg(took);
                color = theme.warning;
                break;
        }
        if (end->error) rest += text(end->error->describe()) + u' ';
        rest += details_->verdict();
    }
    const QString message =
        head.isEmpty() ? QString()
                       : QStringLiteral("<span style='color:%1;font-weight:600'>%2</span> %3")
                             .arg(color.name(), head.toHtmlEscaped(), rest.toHtmlEscaped());
    outcome_->setVisible(!message.isEmpty());
    if (message != outcome_->text()) outcome_->setText(message);
}

void RunPage::refresh() {
    const events::RunState& run = feed_->state();
    summary_->show(run);
    bar_->show(run);
    chart_->refresh();
    if (!soon_->isActive()) {
        soon_->start(run.tasks().size() > kManyTasks ? kSoonManyMs : kSoonMs);
    }
}

void RunPage::refreshSlow() {
    const events::RunState& run = feed_->state();
    const bool nested = std::exchange(selecting_, true);
    tasks_->setRun(&run);
    const int scrolled = table_->verticalScrollBar()->value();
    if (selected_) {
        const int row = tasks_->rowOf(*selected_);
        if (row >= 0 && table_->currentIndex().row() != row) table_->selectRow(row);
    }
    table_->verticalScrollBar()->setValue(scrolled);
    log_->setRun(&run);
    tabs_->setTabText(0, tr("Tasks (%1)").arg(countText(run.tasks().size())));
    tabs_->setTabText(1, log_->problems() == 0 ? tr("Log") : tr("Log (%1)").arg(log_->problems()));
    selecting_ = nested;
    refreshDetails();
    refreshHeader();
}

void RunPage::refreshDetails() {
    details_->show(feed_->state(), feed_->throughput(), selected_, chart_->range());
}

void RunPage::askCancel() {
    auto* box = new QMessageBox(QMessageBox::Question, tr("Cancel the run?"),
                                tr("Every statement is stopped at the server. What is not finished "
                                   "by then is not there."),
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
    menu->addAction(tr("Show log lines"), this, [this, task] { showLogOf(task); })
        ->setEnabled(log_->firstRowOf(task) >= 0);
    if (feed_->controller() != nullptr && feed_->controller()->active()) {
        menu->addSeparator();
        menu->addAction(tr("Cancel this item…"), this, [this, task] { askCancelTask(task); })
            ->setEnabled(state.runningSpans > 0);
    }
    menu->popup(at);
}

void RunPage::showLogOf(TaskId task) {
    tabs_->setCurrentIndex(1);
    const int row = log_->firstRowOf(task);
    if (row >= 0) logView_->scrollTo(log_->index(row));
    select(task);
}

void RunPage::addExports() {
    QMenu* menu = bar_->exportMenu();
    menu->addAction(tr("Picture of the chart (PNG)…"), this,
                    [this] { save(tr("Export picture"), QStringLiteral("png"), pngOf(*chart_)); });
    menu->addAction(tr("Drawing of the chart (SVG)…"), this, [this] {
        save(tr("Export drawing"), QStringLiteral("svg"), svgOf(*chart_, title()));
    });
    menu->addAction(tr("Table of all tasks (CSV)…"), this, [this] {
        save(tr("Export table"), QStringLiteral("csv"), csvOf(feed_->state()));
    });
    menu->addAction(tr("Trace for Perfetto and Chrome (JSON)…"), this, [this] {
        save(tr("Export trace"), QStringLiteral("json"),
             QByteArray::fromStdString(events::traceOf(feed_->state())));
    });
    menu->addSeparator();
    menu->addAction(tr("Copy log"), this,
                    [this] { QApplication::clipboard()->setText(log_->allText()); });
}

void RunPage::save(const QString& title, const QString& suffix, const QByteArray& bytes) {
    auto* dialog = new QFileDialog(this, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(QStringLiteral("gantry-run.%1").arg(suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this, bytes](const QString& path) {
        runAsync(
            this,
            [path, bytes](std::stop_token) {
                QSaveFile file(path);
                const bool done = file.open(QIODevice::WriteOnly) &&
                                  file.write(bytes) == bytes.size() && file.commit();
                if (!done) {
                    throw Error(ErrorKind::Io, file.errorString().toStdString(), path.toStdString(),
                                "Choose another place.");
                }
                return true;
            },
            [](bool) {},
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
