// SPDX-License-Identifier: PostgreSQL
// A run's chart and facts as files of others: PNG, SVG, CSV, trace.
#pragma once

#include <QByteArray>
#include <QString>

#include "core/events/run_state.h"
#include "ui/gantt/chart_picture.h"

namespace gantry::ui {

/// All on whatever thread. Times in seconds since the run began, one line a span; first line the
/// columns' names.
QByteArray csvOf(const events::RunState& run);

/// The chart with every row, at the width that it has on the screen and twice as fine.
QByteArray pngOf(const ChartPicture& picture);
QByteArray svgOf(const ChartPicture& picture, const QString& title);

}  // namespace gantry::ui
