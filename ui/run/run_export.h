// SPDX-License-Identifier: PostgreSQL
// A run's chart as files of others: PNG, SVG.
#pragma once

#include <QByteArray>
#include <QString>

#include "ui/gantt/chart_picture.h"

namespace gantry::ui {

// All on whatever thread.

/// The chart with every row, at the width that it has on the screen and twice as fine.
QByteArray pngOf(const ChartPicture& picture);
QByteArray svgOf(const ChartPicture& picture);

}  // namespace gantry::ui
