// SPDX-License-Identifier: PostgreSQL
// The chart as it stands, apart from the window: to be drawn at any size on any thread.
#pragma once

#include <QSize>
#include <memory>
#include <utility>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/throughput.h"
#include "ui/gantt/gantt_painter.h"
#include "ui/gantt/insight.h"
#include "ui/gantt/layout.h"
#include "ui/gantt/time_scale.h"

namespace gantry::ui {

struct ChartPicture {
    std::shared_ptr<const events::RunState> run;
    Layout layout;
    TimeScale scale;
    report::Throughput throughput;
    RunInsight insight;
    std::vector<bool> matches;
    std::vector<std::pair<std::size_t, std::size_t>> arrows;
    ChartScene scene;  ///< its pointers are set by paint()
    int width = 0;     ///< of the view

    /// High enough for every row.
    QSize wholeSize(int atWidth) const;
    void paint(QPainter& painter, QSize size, bool vector) const;
};

}  // namespace gantry::ui
