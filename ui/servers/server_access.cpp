// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_access.h"

#include "ui/servers/password_dialog.h"
#include "ui/servers/server_probe.h"

namespace gantry::ui {

struct AccessJob::State {
    QPointer<QWidget> context;
    QString serverId;
    QString database;
    ServerAccess::Start start;
    ServerAccess::Failed failed;
    bool wanted = true;
    AsyncJob job;  ///< the attempt under way
    bool attempted = false;
};

void AccessJob::stop() {
    if (!state_) return;
    state_->wanted = false;
    state_->job.stop();
}

bool AccessJob::running() const {
    return state_ && state_->wanted && (!state_->attempted || state_->job.running());
}

ServerAccess::ServerAccess(ServerStore& servers, SecretStore& secrets, QObject* parent)
    : QObject(parent), servers_(servers), secrets_(secrets) {}

options::ConnectionOptions ServerAccess::connection(const QString& serverId,
                                                    const QString& database) const {
    const ServerProfile* server = servers_.find(serverId);
    options::ConnectionOptions options =
        server ? connectionTo(*server, database) : options::ConnectionOptions();
    if (const auto password = secrets_.remembered(serverId)) {
        options.password = password->toStdString();
    }
    return options;
}

AccessJob ServerAccess::begin(QWidget* context, const QString& serverId, const QString& database,
                              Start start, Failed failed) {
    AccessJob job;
    job.state_ = std::make_shared<AccessJob::State>(AccessJob::State{
        context, serverId, database, std::move(start), std::move(failed), true, {}, false});
    const ServerProfile* server = servers_.find(serverId);
    if (server && server->scratch) {  // it lets its owner in
        attempt(job.state_);
    } else {
        secrets_.look(serverId, [this, state = job.state_](const std::optional<QString>&) {
            attempt(state);
        });
    }
    return job;
}

void ServerAccess::attempt(const std::shared_ptr<AccessJob::State>& state) {
    if (!state->wanted || !state->context) return;
    const options::ConnectionOptions options = connection(state->serverId, state->database);
    state->attempted = true;
    state->job =
        state->start(options, [this, state, used = options.password](const ErrorInfo& error) {
            onFailure(state, error, used);
        });
}

void ServerAccess::onFailure(const std::shared_ptr<AccessJob::State>& state, const ErrorInfo& error,
                             const std::optional<std::string>& usedPassword) {
    const auto giveUp = [state, error] {
        if (!state->wanted || !state->context) return;
        state->wanted = false;
        state->failed(error);
    };
    if (!wantsPassword(error)) return giveUp();
    // Somebody else has been given one in the meantime.
    if (connection(state->serverId).password != usedPassword) return attempt(state);
    state->attempted = false;
    askPassword(state->context, state->serverId, usedPassword.has_value(),
                [this, state, giveUp](bool given) {
                    if (given) {
                        attempt(state);
                    } else {
                        giveUp();
                    }
                });
}

void ServerAccess::askPassword(QWidget* parent, const QString& serverId, bool refused,
                               std::function<void(bool)> then) {
    auto& waiting = asking_[serverId];
    waiting.push_back(std::move(then));
    if (waiting.size() > 1) return;
    const ServerProfile* server = servers_.find(serverId);
    auto* dialog = new PasswordDialog(server ? *server : ServerProfile(), refused, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::finished, this, [this, dialog, serverId](int result) {
        const bool given = result == QDialog::Accepted;
        if (given) secrets_.set(serverId, dialog->password(), dialog->keep());
        for (const auto& answer : asking_.take(serverId)) answer(given);
    });
    dialog->open();
}

}  // namespace gantry::ui
