// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/main_window.h"

#include <QActionGroup>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/bridge/run_list.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/servers/server_store.h"
#include "ui/shell/close_dialog.h"
#include "ui/shell/notifier.h"
#include "ui/shell/page.h"
#include "ui/shell/run_tabs.h"
#include "ui/shell/side_bar.h"
#include "ui/shell/tray.h"

namespace gantry::ui {
namespace {

constexpr int kSideBarWidth = 228;
const QString kServerPrefix = QStringLiteral("server:");
const QString kAddServer = QStringLiteral("add-server");
const QString kTaskPrefix = QStringLiteral("task:");

QString keyOf(const RunRecord& record) {
    return QStringLiteral("record:") + QString::fromStdString(record.path.string());
}

QString titleOf(const RunRecord& record) {
    const QString database = QString::fromStdString(record.database);
    if (record.operation == "dump") return MainWindow::tr("Back up %1").arg(database);
    if (record.operation == "restore") return MainWindow::tr("Restore into %1").arg(database);
    if (record.operation == "vacuum") return MainWindow::tr("Vacuum %1").arg(database);
    return database;
}

/// The record of a run that is over is compressed, which lengthens the name that its log had.
bool isRecordOf(const std::filesystem::path& record, const std::filesystem::path& log) {
    return !log.empty() && record.string().starts_with(log.string());
}

/// How a run that began then ended, and when that was.
QString endedText(std::string_view startedAt, QChar mark) {
    return QStringLiteral("%1 %2").arg(whenText(startedAt), mark);
}

constexpr QChar kWell(0x2713);
constexpr QChar kWithErrors(u'!');
constexpr QChar kNotDone(0x2715);

QString detailOf(const RunRecord& record) {
    if (!record.status) return whenText(record.startedAt);
    switch (*record.status) {
        case history::Status::Running:
            return whenText(record.startedAt);
        case history::Status::Clean:
            return endedText(record.startedAt, kWell);
        case history::Status::CompletedWithErrors:
            return endedText(record.startedAt, kWithErrors);
        default:
            return endedText(record.startedAt, kNotDone);
    }
}

/// Empty while it goes on, or when it never began.
QString detailOf(const RunController& run) {
    const auto& began = run.state().started();
    const auto& ended = run.state().finished();
    if (!began || !ended) return {};
    if (!ended->cameToItsEnd()) return endedText(began->startedAt, kNotDone);
    const bool clean = ended->outcome == events::Outcome::Clean;
    return endedText(began->startedAt, clean ? kWell : kWithErrors);
}

}  // namespace

MainWindow::MainWindow(ServerStore& servers, RunList& runs, QWidget* parent)
    : QMainWindow(parent),
      servers_(servers),
      runs_(runs),
      sideBar_(new SideBar),
      tabs_(new RunTabs),
      pages_(new QStackedWidget),
      tray_(new Tray(runs, this)),
      statusLeft_(new QLabel),
      statusRight_(new QLabel) {
    auto* middle = new QWidget;
    auto* row = new QHBoxLayout(middle);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    sideBar_->setFixedWidth(kSideBarWidth);
    row->addWidget(sideBar_);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(tabs_);
    column->addWidget(pages_, 1);
    row->addLayout(column, 1);
    tabs_->hide();
    setCentralWidget(middle);
    statusBar()->setSizeGripEnabled(false);
    for (QLabel* label : {statusLeft_, statusRight_}) label->setTextFormat(Qt::PlainText);
    // What it says is as long as it is: it must not widen the window.
    statusLeft_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->addWidget(statusLeft_, 1);
    statusBar()->addPermanentWidget(statusRight_);
    makeMenus();

    connect(sideBar_, &SideBar::chosen, this, &MainWindow::choose);
    connect(sideBar_, &SideBar::menuWanted, this, &MainWindow::showEntryMenu);
    connect(tabs_, &RunTabs::chosen, this, &MainWindow::showPage);
    connect(tabs_, &RunTabs::closeWanted, this, &MainWindow::closeTab);
    connect(tray_, &Tray::windowWanted, this, &MainWindow::comeBack);
    connect(tray_, &Tray::cancelWanted, this, [this] {
        for (RunController* run : runs_.runs()) run->stop();
    });
    connect(&runs_, &RunList::finished, this, &MainWindow::quitIfThrough, Qt::QueuedConnection);
    connect(&servers_, &ServerStore::changed, this, &MainWindow::onServersChanged);
    connect(&runs_, &RunList::added, this, &MainWindow::addRun);
    connect(&runs_, &RunList::removed, this, &MainWindow::removeRun);
    connect(&ThemeKeeper::instance(), &ThemeKeeper::changed, this, &MainWindow::refreshServers);
    refreshServers();
    showTitle();
}

void MainWindow::addWorkPage(const QString& key, const QString& label, MakePage make) {
    workPages_.push_back({key, label, std::move(make)});
    refreshWork();
}

void MainWindow::setServersPage(MakePage make) { makeServersPage_ = std::move(make); }

void MainWindow::setWelcomePage(MakePage make) { makeWelcomePage_ = std::move(make); }

void MainWindow::setRunPages(MakeRunPage make, MakeRecordPage makeOfRecord) {
    makeRunPage_ = std::move(make);
    makeRecordPage_ = std::move(makeOfRecord);
}

void MainWindow::setRecords(const std::vector<RunRecord>& records) {
    for (const RunRecord& record : records) {
        const auto known = std::find_if(
            recordEntries_.begin(), recordEntries_.end(),
            [&record](const RecordEntry& entry) { return entry.record.path == record.path; });
        if (known == recordEntries_.end()) {
            recordEntries_.push_back({record});
        } else {
            known->record = record;  // a file that was opened does not say how the run ended
        }
    }
    refreshRuns();
}

void MainWindow::setTasks(const std::vector<TaskEntry>& tasks) {
    QList<SideBar::Entry> entries;
    for (const TaskEntry& task : tasks) {
        SideBar::Entry entry;
        entry.key = kTaskPrefix + task.id;
        entry.text = task.name;
        entry.detail = task.detail;
        entry.toolTip = task.toolTip;
        entry.action = true;
        entries.push_back(std::move(entry));
    }
    sideBar_->setEntries(SideBar::Section::Tasks, entries);
}

void MainWindow::forgetRecords(const std::vector<std::filesystem::path>& logs) {
    const auto isForgotten = [&logs](const std::filesystem::path& record) {
        return std::any_of(logs.begin(), logs.end(), [&record](const std::filesystem::path& log) {
            return isRecordOf(record, log);
        });
    };
    for (const RecordEntry& entry : recordEntries_) {
        if (isForgotten(entry.record.path)) closeTab(keyOf(entry.record));
    }
    std::erase_if(recordEntries_,
                  [&](const RecordEntry& entry) { return isForgotten(entry.record.path); });
    const std::vector<RunController*> runs = runs_.runs();  // those that go shorten the list
    for (RunController* run : runs) {
        if (isForgotten(run->recordPath())) runs_.remove(run);
    }
    refreshRuns();
}

QString MainWindow::listed(const RunRecord& record) {
    QString key = keyOf(record);
    const bool known =
        std::any_of(recordEntries_.begin(), recordEntries_.end(),
                    [&key](const RecordEntry& entry) { return keyOf(entry.record) == key; });
    if (!known) recordEntries_.insert(recordEntries_.begin(), RecordEntry{record});
    refreshRuns();
    return key;
}

void MainWindow::openRecord(const RunRecord& record) { showPage(listed(record)); }

void MainWindow::compareRecords(const RunRecord& one, const RunRecord& other) {
    const QString first = listed(one);
    compare(first, listed(other));
}

void MainWindow::setCurrentServer(const QString& id) {
    currentServer_ = id;
    aimPages();
    refreshServers();
}

void MainWindow::showPage(const QString& key) {
    if (key.startsWith(kServerPrefix)) return showServer(key.mid(kServerPrefix.size()));
    if (Page* page = workPage(key)) {
        if (currentServer_.isEmpty() && !servers_.servers().empty()) {
            setCurrentServer(servers_.servers().front().id);
        }
        return turnTo(page, key);
    }
    for (RunEntry& entry : runEntries_) {
        if (entry.key != key || !entry.page) continue;
        tabs_->open(key, entry.run->request().title);
        return turnTo(entry.page, key);
    }
    for (RecordEntry& entry : recordEntries_) {
        if (keyOf(entry.record) != key || !makeRecordPage_) continue;
        if (!entry.page) {
            entry.page = makeRecordPage_(entry.record.path);
            addPage(entry.page);
        }
        tabs_->open(key,
                    tr("%1 (%2)").arg(titleOf(entry.record), whenText(entry.record.startedAt)));
        return turnTo(entry.page, key);
    }
    if (const auto compared = comparePages_.find(key); compared != comparePages_.end()) {
        tabs_->open(key, {});
        turnTo(compared->second, key);
    }
}

void MainWindow::closeTab(const QString& key) {
    const QString other = tabs_->neighbour(key);
    tabs_->close(key);
    if (currentKey_ == key) {
        if (other.isEmpty()) {
            showFirst();
        } else {
            showPage(other);
        }
    }
    if (const auto compared = comparePages_.find(key); compared != comparePages_.end()) {
        delete compared->second;
        comparePages_.erase(compared);
    }
    // A record can be read again; a run that goes on does so, and stays in the side bar.
    for (RecordEntry& entry : recordEntries_) {
        if (keyOf(entry.record) == key) delete std::exchange(entry.page, nullptr);
    }
    showTabs();
}

std::filesystem::path MainWindow::recordOf(const QString& key) const {
    for (const RunEntry& entry : runEntries_) {
        if (entry.key == key && !entry.run->active()) return entry.run->recordPath();
    }
    for (const RecordEntry& entry : recordEntries_) {
        if (keyOf(entry.record) == key) return entry.record.path;
    }
    return {};
}

QString MainWindow::titleOfRun(const QString& key) const {
    for (const RunEntry& entry : runEntries_) {
        if (entry.key == key) return entry.run->request().title;
    }
    for (const RecordEntry& entry : recordEntries_) {
        if (keyOf(entry.record) != key) continue;
        return tr("%1 (%2)").arg(titleOf(entry.record), whenText(entry.record.startedAt));
    }
    return {};
}

void MainWindow::fillCompareMenu(QMenu* menu, const QString& key) {
    menu->clear();
    const bool possible = makeComparePage_ && !recordOf(key).empty();
    std::vector<QString> others;
    for (auto at = runEntries_.rbegin(); at != runEntries_.rend(); ++at) others.push_back(at->key);
    for (const RecordEntry& entry : recordEntries_) others.push_back(keyOf(entry.record));
    for (const QString& other : others) {
        if (!possible || other == key || recordOf(other).empty()) continue;
        menu->addAction(titleOfRun(other), this, [this, key, other] { compare(key, other); });
    }
    if (menu->isEmpty()) {
        menu->addAction(possible ? tr("There is no other run")
                                 : tr("Show a run that is over first"))
            ->setEnabled(false);
    }
}

void MainWindow::compare(const QString& one, const QString& other) {
    const QString key = QStringLiteral("compare:%1:%2").arg(one, other);
    Page*& page = comparePages_[key];
    if (!page) {
        page = makeComparePage_(recordOf(one), recordOf(other));
        addPage(page);
    }
    tabs_->open(key, tr("Compare %1").arg(titleOfRun(one)));
    turnTo(page, key);
}

void MainWindow::stepTab(int by) {
    if (tabs_->count() > 0) {
        tabs_->setCurrentIndex((tabs_->currentIndex() + by + tabs_->count()) % tabs_->count());
    }
}

/// Above the page of a run, if there is another one to turn to.
void MainWindow::showTabs() { tabs_->setVisible(tabs_->isOpen(currentKey_) && tabs_->count() > 1); }

void MainWindow::showServer(const QString& id) {
    if (!makeServersPage_ || !servers_.find(id)) return;
    if (!serversPage_) {
        serversPage_ = makeServersPage_();
        addPage(serversPage_);
    }
    setCurrentServer(id);
    turnTo(serversPage_, kServerPrefix + id);
}

void MainWindow::showFirst(const QString& wanted) {
    if (servers_.find(wanted)) return showServer(wanted);
    if (!servers_.servers().empty()) return showServer(servers_.servers().front().id);
    if (!makeWelcomePage_) return;
    if (!welcomePage_) {
        welcomePage_ = makeWelcomePage_();
        addPage(welcomePage_);
    }
    setCurrentServer({});
    turnTo(welcomePage_, {});
}

Page* MainWindow::currentPage() const { return qobject_cast<Page*>(pages_->currentWidget()); }

Page* MainWindow::workPage(const QString& key) {
    const auto at = std::find_if(workPages_.begin(), workPages_.end(),
                                 [&key](const WorkPage& work) { return work.key == key; });
    if (at == workPages_.end()) return nullptr;
    if (!at->page) {
        at->page = at->make();
        addPage(at->page);
        aim(at->page);
    }
    return at->page;
}

void MainWindow::addPage(Page* page) {
    pages_->addWidget(page);
    if (page->beginning()) page->beginning()->setFocus();
    connect(page, &Page::titleChanged, this, &MainWindow::showTitle);
    connect(page, &Page::statusChanged, this, &MainWindow::showStatus);
}

void MainWindow::showStatus() {
    const Page* page = currentPage();
    statusLeft_->setText(page ? page->status().left : QString());
    statusRight_->setText(page ? page->status().right : QString());
}

void MainWindow::choose(const QString& key) {
    const bool task = key.startsWith(kTaskPrefix);
    if (key != kAddServer && !task) return showPage(key);
    // A button among pages: the page that is shown stays marked.
    sideBar_->setCurrent(currentKey_);
    if (task) {
        Q_EMIT taskWanted(key.mid(kTaskPrefix.size()));
    } else {
        Q_EMIT addServerWanted();
    }
}

void MainWindow::showEntryMenu(const QString& key, const QPoint& at) {
    if (key.startsWith(kTaskPrefix)) Q_EMIT taskMenuWanted(key.mid(kTaskPrefix.size()), at);
    if (!titleOfRun(key).isEmpty()) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Show"), this, [this, key] { showPage(key); });
        fillCompareMenu(menu->addMenu(tr("Compare with")), key);
        menu->popup(at);
        return;
    }
    if (!key.startsWith(kServerPrefix)) return;
    const ServerProfile* server = servers_.find(key.mid(kServerPrefix.size()));
    if (!server || server->scratch) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Edit…"), this, [this, id = server->id] { Q_EMIT editServerWanted(id); });
    menu->popup(at);
}

