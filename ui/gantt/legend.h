// SPDX-License-Identifier: PostgreSQL
// What stands for what on the chart, for the bar above it and for exported pictures.
#pragma once

#include <QRectF>
#include <QString>
#include <set>
#include <variant>

#include "core/events/run_state.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/phases.h"

class QPainter;

namespace gantry::ui {

enum class Mark { Failed, CutOff, PassedOver, Idle, Critical };

/// In the order in which they are shown.
using LegendEntry = std::variant<Category, Phase, PartLook, Mark>;
using Legend = std::set<LegendEntry>;

QString legendName(const LegendEntry& entry);
/// As it looks on the chart; a category that is not `on` as an outline.
void paintSwatch(QPainter& painter, const QRectF& rect, const LegendEntry& entry, bool on = true);

/// Adds what the span looks like.
void addLooks(const events::SpanState& span, Legend& legend);
/// Without what looks like another entry of the same name.
bool isShown(const LegendEntry& entry, const Legend& legend);
/// Of all that the chart shows of the run.
Legend legendOf(const events::RunState& run);

}  // namespace gantry::ui
