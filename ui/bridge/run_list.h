// SPDX-License-Identifier: PostgreSQL
// The runs of this session, running and over, in the order in which they were started.
#pragma once

#include <QObject>
#include <filesystem>
#include <vector>

#include "ui/bridge/run_controller.h"

namespace gantry::ui {

/// Owns the runs. GUI thread.
class RunList : public QObject {
    Q_OBJECT
public:
    /// Runs are kept in the history in this folder; none are if it is empty.
    explicit RunList(std::filesystem::path historyFolder, QObject* parent = nullptr);

    /// Starts it; whoever shows runs hears of it by added().
    RunController* start(RunRequest request);
    /// Forgets one that is over.
    void remove(RunController* run);

    const std::vector<RunController*>& runs() const { return runs_; }
    bool anyActive() const;
    const std::filesystem::path& historyFolder() const { return historyFolder_; }

Q_SIGNALS:
    void added(gantry::ui::RunController* run);
    void removed(gantry::ui::RunController* run);
    void finished(gantry::ui::RunController* run);

private:
    std::filesystem::path historyFolder_;
    std::vector<RunController*> runs_;
};

}  // namespace gantry::ui
