// SPDX-License-Identifier: PostgreSQL
// What the desktop hears of runs: a notification at the end, progress in the task bar.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>

#include "ui/bridge/run_list.h"

class QTimer;

namespace gantry::ui {

/// A sentence on how a run ended: "1.2 GB in 42 s, 31 relations." or why it failed.
QString describeEnd(const RunController& run);

/// Watches all runs. Without a session bus, or without anybody who listens, nothing happens.
class Notifier : public QObject {
    Q_OBJECT
public:
    /// `away` says whether the user does not see the window now: only then is the end notified.
    /// `ends` says whether Gantry ends with the last run: then there will be nothing to show.
    Notifier(RunList& runs, std::function<bool()> away, std::function<bool()> ends,
             QObject* parent = nullptr);

    /// Runs go on without the window: says so, and a click brings it back.
    void tellBackground();

Q_SIGNALS:
    /// The user clicked on a notification.
    void activated();

private Q_SLOTS:
    void onActionInvoked(uint id, const QString& action);

private:
    void notifyEnd(const RunController& run);
    void notify(const QString& heading, const QString& text, bool canShow);
    void showProgress();

    RunList& runs_;
    std::function<bool()> away_;
    std::function<bool()> ends_;
    QTimer* timer_;
    QSet<uint> ours_;
    bool progressShown_ = false;
};

/// The share of all runs that are active; empty if none is.
std::optional<double> overallProgress(const RunList& runs);

}  // namespace gantry::ui