void MainWindow::onServersChanged() {
    refreshServers();
    const bool gone = !currentServer_.isEmpty() && !servers_.find(currentServer_);
    const QWidget* shown = pages_->currentWidget();
    if (gone) {
        currentServer_.clear();
        if (shown == serversPage_) return showFirst();
    } else if (shown != nullptr && shown == welcomePage_ && !servers_.servers().empty()) {
        return showFirst();
    }
    aimPages();
}

void MainWindow::refreshServers() {
    QList<SideBar::Entry> entries;
    for (const ServerProfile& server : servers_.servers()) {
        SideBar::Entry entry;
        entry.key = kServerPrefix + server.id;
        entry.text = server.name;
        entry.detail = server.version.section(u'.', 0, 0);
        entry.dot = server.color.isValid() ? server.color
                    : server.production    ? currentTheme().production
                                           : currentTheme().muted;
        entry.strong = server.id == currentServer_;
        if (server.production) entry.toolTip = tr("Production");
        entries.push_back(std::move(entry));
    }
    SideBar::Entry add;
    add.key = kAddServer;
    add.text = tr("Add server…");
    add.faint = true;
    add.action = true;
    entries.push_back(std::move(add));
    sideBar_->setEntries(SideBar::Section::Servers, entries);
}

void MainWindow::refreshWork() {
    QList<SideBar::Entry> entries;
    goMenu_->clear();
    int number = 1;
    for (const WorkPage& work : workPages_) {
        SideBar::Entry entry;
        entry.key = work.key;
        entry.text = work.label;
        entries.push_back(std::move(entry));
        QAction* go = goMenu_->addAction(work.label);
        go->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number++)));
        connect(go, &QAction::triggered, this, [this, key = work.key] { showPage(key); });
    }
    goMenu_->menuAction()->setVisible(!workPages_.empty());
    sideBar_->setEntries(SideBar::Section::Work, entries);
}

