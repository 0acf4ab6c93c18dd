// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/notifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QTimer>

#include "core/base/format.h"
#include "ui/forms/window_words.h"

namespace gantry::ui {
namespace {

const QString kService = QStringLiteral("org.freedesktop.Notifications");
const QString kPath = QStringLiteral("/org/freedesktop/Notifications");

/// Task bars that show progress listen to this; others do not mind.
void sendProgress(const std::optional<double>& share) {
    QDBusMessage update = QDBusMessage::createSignal(
        QStringLiteral("/org/gantry/Gantry"), QStringLiteral("com.canonical.Unity.LauncherEntry"),
        QStringLiteral("Update"));
    update << QStringLiteral("application://%1.desktop").arg(QGuiApplication::desktopFileName())
           << QVariantMap{{QStringLiteral("progress"), share.value_or(0)},
                          {QStringLiteral("progress-visible"), share.has_value()}};
    QDBusConnection::sessionBus().send(update);
}

QString headingOf(const RunController& run) {
    if (run.phase() == RunPhase::Refused) return Notifier::tr("%1: not started");
    switch (run.state().finished() ? run.state().finished()->outcome : events::Outcome::Failed) {
        case events::Outcome::Clean:
            return Notifier::tr("%1: done");
        case events::Outcome::CompletedWithErrors:
            return Notifier::tr("%1: done, with errors");
        case events::Outcome::Failed:
            return Notifier::tr("%1: failed");
        case events::Outcome::Cancelled:
            return Notifier::tr("%1: cancelled");
    }
    return QStringLiteral("%1");
}

}  // namespace

QString describeEnd(const RunController& run) {
    if (run.refusal()) return describe(*run.refusal());
    const auto& finished = run.state().finished();
    if (!finished) return Notifier::tr("The run ended without saying how.");
    if (finished->error && finished->outcome == events::Outcome::Failed) {
        return describe(*finished->error);
    }
    QString text = Notifier::tr("%1 in %2")
                       .arg(QString::fromStdString(formatBytes(finished->bytes)),
                            QString::fromStdString(formatDuration(run.state().now())));
    if (finished->ignoredErrors > 0) {
        text += Notifier::tr(", with errors to look at: %1").arg(finished->ignoredErrors);
    }
    return text + u'.';
}

Notifier::Notifier(RunList& runs, std::function<bool()> away, std::function<bool()> ends,
                   QObject* parent)
    : QObject(parent),
      runs_(runs),
      away_(std::move(away)),
      ends_(std::move(ends)),
      timer_(new QTimer(this)) {
    constexpr int kProgressMs = 1000;
    timer_->setInterval(kProgressMs);
    connect(timer_, &QTimer::timeout, this, &Notifier::showProgress);
    connect(&runs_, &RunList::added, timer_, [this] { timer_->start(); });
    connect(&runs_, &RunList::finished, this, [this](const RunController* run) {
        showProgress();
        if (away_()) notifyEnd(*run);
    });
    QDBusConnection::sessionBus().connect(kService, kPath, kService,
                                          QStringLiteral("ActionInvoked"), this,
                                          SLOT(onActionInvoked(uint, QString)));
}

void Notifier::onActionInvoked(uint id, const QString&) {
    if (ours_.contains(id)) Q_EMIT activated();
}

void Notifier::notifyEnd(const RunController& run) {
    const bool last = !overallProgress(runs_);
    notify(headingOf(run).arg(run.request().title), describeEnd(run), !last || !ends_());
}

void Notifier::tellBackground() {
    QStringList titles;
    for (const RunController* run : runs_.runs()) {
        if (run->active()) titles << run->request().title;
    }
    if (!titles.isEmpty()) notify(tr("Gantry goes on in the background"), titles.join(u'\n'), true);
}

void Notifier::notify(const QString& heading, const QString& text, bool canShow) {
    QDBusMessage call =
        QDBusMessage::createMethodCall(kService, kPath, kService, QStringLiteral("Notify"));
    constexpr int kStandardTimeout = -1;
    call << QGuiApplication::applicationDisplayName() << uint{0}
         << QGuiApplication::desktopFileName() << heading << text.toHtmlEscaped()
         << (canShow ? QStringList{QStringLiteral("default"), tr("Show")} : QStringList())
         << QVariantMap{{QStringLiteral("desktop-entry"), QGuiApplication::desktopFileName()}}
         << kStandardTimeout;
    auto* watcher =
        new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this,
            [this](QDBusPendingCallWatcher* answered) {
                const QDBusPendingReply<uint> reply = *answered;
                if (reply.isValid()) ours_.insert(reply.value());
                answered->deleteLater();
            });
}

void Notifier::showProgress() {
    const std::optional<double> share = overallProgress(runs_);
    if (share || progressShown_) sendProgress(share);
    progressShown_ = share.has_value();
    if (!share) timer_->stop();
}

std::optional<double> overallProgress(const RunList& runs) {
    double sum = 0;
    int count = 0;
    for (const RunController* run : runs.runs()) {
        if (!run->active()) continue;
        sum += run->state().fraction();
        ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / count;
}

}  // namespace gantry::ui
