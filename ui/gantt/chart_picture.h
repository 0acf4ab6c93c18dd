// SPDX-License-Identifier: PostgreSQL
// The chart as it stands, apart from the window: to be drawn at any size on any thread, with a
// title and its legend.
#pragma once

#include <QSize>
#include <QString>
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
    QString title{};
    QString facts{};  ///< beneath the title

    /// High enough for every row.
    QSize wholeSize(int atWidth) const;
    void paint(QPainter& painter, QSize size, bool vector) const;
    /// Less than the whole run, since somebody has zoomed.
    bool showsPart() const;

private:
    void paintTitle(QPainter& painter, int across) const;
    /// Returns where it ends; no painter: only that.
    int paintLegend(QPainter* painter, int across) const;
};

}  // namespace gantry::ui