void MainWindow::refreshRuns() {
    QList<SideBar::Entry> entries;
    // The latest on top.
    for (auto at = runEntries_.rbegin(); at != runEntries_.rend(); ++at) {
        SideBar::Entry entry;
        entry.key = at->key;
        entry.text = at->run->request().title;
        entry.detail = detailOf(*at->run);
        if (at->run->active()) entry.progress = at->run->state().fraction();
        entries.push_back(std::move(entry));
    }
    for (const RecordEntry& past : recordEntries_) {
        const bool above =
            std::any_of(runEntries_.begin(), runEntries_.end(), [&](const RunEntry& entry) {
                return isRecordOf(past.record.path, entry.run->recordPath());
            });
        if (above) continue;
        SideBar::Entry entry;
        entry.key = keyOf(past.record);
        entry.text = titleOf(past.record);
        entry.detail = detailOf(past.record);
        entries.push_back(std::move(entry));
    }
    sideBar_->setEntries(SideBar::Section::Runs, entries);
}

void MainWindow::addRun(RunController* run) {
    RunEntry entry{run, QStringLiteral("run:%1").arg(nextRun_++)};
    if (makeRunPage_) {
        entry.page = makeRunPage_(run);
        if (const ServerProfile* server = servers_.find(run->request().serverId)) {
            entry.page->aimAt(*server);
        }
        addPage(entry.page);
    }
    const QString key = entry.key;
    runEntries_.push_back(std::move(entry));
    connect(run, &RunController::changed, this, [this, run, key] {
        sideBar_->setProgress(key, run->state().fraction());
        tabs_->setProgress(key, static_cast<int>(run->state().fraction() * 100));
        showTitle();
    });
    connect(run, &RunController::phaseChanged, this, [this, run, key] {
        if (!run->active()) tabs_->setProgress(key, -1);
        refreshRuns();
        showTitle();
    });
    refreshRuns();
    showPage(key);
}

