// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/main_window.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QStatusBar>
#include <algorithm>

#include "ui/bridge/run_list.h"
#include "ui/servers/server_store.h"
#include "ui/shell/page.h"
#include "ui/shell/side_bar.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kSideBarWidth = 208;
const QString kServerPrefix = QStringLiteral("server:");

}  // namespace

MainWindow::MainWindow(ServerStore& servers, RunList& runs, QWidget* parent)
    : QMainWindow(parent),
      servers_(servers),
      runs_(runs),
      sideBar_(new SideBar),
      pages_(new QStackedWidget),
      statusLeft_(new QLabel),
      statusRight_(new QLabel) {
    setWindowTitle(tr("Gantry"));
    auto* middle = new QWidget;
    auto* row = new QHBoxLayout(middle);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    sideBar_->setFixedWidth(kSideBarWidth);
    row->addWidget(sideBar_);
    row->addWidget(pages_, 1);
    setCentralWidget(middle);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(statusLeft_, 1);
    statusBar()->addPermanentWidget(statusRight_);

    connect(sideBar_, &SideBar::chosen, this, &MainWindow::showPage);
    connect(&servers_, &ServerStore::changed, this, &MainWindow::refreshServers);
    connect(&runs_, &RunList::added, this, &MainWindow::addRun);
    connect(&runs_, &RunList::removed, this, &MainWindow::removeRun);
    connect(&ThemeKeeper::instance(), &ThemeKeeper::changed, this, &MainWindow::refreshServers);
    refreshServers();
}

void MainWindow::addWorkPage(const QString& key, const QString& label, MakePage make) {
    workPages_.push_back({key, label, std::move(make)});
    refreshWork();
}

void MainWindow::setServersPage(MakePage make) { makeServersPage_ = std::move(make); }

void MainWindow::setRunPages(MakeRunPage make) { makeRunPage_ = std::move(make); }

void MainWindow::setCurrentServer(const QString& id) {
    currentServer_ = id;
    for (const WorkPage& work : workPages_) {
        if (work.page) aim(work.page);
    }
    if (serversPage_) aim(serversPage_);
    refreshServers();
}

void MainWindow::showPage(const QString& key) {
    if (key.startsWith(kServerPrefix)) {
        if (!makeServersPage_) return;
        if (!serversPage_) {
            serversPage_ = makeServersPage_();
            pages_->addWidget(serversPage_);
        }
        setCurrentServer(key.mid(kServerPrefix.size()));
        turnTo(serversPage_, key);
        return;
    }
    if (Page* page = workPage(key)) return turnTo(page, key);
    for (RunEntry& entry : runEntries_) {
        if (entry.key == key && entry.page) return turnTo(entry.page, key);
    }
}

Page* MainWindow::currentPage() const { return qobject_cast<Page*>(pages_->currentWidget()); }

Page* MainWindow::workPage(const QString& key) {
    const auto at = std::find_if(workPages_.begin(), workPages_.end(),
                                 [&key](const WorkPage& work) { return work.key == key; });
    if (at == workPages_.end()) return nullptr;
    if (!at->page) {
        at->page = at->make();
        pages_->addWidget(at->page);
        aim(at->page);
    }
    return at->page;
}

void MainWindow::setStatus(const QString& left, const QString& right) {
    statusLeft_->setText(left);
    statusRight_->setText(right);
}

void MainWindow::refreshServers() {
    QList<SideBar::Entry> entries;
    for (const ServerProfile& server : servers_.servers()) {
        SideBar::Entry entry;
        entry.key = kServerPrefix + server.id;
        entry.text = server.name;
        entry.detail = server.version.section(u'.', 0, 0);
        entry.dot = server.production        ? currentTheme().production
                    : server.color.isValid() ? server.color
                                             : currentTheme().muted;
        entry.strong = server.id == currentServer_;
        entries.push_back(std::move(entry));
    }
    sideBar_->setEntries(SideBar::Section::Servers, entries);
}

void MainWindow::refreshWork() {
    QList<SideBar::Entry> entries;
    for (const WorkPage& work : workPages_) {
        SideBar::Entry entry;
        entry.key = work.key;
        entry.text = work.label;
        entries.push_back(std::move(entry));
    }
    sideBar_->setEntries(SideBar::Section::Work, entries);
}

void MainWindow::refreshRuns() {
    QList<SideBar::Entry> entries;
    // The latest on top.
    for (auto at = runEntries_.rbegin(); at != runEntries_.rend(); ++at) {
        SideBar::Entry entry;
        entry.key = at->key;
        entry.text = at->run->request().title;
        if (at->run->active()) entry.progress = at->run->state().fraction();
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
        pages_->addWidget(entry.page);
    }
    const QString key = entry.key;
    runEntries_.push_back(std::move(entry));
    connect(run, &RunController::changed, this,
            [this, run, key] { sideBar_->setProgress(key, run->state().fraction()); });
    connect(run, &RunController::phaseChanged, this, &MainWindow::refreshRuns);
    refreshRuns();
    showPage(key);
}

void MainWindow::removeRun(RunController* run) {
    const auto at = std::find_if(runEntries_.begin(), runEntries_.end(),
                                 [run](const RunEntry& entry) { return entry.run == run; });
    if (at == runEntries_.end()) return;
    delete at->page;
    runEntries_.erase(at);
    refreshRuns();
}

void MainWindow::turnTo(Page* page, const QString& key) {
    pages_->setCurrentWidget(page);
    sideBar_->setCurrent(key);
    setWindowTitle(tr("%1 — Gantry").arg(page->title()));
}

void MainWindow::aim(Page* page) const {
    const ServerProfile* server = servers_.find(currentServer_);
    page->aimAt(server ? std::optional(*server) : std::nullopt);
}

}  // namespace gantry::ui
