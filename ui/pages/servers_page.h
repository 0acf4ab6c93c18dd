// SPDX-License-Identifier: PostgreSQL
// One server: how it is reached, what it holds, and what to do with it.
#pragma once

#include <functional>

#include "ui/servers/server_access.h"
#include "ui/servers/server_probe.h"
#include "ui/shell/page.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QStandardItemModel;
class QTreeView;

namespace gantry::ui {

class ErrorPanel;

/// Connects whenever it is aimed at another server, and when asked to.
class ServersPage : public Page {
    Q_OBJECT
public:
    ServersPage(ServerStore& servers, ServerAccess& access, QWidget* parent = nullptr);

    /// What was learnt last; empty while nothing is known.
    const std::optional<ServerFacts>& facts() const { return facts_; }
    /// Offers to restore into a database here, if there is something that can.
    void offerRestore(bool offered);
    void refresh() override { connectNow(); }
    /// Connects again if it shows this server.
    void serverCameUp(const QString& serverId);

Q_SIGNALS:
    void editWanted(const QString& serverId);
    /// A scratch server that does not answer.
    void startAgainWanted(const QString& serverId);
    void stopWanted(const QString& serverId);
    void removeWanted(const QString& serverId);
    void backUpWanted(const QString& serverId, const QString& database);
    void restoreWanted(const QString& serverId, const QString& database);
    void vacuumWanted(const QString& serverId, const QString& database);

private:
    QWidget* makeState();
    QWidget* makeDatabases();
    QWidget* makeFoot();
    void turn();
    void connectNow();
    void showFacts(const ServerFacts& facts);
    void showFailure(const ErrorInfo& error);
    void showChosen();
    QString chosenDatabase() const;

    ServerStore& servers_;
    ServerAccess& access_;
    AccessJob job_;
    QString shownServer_;
    ServerProfile shownProfile_;
    std::optional<ServerFacts> facts_;

    QLabel* state_;
    ErrorPanel* failure_;
    QPushButton* passwordButton_;
    QPushButton* startAgainButton_;
    QPushButton* editFailedButton_;
    QPushButton* refreshButton_;
    QPushButton* editButton_;
    QPushButton* removeButton_;
    QWidget* databases_;
    QLineEdit* search_;
    QLabel* total_;
    QTreeView* table_;
    QStandardItemModel* model_;
    QSortFilterProxyModel* sorted_;
    QPushButton* vacuumButton_;
    QPushButton* restoreButton_;
    QPushButton* backUpButton_;
};

}  // namespace gantry::ui
