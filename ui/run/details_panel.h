// SPDX-License-Identifier: PostgreSQL
// Beside the tables: all about the chosen task; of a chosen stretch of time its sum; else about the
// run as a whole, and how it would have gone with other numbers of workers.
#pragma once

#include <QPushButton>
#include <QScrollArea>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/throughput.h"
#include "core/report/what_if.h"
#include "ui/bridge/backend_watch.h"
#include "ui/gantt/gantt_painter.h"
#include "ui/gantt/insight.h"

class QFormLayout;
class QLabel;

namespace gantry::ui {

class OutlookCurve;

class DetailsPanel : public QScrollArea {
    Q_OBJECT
public:
    /// `live`: items can be cancelled.
    explicit DetailsPanel(bool live, QWidget* parent = nullptr);

    using Range = std::pair<Duration, Duration>;
    /// `part`: what beneath the task's bar is meant.
    void show(const events::RunState& run, const report::Throughput& throughput,
              const RunInsight& insight, std::optional<TaskId> task, std::optional<PartPlace> part,
              std::optional<Range> range);
    /// What the server says of the sessions by process; outlives the panel.
    void setBackends(const std::map<int32_t, BackendFacts>* backends) { backends_ = backends; }
    /// Whether the task that is shown could be tried again.
    void offerRetry(bool offered) { retry_->setVisible(offered); }
    void offerLog(bool offered) { log_->setVisible(offered); }
    /// How time depends on the number of workers; empty: nothing is known of it.
    void setOutlooks(const std::vector<report::Outlook>& outlooks, uint32_t workers);

Q_SIGNALS:
    void cancelAsked(gantry::TaskId task);
    void retryAsked(gantry::TaskId task);
    void logAsked(gantry::TaskId task);

private:
    void showStatement();
    void clear();
    void addFact(const QString& name, const QString& value, bool mono = false);
    void showTask(const events::RunState& run, const RunInsight& insight, TaskId id);
    void showSessions(const events::RunState& run, const events::TaskState& task,
                      QString& statement);
    void showError(const ErrorInfo& error);
    void showRange(const events::RunState& run, const report::Throughput& throughput, Range range);
    void showRun(const events::RunState& run, const RunInsight& insight);
    QString limitOf(const events::RunState& run) const;
    QString idleNote(const events::RunState& run, WorkerId worker) const;

    bool live_;
    const std::map<int32_t, BackendFacts>* backends_ = nullptr;
    QLabel* title_;
    QFormLayout* facts_;
    QLabel* statementTitle_;
    QLabel* statement_;
    QString told_;  ///< the statement of what is shown
    QLabel* note_;
    OutlookCurve* curve_;
    QLabel* curveTitle_;
    QWidget* buttons_;
    QPushButton* cancel_;
    QPushButton* retry_;
    QPushButton* log_;
    std::optional<TaskId> task_;
    std::size_t row_ = 0;  ///< of the facts that are being shown
    bool outlooks_ = false;
};

}  // namespace gantry::ui
