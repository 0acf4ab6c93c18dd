// SPDX-License-Identifier: PostgreSQL
// The strips below the chart: throughput and compression over time, and the whole run in small.
#pragma once

#include <QRect>

class QPainter;

namespace gantry::ui {

struct ChartScene;

/// `header` is what lies left of the axis. Compression is drawn as a line of its own.
void paintThroughputStrip(QPainter& painter, const QRect& header, const QRect& area,
                          const ChartScene& scene);

/// How busy this machine was, and how many sessions of the server were at work.
void paintLoadStrip(QPainter& painter, const QRect& header, const QRect& area,
                    const ChartScene& scene);

/// The run's rows, a few pixels each, with a frame around what the chart shows.
void paintOverviewStrip(QPainter& painter, const QRect& header, const QRect& area,
                        const ChartScene& scene);
/// The rows alone: what may be kept for as long as the run does not go on.
void paintOverviewRows(QPainter& painter, const QRect& area, const ChartScene& scene);

}  // namespace gantry::ui
