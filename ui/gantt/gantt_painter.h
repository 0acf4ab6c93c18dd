// SPDX-License-Identifier: PostgreSQL
// Draws the chart: for the view, for exports, and for whoever measures how long it takes.
#pragma once

#include <QColor>
#include <QImage>
#include <QRect>
#include <QString>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/throughput.h"
#include "ui/gantt/gantt_text.h"
#include "ui/gantt/layout.h"
#include "ui/gantt/time_scale.h"

class QPainter;
class QPixmap;

namespace gantry::ui {

/// What is drawn, and what of it stands out. Everything pointed at is only looked at.
struct ChartScene {
    const events::RunState* run = nullptr;
    const Layout* layout = nullptr;
    const TimeScale* scale = nullptr;
    const report::Throughput* throughput = nullptr;
    const std::vector<bool>* critical = nullptr;       ///< by span
    std::optional<Duration> lowerBound;                ///< report::lowerBoundOf()
    const std::map<WorkerId, double>* busy = nullptr;  ///< shares, 0…1
    std::optional<TaskId> selected;
    std::optional<std::size_t> hovered;          ///< span
    const std::vector<bool>* matches = nullptr;  ///< by span, while something is searched
    std::array<bool, kCategories> hidden{};
    bool showCritical = true;
    std::optional<std::pair<Duration, Duration>> range;
    std::optional<double> crosshair;                                           ///< x on the axis
    const std::vector<std::pair<std::size_t, std::size_t>>* arrows = nullptr;  ///< between spans
    const QPixmap* overview = nullptr;  ///< paintOverviewRows() of the run as it is
    bool vector = false;                ///< for formats without pixels
};

/// Where things are. All heights and widths in pixels.
struct ChartGeometry {
    QRect ruler;
    QRect headers;  ///< of the rows, left of them
    QRect rows;
    QRect throughput;
    QRect overview;
    int rowHeight = 38;
    int scrolled = 0;  ///< pixels of rows above the first that is seen

    static constexpr int kHeaderWidth = 152;
    static constexpr int kTallestRow = 38;
    static constexpr int kLowestRow = 18;

    /// Rows as high as there is room for, within reason.
    static ChartGeometry of(QSize size, std::size_t rows);
    /// What so many rows take at their highest.
    static int heightFor(std::size_t rows);
    int rowTop(std::size_t row) const {
        return rows.top() + static_cast<int>(row) * rowHeight - scrolled;
    }
    std::optional<std::size_t> rowAt(int y, std::size_t rowCount) const;
    int contentHeight(std::size_t rowCount) const { return static_cast<int>(rowCount) * rowHeight; }
};

class GanttPainter {
public:
    GanttPainter(QPainter& painter, const ChartScene& scene, const ChartGeometry& geometry);
    void paint();

private:
    void paintRuler();
    void paintGrid();
    void paintRow(std::size_t index, int top);
    void paintHeader(std::size_t index, int top);
    void paintGaps(const Row& row, const QRect& band, bool (*wanted)(events::IdleCause));
    void paintBars(const Row& row, const QRect& band);
    void paintBar(const Bar& bar, const QRectF& rect, double labelRight);
    /// Of a vacuum; the band left for the bar's own label.
    QRectF paintPhases(const events::SpanState& span, const QRectF& body, const QColor& color);
    void paintSubLanes(const events::SpanState& span, const QRectF& room, const QColor& color);
    void paintNarrow(const Row& row, const Piece& piece, const QRect& band);
    void flushNarrow(const QRect& band);
    void paintGhost(const Bar& bar, const QRect& band);
    void paintFailures(const Row& row, const QRect& band);
    void paintLines();
    void paintArrows();
    void paintRange();
    void paintThroughput();
    void paintOverview();

    bool dimmed(const Bar& bar) const;
    bool standsOut(const Bar& bar) const;
    double left() const;

    QPainter& p_;
    const ChartScene& scene_;
    const ChartGeometry& geometry_;
    std::vector<QRgb> columns_;  ///< colours of bars too narrow for a rectangle, by pixel
    bool columnsUsed_ = false;
};

/// Overlaid on bars of a kind so that they differ without colour; null for COPY.
QBrush patternOf(Category category);
/// Black or white, whichever can be read on it.
QColor textOn(const QColor& background);

}  // namespace gantry::ui
