// SPDX-License-Identifier: PostgreSQL
// A run at one glance: how far, how long, how fast, how busy, and the slider for its workers.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <deque>
#include <optional>

#include "core/events/run_state.h"
#include "core/report/utilization.h"

class QHBoxLayout;
class QLabel;
class QSlider;
class QTimer;

namespace gantry::ui {

class KindBar;
class RunController;

/// How sure the time left is: by how much the expected end has moved of late.
class EndTrend {
public:
    void observe(Duration now, std::optional<Duration> left);
    /// Half the range of the ends that were expected in the last seconds; empty if there are few.
    std::optional<Duration> uncertainty() const;
    void clear() { ends_.clear(); }

private:
    std::deque<std::pair<Duration, Duration>> ends_;  ///< when, and the end expected then
};

class SummaryStrip : public QWidget {
    Q_OBJECT
public:
    /// `controller` is null for a recorded run.
    SummaryStrip(RunController* controller, QWidget* parent = nullptr);
    void show(const events::RunState& run);
    /// What takes a look at every task.
    void showTasks(const events::RunState& run);
    /// Of the workers' time.
    void showBusy(const report::Utilization& use);

private:
    struct Cell {
        QLabel* value = nullptr;
        QLabel* more = nullptr;
    };
    Cell addCell(QHBoxLayout* row, const QString& caption, int stretch);
    void addSlider(QHBoxLayout* row);
    void showWorkers(const events::RunState& run);

    RunController* controller_;
    Cell progress_;
    Cell elapsed_;
    Cell left_;
    Cell throughput_;
    Cell busy_;
    KindBar* bar_ = nullptr;
    QSlider* slider_ = nullptr;
    QLabel* sliderValue_ = nullptr;
    QLabel* sliderCaption_ = nullptr;
    QTimer* sliderDelay_ = nullptr;
    QElapsedTimer sinceSlid_;
    EndTrend trend_;
};

}  // namespace gantry::ui