void MainWindow::removeRun(RunController* run) {
    const auto at = std::find_if(runEntries_.begin(), runEntries_.end(),
                                 [run](const RunEntry& entry) { return entry.run == run; });
    if (at == runEntries_.end()) return;
    const bool shown = at->page && pages_->currentWidget() == at->page;
    tabs_->close(at->key);
    delete at->page;
    runEntries_.erase(at);
    refreshRuns();
    if (shown) showFirst();
}

void MainWindow::turnTo(Page* page, const QString& key) {
    currentKey_ = key;
    pages_->setCurrentWidget(page);
    sideBar_->setCurrent(key);
    showTabs();
    // A page that was turned to and away from while another one was being shown does not stay.
    for (int i = 0; i < pages_->count(); ++i) {
        QWidget* each = pages_->widget(i);
        if (each != pages_->currentWidget()) each->hide();
    }
    showTitle();
    showStatus();
}

void MainWindow::showTitle() {
    const Page* page = currentPage();
    QString text = page ? tr("%1 — Gantry").arg(page->title()) : tr("Gantry");
    // Where the task bar shows no progress, its title does.
    if (const std::optional<double> share = overallProgress(runs_)) {
        text = tr("%1% · %2").arg(static_cast<int>(*share * 100)).arg(text);
    }
    if (text != windowTitle()) setWindowTitle(text);
}

