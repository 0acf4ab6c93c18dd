// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/desktop.h"

#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QStatusBar>

#include "core/history/history.h"
#include "ui/forms/window_words.h"
#include "ui/pages/backup_page.h"
#include "ui/pages/restore_page.h"
#include "ui/pages/runs_page.h"
#include "ui/pages/servers_page.h"
#include "ui/pages/tune_page.h"
#include "ui/pages/vacuum_page.h"
#include "ui/pages/verify_dialog.h"
#include "ui/pages/welcome_page.h"
#include "ui/run/compare_page.h"
#include "ui/run/run_page.h"
#include "ui/servers/import_dialog.h"
#include "ui/servers/server_dialog.h"
#include "ui/servers/server_import.h"
#include "ui/shell/application_icon.h"

namespace gantry::ui {
namespace {

const QString kBackup = QStringLiteral("backup");
const QString kRestore = QStringLiteral("restore");
const QString kVacuum = QStringLiteral("vacuum");  // the operation's name as well
const QString kTune = QStringLiteral("tune");
const QString kDumpOperation = QStringLiteral("dump");
const QString kRuns = QStringLiteral("runs");
const QString kThemeKey = QStringLiteral("appearance");
const QString kGeometryKey = QStringLiteral("window");
const QString kServerKey = QStringLiteral("server");  // that was aimed at last

QString within(const QString& folder, const char* name) {
    return folder.isEmpty() ? QString() : folder + u'/' + QLatin1String(name);
}

/// What tells a task from all others.
QString idOf(const SavedTask& task) { return task.operation + u'/' + task.name; }

QString serverKey(const QString& id) { return QStringLiteral("server:") + id; }

}  // namespace

Desktop::Desktop(const DesktopFolders& folders)
    : settings_(folders.config.isEmpty()
                    ? nullptr
                    : std::make_unique<QSettings>(within(folders.config, "gantry.ini"),
                                                  QSettings::IniFormat)),
      servers_(within(folders.config, "servers.json")),
      access_(servers_, secrets_),
      scratch_(servers_),
      runs_(folders.data.isEmpty() ? std::filesystem::path()
                                   : std::filesystem::weakly_canonical(history::usualFolder())),
      listFolder_(within(folders.data, "lists")),
      tasks_(within(folders.config, "tasks.json")),
      window_(servers_, runs_),
      notifier_(
          runs_, [this] { return window_.isAway(); }, [this] { return window_.quitsAtEnd(); }) {
    addPages();
    connectWindow();
    window_.setWindowIcon(applicationIcon());
    constexpr QSize kFirstSize(1280, 800);
    window_.resize(kFirstSize);
    // With its frame it would reach beyond a small screen.
    const QSize screen = window_.screen()->availableSize();
    if (screen.width() <= kFirstSize.width() || screen.height() <= kFirstSize.height()) {
        window_.setWindowState(Qt::WindowMaximized);
    }
    if (settings_) {
        window_.restoreGeometry(settings_->value(kGeometryKey).toByteArray());
        ThemeKeeper::instance().setMode(
            static_cast<ThemeMode>(settings_->value(kThemeKey, 0).toInt()));
    }
    window_.showThemeMode(ThemeKeeper::instance().mode());
    window_.showFirst(settings_ ? settings_->value(kServerKey).toString() : QString());
    scratch_.refresh();
    listRecords();
    listTasks();
}

Desktop::~Desktop() {
    if (!settings_) return;
    settings_->setValue(kGeometryKey, window_.saveGeometry());
    settings_->setValue(kServerKey, window_.currentServer());
}

void Desktop::openDemo() { scratch_.startDemo(&window_); }

void Desktop::openRecord(const QString& path) {
    runAsync(
        &window_, [path = path.toStdString()](const std::stop_token&) { return readRecord(path); },
        [this](const RunRecord& record) { window_.openRecord(record); },
        [this](const ErrorInfo& error) { showError(tr("The run was not opened"), error); });
}

void Desktop::listRecords() {
    if (runs_.historyFolder().empty()) return;
    runAsync(
        &window_,
        [folder = runs_.historyFolder()](const std::stop_token&) {
            constexpr std::size_t kShown = 8;
            return ui::listRecords(folder, kShown);
        },
        [this](const std::vector<RunRecord>& records) { window_.setRecords(records); },
        [this](const ErrorInfo& error) { showError(tr("Past runs were not read"), error); });
}

void Desktop::addPages() {
    window_.setServersPage([this] { return makeServersPage(); });
    window_.setWelcomePage([this] { return makeWelcomePage(); });
    window_.setRunPages(
        [this](RunController* run) {
            auto* page = new RunPage(run);
            connect(page, &RunPage::runWanted, &runs_, &RunList::start);
            connect(page, &RunPage::restoreWanted, this, &Desktop::restoreFrom);
            connect(page, &RunPage::verifyWanted, this, &Desktop::verify);
            return page;
        },
        [this](const std::filesystem::path& record) {
            auto* page = new RunPage(record);
            connect(page, &RunPage::restoreWanted, this, &Desktop::restoreFrom);
            connect(page, &RunPage::verifyWanted, this, &Desktop::verify);
            return page;
        });
    window_.setComparePage(
        [](const std::filesystem::path& one, const std::filesystem::path& other) {
            return new ComparePage(one, other);
        });
    window_.addWorkPage(kBackup, tr("Back up"),
                        [this] { return new BackupPage(servers_, access_, runs_, tasks_); });
    window_.addWorkPage(kRestore, tr("Restore"), [this] { return makeRestorePage(); });
    window_.addWorkPage(kVacuum, tr("Vacuum"),
                        [this] { return new VacuumPage(servers_, access_, runs_, tasks_); });
    window_.addWorkPage(kTune, tr("Tune"), [this] { return makeTunePage(); });
    if (!runs_.historyFolder().empty()) {
        window_.addWorkPage(kRuns, tr("Runs"), [this] { return makeRunsPage(); });
    }
}

void Desktop::connectWindow() {
    connect(&window_, &MainWindow::addServerWanted, this, [this] { editServer({}); });
    connect(&window_, &MainWindow::editServerWanted, this, &Desktop::editServer);
    connect(&window_, &MainWindow::importWanted, this, &Desktop::importServers);
    connect(&window_, &MainWindow::scratchWanted, this, [this] { scratch_.startEmpty(&window_); });
    connect(&window_, &MainWindow::demoWanted, this, [this] { scratch_.startDemo(&window_); });
    connect(&window_, &MainWindow::openRecordWanted, this, [this] {
        auto* dialog = new QFileDialog(&window_, tr("Open a recorded run"), QString(),
                                       tr("Recorded runs (*.jsonl *.jsonl.zst);;All files (*)"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, &Desktop::openRecord);
        dialog->open();
    });
    connect(&window_, &MainWindow::themeChosen, this, [this](ThemeMode mode) {
        ThemeKeeper::instance().setMode(mode);
        if (settings_) settings_->setValue(kThemeKey, static_cast<int>(mode));
    });
    connect(&scratch_, &ScratchServers::ready, this,
            [this](const QString& id) { window_.showPage(serverKey(id)); });
    connect(&scratch_, &ScratchServers::demoReady, this, [this](const QString& id) {
        // The demo is there to be backed up.
        backUp(id, QString::fromStdString(std::string(demo::kDatabase)));
    });
    connect(&scratch_, &ScratchServers::failed, this,
            [this](const QString& what, const ErrorInfo& error) {
                window_.setEnabled(true);
                showError(what, error);
            });
    window_.setCloseGuard([this] { return mayClose(); });
    connect(&window_, &MainWindow::leftToBackground, &notifier_, &Notifier::tellBackground);
    connect(&tasks_, &SavedTasks::changed, this, &Desktop::listTasks);
    connect(&servers_, &ServerStore::changed, this, &Desktop::listTasks);
    connect(&window_, &MainWindow::taskWanted, this, &Desktop::openTask);
    connect(&window_, &MainWindow::taskMenuWanted, this, &Desktop::showTaskMenu);
    connect(&notifier_, &Notifier::activated, &window_, &MainWindow::comeBack);
    connect(&secrets_, &SecretStore::keychainFailed, this, [this](const QString& reason) {
        QMessageBox::warning(&window_, tr("Keychain"), reason);
    });
}

bool Desktop::mayClose() {
    if (leaveServers_ || scratch_.madeSince().empty()) return true;
    QStringList names;
    for (const std::string& name : scratch_.madeSince()) names << QString::fromStdString(name);
    auto* box = new QMessageBox(
        QMessageBox::Question, tr("Close Gantry"),
        names.size() == 1
            ? tr("The throwaway server “%1” is still running.").arg(names[0])
            : tr("Throwaway servers are still running: %1.").arg(names.join(QStringLiteral(", "))),
        QMessageBox::NoButton, &window_);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(
        tr("Stopped, it goes with all that is in it. Left running, it is in the list again when "
           "Gantry is started the next time."));
    QPushButton* stop = box->addButton(tr("S&top it and quit"), QMessageBox::AcceptRole);
    QPushButton* leave = box->addButton(tr("&Leave it running"), QMessageBox::DestructiveRole);
    box->setEscapeButton(box->addButton(tr("&Stay"), QMessageBox::RejectRole));
    stop->setProperty("look", QLatin1String("danger"));
    box->setDefaultButton(leave);  // nothing is lost by pressing Enter
    connect(stop, &QPushButton::clicked, this, [this] {
        window_.setEnabled(false);
        window_.statusBar()->showMessage(tr("Stopping the server…"));
        scratch_.stopAllMadeSince([this] {
            window_.setEnabled(true);
            window_.close();
        });
    });
    connect(leave, &QPushButton::clicked, this, [this] {
        leaveServers_ = true;
        window_.close();
    });
    box->open();
    return false;
}

void Desktop::listTasks() {
    std::vector<MainWindow::TaskEntry> entries;
    for (const SavedTask& task : tasks_.tasks()) {
        const ServerProfile* server = servers_.find(task.serverId);
        const QString what = task.operation == kDumpOperation ? tr("Back up")
                             : task.operation == kVacuum      ? tr("Vacuum")
                                                              : tr("Restore");
        entries.push_back({.id = idOf(task),
                           .name = task.name,
                           .detail = {},
                           .toolTip = server ? tr("%1, %2").arg(what, server->name) : what});
    }
    window_.setTasks(entries);
}

const SavedTask* Desktop::findTask(const QString& id) const {
    for (const SavedTask& task : tasks_.tasks()) {
        if (idOf(task) == id) return &task;
    }
    return nullptr;
}

void Desktop::openTask(const QString& id) {
    const SavedTask* task = findTask(id);
    if (!task) return;
    if (servers_.find(task->serverId)) window_.setCurrentServer(task->serverId);
    const QString key = task->operation == kDumpOperation ? kBackup
                        : task->operation == kVacuum      ? kVacuum
                                                          : kRestore;
    window_.showPage(key);
    Page* page = window_.workPage(key);
    if (auto* backup = qobject_cast<BackupPage*>(page)) backup->openTask(*task);
    if (auto* restore = qobject_cast<RestorePage*>(page)) restore->openTask(*task);
    if (auto* vacuum = qobject_cast<VacuumPage*>(page)) vacuum->openTask(*task);
}

void Desktop::askDeleteTask(const QString& id) {
    const SavedTask* task = findTask(id);
    if (!task) return;
    confirmRemoval({.title = tr("Delete task"),
                    .question = tr("Delete the saved task “%1”?").arg(task->name),
                    .consequence = tr("Its choices are forgotten. What it has made stays."),
                    .action = tr("&Delete")},
                   [this, id] {
                       if (const SavedTask* chosen = findTask(id)) {
                           tasks_.remove(QString(chosen->name), QString(chosen->operation));
                       }
                   });
}

void Desktop::showTaskMenu(const QString& id, const QPoint& at) {
    const SavedTask* task = findTask(id);
    if (!task) return;
    auto* menu = new QMenu(&window_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (task->operation == kDumpOperation || task->operation == kVacuum) {
        menu->addAction(tr("Run now"), this, [this, id] {
            const SavedTask* chosen = findTask(id);
            if (!chosen) return;
            const QString key = chosen->operation == kVacuum ? kVacuum : kBackup;
            window_.showPage(key);
            Page* page = window_.workPage(key);
            if (auto* backup = qobject_cast<BackupPage*>(page)) backup->runTask(*chosen);
            if (auto* vacuum = qobject_cast<VacuumPage*>(page)) vacuum->runTask(*chosen);
        });
    }
    menu->addAction(tr("Open"), this, [this, id] { openTask(id); });
    menu->addSeparator();
    menu->addAction(tr("Delete…"), this, [this, id] { askDeleteTask(id); });
    menu->popup(at);
}

Page* Desktop::makeServersPage() {
    auto* page = new ServersPage(servers_, access_);
    connect(page, &ServersPage::editWanted, this, &Desktop::editServer);
    connect(page, &ServersPage::removeWanted, this, &Desktop::removeServer);
    connect(page, &ServersPage::backUpWanted, this, &Desktop::backUp);
    connect(page, &ServersPage::restoreWanted, this, &Desktop::restoreInto);
    connect(page, &ServersPage::vacuumWanted, this, &Desktop::vacuumThere);
    page->offerRestore(true);
    connect(page, &ServersPage::stopWanted, this,
            [this](const QString& id) { stopScratchServer(id); });
    connect(page, &ServersPage::startAgainWanted, this,
            [this](const QString& id) { scratch_.startAgain(id, &window_); });
    connect(&scratch_, &ScratchServers::ready, page, &ServersPage::serverCameUp);
    return page;
}

void Desktop::backUp(const QString& serverId, const QString& database) {
    window_.setCurrentServer(serverId);
    window_.showPage(kBackup);
    auto* page = qobject_cast<BackupPage*>(window_.workPage(kBackup));
    if (page) page->chooseDatabase(database);
}

void Desktop::restoreInto(const QString& serverId, const QString& database) {
    window_.setCurrentServer(serverId);
    window_.showPage(kRestore);
    auto* page = qobject_cast<RestorePage*>(window_.workPage(kRestore));
    if (page) page->chooseTarget(RestorePage::Target::Existing, database);
}

void Desktop::restoreFrom(const QString& archive) {
    window_.showPage(kRestore);
    auto* page = qobject_cast<RestorePage*>(window_.workPage(kRestore));
    if (page) page->openArchive(archive);
}

void Desktop::verify(const QString& archive) { (new VerifyDialog(archive, &window_))->open(); }

void Desktop::vacuumThere(const QString& serverId, const QString& database) {
    window_.setCurrentServer(serverId);
    window_.showPage(kVacuum);
    auto* page = qobject_cast<VacuumPage*>(window_.workPage(kVacuum));
    if (page) page->chooseDatabase(database);
}

Page* Desktop::makeRestorePage() {
    auto* page = new RestorePage(servers_, access_, runs_, tasks_, listFolder_);
    connect(page, &RestorePage::scratchStarted, this, [this](RunController* run) {
        connect(run, &RunController::finished, &scratch_, &ScratchServers::refresh);
    });
    return page;
}

Page* Desktop::makeRunsPage() {
    auto* page = new RunsPage(runs_.historyFolder());
    connect(page, &RunsPage::openWanted, &window_, &MainWindow::openRecord);
    connect(page, &RunsPage::compareWanted, &window_, &MainWindow::compareRecords);
    connect(page, &RunsPage::forgotten, &window_, &MainWindow::forgetRecords);
    connect(page, &RunsPage::backUpWanted, &window_, [this] { window_.showPage(kBackup); });
    connect(&runs_, &RunList::finished, page, &RunsPage::refresh);
    return page;
}

Page* Desktop::makeTunePage() {
    auto* page = new TunePage(servers_, access_, runs_.historyFolder());
    connect(page, &TunePage::openWanted, &window_, &MainWindow::openRecord);
    return page;
}

Page* Desktop::makeWelcomePage() {
    auto* page = new WelcomePage;
    connect(page, &WelcomePage::addWanted, this, [this] { editServer({}); });
    connect(page, &WelcomePage::importWanted, this, &Desktop::importServers);
    connect(page, &WelcomePage::demoWanted, this, [this] { scratch_.startDemo(&window_); });
    runAsync(
        page, [](const std::stop_token&) { return static_cast<int>(findServers().size()); },
        [page](int count) { page->setFound(count); }, [](const ErrorInfo&) {});
    return page;
}

void Desktop::editServer(const QString& id) {
    const ServerProfile* server = servers_.find(id);
    auto* dialog =
        new ServerDialog(server ? *server : ServerProfile(), secrets_.remembered(id), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const QString saved = servers_.save(dialog->profile());
        if (!dialog->password().isEmpty()) {
            secrets_.set(saved, dialog->password(), dialog->keepPassword());
        }
        window_.showPage(serverKey(saved));
        if (!servers_.problem().isEmpty()) {
            QMessageBox::warning(&window_, tr("Servers"), servers_.problem());
        }
    });
    dialog->open();
}

void Desktop::removeServer(const QString& id) {
    const ServerProfile* server = servers_.find(id);
    if (!server) return;
    confirmRemoval(
        {.title = tr("Remove a server"),
         .question = tr("Remove %1 from the list?").arg(server->name),
         .consequence =
             tr("The server itself is not touched. Its password is removed from the keychain."),
         .action = tr("&Remove")},
        [this, id] {
            secrets_.forget(id);
            servers_.remove(id);
        });
}

void Desktop::stopScratchServer(const QString& id) {
    const ServerProfile* server = servers_.find(id);
    if (!server) return;
    confirmRemoval({.title = tr("Stop a scratch server"),
                    .question = tr("Stop %1 and remove it?").arg(server->name),
                    .consequence = tr("All of its databases go with it."),
                    .action = tr("&Stop and remove")},
                   [this, id] { scratch_.stop(id, &window_); });
}

void Desktop::confirmRemoval(const Removal& removal, std::function<void()> carryOut) {
    auto* question = new QMessageBox(QMessageBox::Question, removal.title, removal.question,
                                     QMessageBox::NoButton, &window_);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setTextFormat(Qt::PlainText);
    question->setInformativeText(removal.consequence);
    QPushButton* remove = question->addButton(removal.action, QMessageBox::DestructiveRole);
    remove->setProperty("look", QLatin1String("danger"));
    question->setDefaultButton(question->addButton(QMessageBox::Cancel));
    connect(remove, &QPushButton::clicked, this, std::move(carryOut));
    question->open();
}

void Desktop::importServers() {
    runAsync(
        &window_, [](const std::stop_token&) { return findServers(); },
        [this](const std::vector<FoundServer>& found) {
            auto* dialog = new ImportDialog(found, servers_, &window_);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            connect(dialog, &QDialog::accepted, this, [this, dialog] {
                QString last;
                for (const ServerProfile& server : dialog->chosen()) last = servers_.save(server);
                if (!last.isEmpty()) window_.showPage(serverKey(last));
            });
            dialog->open();
        },
        [this](const ErrorInfo& error) { showError(tr("Servers were not imported"), error); });
}

void Desktop::showError(const QString& what, const ErrorInfo& error) {
    auto* box =
        new QMessageBox(QMessageBox::Critical, tr("Gantry"), what, QMessageBox::Close, &window_);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(describe(error));
    box->open();
}

}  // namespace gantry::ui
