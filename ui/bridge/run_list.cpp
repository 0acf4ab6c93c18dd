// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_list.h"

#include <algorithm>

namespace gantry::ui {

RunList::RunList(std::filesystem::path historyFolder, QObject* parent)
    : QObject(parent), historyFolder_(std::move(historyFolder)) {}

RunController* RunList::start(RunRequest request) {
    auto* run = new RunController(std::move(request), this);
    run->recordTo(historyFolder_);
    connect(run, &RunController::finished, this, [this, run] { Q_EMIT finished(run); });
    runs_.push_back(run);
    run->start();
    Q_EMIT added(run);
    return run;
}

void RunList::remove(RunController* run) {
    const auto at = std::find(runs_.begin(), runs_.end(), run);
    if (at == runs_.end() || run->active()) return;
    runs_.erase(at);
    Q_EMIT removed(run);
    run->deleteLater();
}

bool RunList::anyActive() const {
    return std::any_of(runs_.begin(), runs_.end(),
                       [](const RunController* run) { return run->active(); });
}

}  // namespace gantry::ui
