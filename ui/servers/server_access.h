// SPDX-License-Identifier: PostgreSQL
// Connections to the user's servers, with the password found or asked for on the way.
#pragma once

#include <QHash>
#include <QPointer>
#include <QWidget>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/options/connection_options.h"
#include "ui/bridge/async.h"
#include "ui/servers/secret_store.h"
#include "ui/servers/server_store.h"

namespace gantry::ui {

/// Work with a server that is under way; stop() ends it and drops what it would have delivered.
class AccessJob {
public:
    void stop();
    bool running() const;

private:
    friend class ServerAccess;
    struct State;
    std::shared_ptr<State> state_;
};

/// GUI thread; nothing waits.
class ServerAccess : public QObject {
    Q_OBJECT
public:
    using Failed = std::function<void(const ErrorInfo&)>;

    ServerAccess(ServerStore& servers, SecretStore& secrets, QObject* parent = nullptr);

    /// How to reach `database` of the server, with the password as far as it is known: for runs,
    /// which begin after their page has been connected.
    options::ConnectionOptions connection(const QString& serverId,
                                          const QString& database = {}) const;

    /// Calls `work(const ConnectionOptions&, std::stop_token)` in the pool, then `done(result)` or
    /// `failed(const ErrorInfo&)` on the GUI thread; neither once `context` has gone. Should the
    /// server want a password, the keychain is asked, then the user, and `work` is called again.
    template <class Work, class Done>
    AccessJob run(QWidget* context, const QString& serverId, const QString& database, Work work,
                  Done done, Failed failed) {
        return begin(
            context, serverId, database,
            [context, work, done](const options::ConnectionOptions& options, Failed onError) {
                return runAsync(
                    context,
                    [work, options](std::stop_token stop) {
                        return work(options, std::move(stop));
                    },
                    done, std::move(onError));
            },
            std::move(failed));
    }

    /// Asks for a password in a dialog, which says so where one is known and was `refused`;
    /// `then(true)` once one was entered.
    void askPassword(QWidget* parent, const QString& serverId, bool refused,
                     std::function<void(bool)> then);

private:
    friend class AccessJob;
    using Start = std::function<AsyncJob(const options::ConnectionOptions&, Failed)>;

    AccessJob begin(QWidget* context, const QString& serverId, const QString& database, Start start,
                    Failed failed);
    void attempt(const std::shared_ptr<AccessJob::State>& state);
    void onFailure(const std::shared_ptr<AccessJob::State>& state, const ErrorInfo& error,
                   const std::optional<std::string>& usedPassword);

    ServerStore& servers_;
    SecretStore& secrets_;
    /// Who waits for the answer of the dialog that is open for a server.
    QHash<QString, std::vector<std::function<void(bool)>>> asking_;
};

}  // namespace gantry::ui