void MainWindow::aim(Page* page) const {
    const ServerProfile* server = servers_.find(currentServer_);
    page->aimAt(server ? std::optional(*server) : std::nullopt);
}

void MainWindow::aimPages() const {
    for (const WorkPage& work : workPages_) {
        if (work.page) aim(work.page);
    }
    if (serversPage_) aim(serversPage_);
}

void MainWindow::comeBack() {
    quitting_ = false;
    QGuiApplication::setQuitOnLastWindowClosed(true);
    tray_->setShown(false);
    show();
    setWindowState(windowState() & ~Qt::WindowMinimized);
    raise();
    activateWindow();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (quitting_) return event->accept();
    for (const WorkPage& work : workPages_) {
        if (!work.page || work.page->underWay().isEmpty()) continue;
        event->ignore();
        return askToEnd(work.page);
    }
    if (!runs_.anyActive()) {
        event->setAccepted(!mayClose_ || mayClose_());
        return;
    }
    event->ignore();
    auto* dialog = new CloseDialog(runs_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &CloseDialog::keepRunningChosen, this, &MainWindow::leaveAtEnd);
    connect(dialog, &CloseDialog::cancelChosen, this, [this] {
        for (RunController* run : runs_.runs()) run->stop();
        closing_ = true;
    });
    dialog->open();
}

