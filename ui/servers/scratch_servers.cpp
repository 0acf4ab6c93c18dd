// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/scratch_servers.h"

#include <QPointer>
#include <algorithm>

#include "ui/forms/progress_dialog.h"

namespace gantry::ui {
namespace {

constexpr const char* kPrefix = "scratch:";

ServerProfile profileOf(const scratch::ScratchInfo& info) {
    ServerProfile server;
    server.id = scratchId(info.name);
    server.name = ScratchServers::tr("%1 (scratch)").arg(QString::fromStdString(info.name));
    server.host = QString::fromStdString(info.socketFolder().string());
    server.port = QStringLiteral("5432");
    server.user = QStringLiteral("postgres");
    server.database = QStringLiteral("postgres");
    server.version = QString::fromStdString(info.version);
    server.scratch = true;
    return server;
}

std::string nameOf(const QString& id) {
    return id.mid(static_cast<int>(qstrlen(kPrefix))).toStdString();
}

std::string leaveRunning(scratch::ScratchServer server) {
    server.release();
    return server.info().name;
}

/// What there is, and what is missing of the one that is asked for.
struct Found {
    std::vector<scratch::ScratchInfo> servers;
    std::optional<scratch::ScratchInfo> running;
    bool filled = true;  ///< as a demo has to be
};

Found find(const std::string& name, const std::stop_token& stop) {
    Found found{.servers = scratch::listServers(), .running = {}};
    for (const scratch::ScratchInfo& info : found.servers) {
        if (info.name != name || info.state != scratch::ScratchState::Running) continue;
        found.running = info;
        found.filled = name != demo::kServerName || demo::isFilled(info, stop);
    }
    return found;
}

}  // namespace

QString scratchId(const std::string& name) {
    return QLatin1String(kPrefix) + QString::fromStdString(name);
}

ScratchServers::ScratchServers(ServerStore& servers, QObject* parent)
    : QObject(parent), servers_(servers) {}

void ScratchServers::refresh() {
    runAsync(
        this, [](const std::stop_token&) { return scratch::listServers(); },
        [this](const std::vector<scratch::ScratchInfo>& servers) { show(servers); },
        // A folder that cannot be read holds none that could be reached.
        [this](const ErrorInfo&) { show({}); });
}

void ScratchServers::show(const std::vector<scratch::ScratchInfo>& servers) {
    std::set<std::string> names;
    for (const scratch::ScratchInfo& info : servers) names.insert(info.name);
    if (!before_) before_ = names;
    std::vector<ServerProfile> profiles;
    madeSince_.clear();
    for (const scratch::ScratchInfo& info : servers) {
        const bool running = info.state == scratch::ScratchState::Running;
        // What was left behind is offered to be started again on its page.
        if (running || info.canStartAgain()) profiles.push_back(profileOf(info));
        if (running && !before_->contains(info.name)) madeSince_.push_back(info.name);
    }
    servers_.setScratchServers(profiles);
}

void ScratchServers::startEmpty(QWidget* parent) {
    start(
        tr("Starting a scratch server"), parent,
        [](const OnText& onText, const demo::OnStep&, const std::stop_token& stop) {
            scratch::ScratchOptions options;
            options.onStep = onText;
            return leaveRunning(scratch::ScratchServer::start(options, stop));
        },
        [] {});
}

void ScratchServers::startDemo(QWidget* parent) {
    const std::string name(demo::kServerName);
    startNamed(name, tr("Starting the demo server"), parent,
               [this, name] { Q_EMIT demoReady(scratchId(name)); });
}

void ScratchServers::startAgain(const QString& id, QWidget* parent) {
    const std::string name = nameOf(id);
    startNamed(name, tr("Starting %1 again").arg(QString::fromStdString(name)), parent, [] {});
}

void ScratchServers::startNamed(const std::string& name, const QString& title, QWidget* parent,
                                std::function<void()> then) {
    const Begin begin = [name](const OnText& onText, const demo::OnStep& onStep,
                               const std::stop_token& stop) {
        scratch::ScratchOptions options;
        options.name = name;
        options.onStep = onText;
        return leaveRunning(name == demo::kServerName
                                ? demo::startFilled(options, demo::usualJobs(), onStep, stop)
                                : scratch::ScratchServer::startAgain(options, stop));
    };
    // One that runs already is known once the folders have been looked at.
    runAsync(
        parent, [name](const std::stop_token& stop) { return find(name, stop); },
        [this, name, title, parent, begin, then](const Found& found) {
            show(found.servers);
            if (!found.running) return start(title, parent, begin, then);
            if (!found.filled) {
                const Begin fill = [running = *found.running](const OnText& onText,
                                                              const demo::OnStep& onStep,
                                                              const std::stop_token& stop) {
                    demo::fillUp(running, demo::usualJobs(), onText, onStep, stop);
                    return running.name;
                };
                return start(title, parent, fill, then);
            }
            Q_EMIT ready(scratchId(name));
            then();
        },
        [this, title](const ErrorInfo& error) { Q_EMIT failed(title, error); });
}

void ScratchServers::start(const QString& title, QWidget* parent, Begin begin,
                           std::function<void()> then) {
    auto* dialog = new ProgressDialog(title, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const QPointer<ProgressDialog> guard(dialog);
    const auto stopSource = std::make_shared<std::stop_source>();
    const OnText onText = [guard](std::string_view text) {
        postToGui([guard, step = QString::fromUtf8(text.data(), static_cast<int>(text.size()))] {
            if (guard) guard->setStep(step.left(1).toUpper() + step.mid(1) + u'…');
        });
    };
    const demo::OnStep onStep = [guard](const demo::Step& step) {
        postToGui([guard, done = static_cast<int>(step.done), all = static_cast<int>(step.all)] {
            if (!guard) return;
            guard->setProgress(done, all);
            guard->setStep(tr("Filling the demo database: %1 of %2").arg(done).arg(all));
        });
    };
    connect(dialog, &ProgressDialog::cancelled, this,
            [stopSource] { startInPool([stopSource] { stopSource->request_stop(); }); });
    const auto close = [guard] {
        if (guard) guard->finish();
    };
    // The stop comes by the dialog, so that a cancelled start is waited for until it has cleaned
    // up.
    runAsync(
        this,
        [begin, onText, onStep, stopSource](const std::stop_token&) {
            std::string name = begin(onText, onStep, stopSource->get_token());
            return std::pair(std::move(name), scratch::listServers());
        },
        [this, close, then](const std::pair<std::string, std::vector<scratch::ScratchInfo>>& now) {
            close();
            show(now.second);
            Q_EMIT ready(scratchId(now.first));
            then();
        },
        [this, close, title](const ErrorInfo& error) {
            close();
            if (error.kind != ErrorKind::Cancelled) Q_EMIT failed(title, error);
        });
    dialog->open();
}

void ScratchServers::stopAllMadeSince(std::function<void()> then) {
    runAsync(
        this,
        [names = madeSince_](const std::stop_token&) {
            for (const std::string& name : names) scratch::stopServer(name);
        },
        [this, then] {
            madeSince_.clear();
            then();
        },
        [this](const ErrorInfo& error) {
            refresh();
            Q_EMIT failed(tr("A scratch server was not stopped"), error);
        });
}

void ScratchServers::stop(const QString& id, QWidget* parent) {
    const QString name = QString::fromStdString(nameOf(id));
    auto* dialog = new ProgressDialog(tr("Stopping %1").arg(name), parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->forbidCancel();
    dialog->setStep(tr("All that belongs to it is removed."));
    const QPointer<ProgressDialog> guard(dialog);
    runAsync(
        this,
        [name = name.toStdString()](const std::stop_token&) {
            scratch::stopServer(name);
            return scratch::listServers();
        },
        [this, guard](const std::vector<scratch::ScratchInfo>& servers) {
            if (guard) guard->finish();
            show(servers);
        },
        [this, guard, name](const ErrorInfo& error) {
            if (guard) guard->finish();
            Q_EMIT failed(tr("Scratch server %1 was not stopped").arg(name), error);
            refresh();
        });
    dialog->open();
}

}  // namespace gantry::ui
