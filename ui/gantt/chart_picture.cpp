// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/chart_picture.h"

namespace gantry::ui {

QSize ChartPicture::wholeSize(int atWidth) const {
    return {atWidth, ChartGeometry::heightFor(layout, !run->loads().empty())};
}

void ChartPicture::paint(QPainter& painter, QSize size, bool vector) const {
    const ChartGeometry g = ChartGeometry::of(size, layout, !run->loads().empty());
    TimeScale fitted = scale;
    fitted.setWidth(g.rows.width());
    ChartScene drawn = scene;
    drawn.run = run.get();
    drawn.layout = &layout;
    drawn.scale = &fitted;
    drawn.throughput = &throughput;
    drawn.critical = &insight.critical;
    drawn.busy = &insight.busy;
    drawn.matches = scene.matches == nullptr ? nullptr : &matches;
    drawn.arrows = &arrows;
    drawn.overview = nullptr;
    drawn.crosshair.reset();
    drawn.hovered.reset();
    drawn.vector = vector;
    GanttPainter(painter, drawn, g).paint();
}

}  // namespace gantry::ui
