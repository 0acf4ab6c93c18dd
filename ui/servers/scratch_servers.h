// SPDX-License-Identifier: PostgreSQL
// Throwaway servers of this machine among the others: found, started, filled, stopped.
#pragma once

#include <QObject>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/demo/demo_database.h"
#include "core/scratch/scratch_server.h"
#include "ui/bridge/async.h"
#include "ui/servers/server_store.h"

namespace gantry::ui {

class ProgressDialog;

/// GUI thread; the work is done elsewhere.
class ScratchServers : public QObject {
    Q_OBJECT
public:
    explicit ScratchServers(ServerStore& servers, QObject* parent = nullptr);

    /// Looks which there are.
    void refresh();
    /// An empty one, with a dialog over `parent` that can cancel it.
    void startEmpty(QWidget* parent);
    /// One with the demo database; the one that runs already if there is one, or was left behind.
    /// It is filled anew if its filling was interrupted.
    void startDemo(QWidget* parent);
    /// One that was left behind, with all that is in it; the demo as startDemo() does.
    void startAgain(const QString& id, QWidget* parent);
    /// Stops it and removes all that belongs to it.
    void stop(const QString& id, QWidget* parent);

    /// Names of those that run and did not when the application started.
    const std::vector<std::string>& madeSince() const { return madeSince_; }
    /// Stops and removes these; `then` once they are gone.
    void stopAllMadeSince(std::function<void()> then);

Q_SIGNALS:
    /// One has come up; it is in the list.
    void ready(const QString& id);
    /// After that, if it was the demo that was asked for.
    void demoReady(const QString& id);
    void failed(const QString& what, const gantry::ErrorInfo& error);

private:
    using OnText = std::function<void(std::string_view)>;
    /// Returns the name of a server that runs and goes on without us.
    using Begin =
        std::function<std::string(const OnText&, const demo::OnStep&, const std::stop_token&)>;

    /// Starts one unless it runs; `then` once it is in the list.
    void startNamed(const std::string& name, const QString& title, QWidget* parent,
                    std::function<void()> then);
    void start(const QString& title, QWidget* parent, Begin begin, std::function<void()> then);
    void show(const std::vector<scratch::ScratchInfo>& servers);

    ServerStore& servers_;
    std::optional<std::set<std::string>> before_;  ///< the application started
    std::vector<std::string> madeSince_;
};

/// The id of the profile of the scratch server of that name.
QString scratchId(const std::string& name);

}  // namespace gantry::ui