void MainWindow::askToEnd(Page* page) {
    auto* box = new QMessageBox(QMessageBox::Question, tr("Close Gantry"), page->underWay(),
                                QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(
        tr("It does not go on without the window. The runs that have ended are in the history; "
           "what it has made for itself is cleared away."));
    QPushButton* stop = box->addButton(tr("S&top it and quit"), QMessageBox::DestructiveRole);
    QPushButton* stay = box->addButton(tr("&Stay"), QMessageBox::RejectRole);
    setLook(stop, "danger");
    box->setDefaultButton(stay);
    box->setEscapeButton(stay);
    connect(stop, &QPushButton::clicked, this, [this, page] {
        page->endWork();
        close();
    });
    box->open();
}

void MainWindow::leaveAtEnd() {
    quitting_ = true;
    QGuiApplication::setQuitOnLastWindowClosed(false);
    hide();
    tray_->setShown(true);
    Q_EMIT leftToBackground();
    quitIfThrough();
}

void MainWindow::quitIfThrough() {
    if (runs_.anyActive()) return;
    if (quitting_) QCoreApplication::quit();
    if (std::exchange(closing_, false)) close();
}

void MainWindow::makeMenus() {
    const auto add = [](QMenu* menu, const QString& text, const QKeySequence& keys) {
        QAction* action = menu->addAction(text);
        action->setShortcut(keys);
        return action;
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    connect(add(file, tr("&Add server…"), QKeySequence::New), &QAction::triggered, this,
            &MainWindow::addServerWanted);
    connect(add(file, tr("&Import servers…"), {}), &QAction::triggered, this,
            &MainWindow::importWanted);
    file->addSeparator();
    connect(add(file, tr("New &scratch server"), {}), &QAction::triggered, this,
            &MainWindow::scratchWanted);
    connect(add(file, tr("Start the &demo server"), {}), &QAction::triggered, this,
            &MainWindow::demoWanted);
    file->addSeparator();
    connect(add(file, tr("&Open recorded run…"), QKeySequence::Open), &QAction::triggered, this,
            &MainWindow::openRecordWanted);
    file->addSeparator();
    connect(add(file, tr("&Quit"), QKeySequence::Quit), &QAction::triggered, this,
            &MainWindow::close);
    goMenu_ = menuBar()->addMenu(tr("&Work"));
    goMenu_->menuAction()->setVisible(false);
    makeViewMenu(menuBar()->addMenu(tr("&View")));
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    connect(help->addAction(tr("&About Gantry")), &QAction::triggered, this, [this] {
        auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Gantry"),
                                    tr("Gantry %1").arg(QCoreApplication::applicationVersion()),
                                    QMessageBox::Close, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->setInformativeText(
            tr("Backs up and restores PostgreSQL over many connections at "
               "once, and shows what each of them does. The PostgreSQL "
               "Licence."));
        box->open();
    });
}

void MainWindow::makeViewMenu(QMenu* menu) {
    themeActions_ = new QActionGroup(this);
    const std::pair<ThemeMode, QString> modes[] = {
        {ThemeMode::System, tr("As the &system")},
        {ThemeMode::Light, tr("&Light")},
        {ThemeMode::Dark, tr("&Dark")},
    };
    for (const auto& [mode, text] : modes) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(mode));
        themeActions_->addAction(action);
        connect(action, &QAction::triggered, this,
                [this, chosen = mode] { Q_EMIT themeChosen(chosen); });
    }
    menu->addSeparator();
    QAction* again = menu->addAction(tr("&Refresh"));
    again->setShortcut(QKeySequence::Refresh);
    connect(again, &QAction::triggered, this, [this] {
        if (Page* page = currentPage()) page->refresh();
    });
    QMenu* comparing = menu->addMenu(tr("&Compare this run with"));
    connect(comparing, &QMenu::aboutToShow, this,
            [this, comparing] { fillCompareMenu(comparing, currentKey_); });
    const auto addStep = [&](const QString& text, const QKeySequence& keys, int by) {
        QAction* action = menu->addAction(text);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, [this, by] { stepTab(by); });
    };
    addStep(tr("&Next run"), QKeySequence(QStringLiteral("Ctrl+Tab")), 1);
    addStep(tr("&Previous run"), QKeySequence(QStringLiteral("Ctrl+Shift+Tab")), -1);
    QAction* closing = menu->addAction(tr("&Close the run's tab"));
    closing->setShortcut(QKeySequence::Close);
    connect(closing, &QAction::triggered, this, [this] {
        if (tabs_->isOpen(currentKey_)) closeTab(currentKey_);
    });
    menu->addSeparator();
    QAction* sideBar = menu->addAction(tr("Go to the side &bar"));
    sideBar->setShortcut(QKeySequence(QStringLiteral("Ctrl+0")));
    connect(sideBar, &QAction::triggered, sideBar_,
            [this] { sideBar_->setFocus(Qt::ShortcutFocusReason); });
    QAction* full = menu->addAction(tr("&Full screen"));
    full->setShortcut(Qt::Key_F11);
    connect(full, &QAction::triggered, this,
            [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    showThemeMode(ThemeKeeper::instance().mode());
}

void MainWindow::showThemeMode(ThemeMode mode) {
    const QList<QAction*> actions = themeActions_->actions();
    for (QAction* action : actions) {
        action->setChecked(action->data().toInt() == static_cast<int>(mode));
    }
}

}  // namespace gantry::ui
