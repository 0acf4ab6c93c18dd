// SPDX-License-Identifier: PostgreSQL
// Draws the chart: for the view, for exports, and for whoever measures how long it takes.
#pragma once

#include <QBrush>
#include <QColor>
#include <QImage>
#include <QRect>
#include <QRectF>
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
#include "ui/gantt/label_font.h"
#include "ui/gantt/layout.h"
#include "ui/gantt/time_scale.h"

class QPainter;
class QPixmap;

namespace gantry::ui {

/// What lies in a sub-lane: by numbers in RunState::spans() and SpanState::parts.
struct PartPlace {
    std::size_t span = 0;
    std::size_t part = 0;
    friend bool operator==(const PartPlace&, const PartPlace&) = default;
};

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
    std::optional<std::size_t> hovered;  ///< span
    std::optional<PartPlace> selectedPart;
    std::optional<PartPlace> hoveredPart;
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
    QRect load;  ///< empty: nothing is known of it
    QRect overview;
    int rowHeight = 38;                      ///< without sub-lanes
    int subLaneHeight = 17;                  ///< of each
    int scrolled = 0;                        ///< pixels of rows above the first that is seen
    std::vector<uint32_t> subLanesAbove{0};  ///< as in the layout

    static constexpr int kHeaderWidth = 152;
    static constexpr int kTallestRow = 38;
    static constexpr int kLowestRow = 18;
    static constexpr int kTallestSubLane = 17;
    static constexpr int kLowestSubLane = 13;

    /// Rows as high as there is room for, within reason.
    static ChartGeometry of(QSize size, const Layout& layout, bool withLoad = false);
    /// What all rows take at their highest.
    static int heightFor(const Layout& layout, bool withLoad);
    /// Of all that shares the axis of time.
    int axisBottom() const { return (load.isEmpty() ? throughput : load).bottom(); }
    std::size_t rowCount() const { return subLanesAbove.size() - 1; }
    int rowTop(std::size_t row) const { return rows.top() + heightOf(row) - scrolled; }
    /// Where the strips beneath its bars begin.
    int subLanesTop(std::size_t row) const { return rowTop(row) + rowHeight; }
    int contentHeight() const { return heightOf(rowCount()); }

    struct Hit {
        std::size_t row = 0;
        std::optional<std::size_t> subLane;  ///< empty: the row's bars
    };
    std::optional<Hit> hit(int y) const;
    std::optional<std::size_t> rowAt(int y) const;

private:
    /// Of so many rows from the first on.
    int heightOf(std::size_t count) const {
        return static_cast<int>(count) * rowHeight +
               static_cast<int>(subLanesAbove[count]) * subLaneHeight;
    }
};

class GanttPainter {
public:
    GanttPainter(QPainter& painter, const ChartScene& scene, const ChartGeometry& geometry);
    void paint();

private:
    void placePlates();
    void paintRuler();
    void paintGrid();
    void paintRow(std::size_t index, int top);
    void paintHeader(std::size_t index, int top);
    void paintGaps(const Row& row, const QRect& band, bool (*wanted)(events::IdleCause));
    /// `below` is where the row's sub-lanes begin.
    void paintBars(const Row& row, const QRect& band, int below);
    void paintBar(const Bar& bar, const QRectF& rect, bool continues);
    void addStretch(double end, const QColor& text);
    template <class Draw>
    void paintOnBar(const QRectF& room, Draw draw);
    void paintFrame(const QRectF& rect, double thickness, const QColor& color);
    void paintPhases(const Bar& bar, const QRectF& body, double done);
    void paintParts(const Row& row, const Bar& bar, const QRectF& rect, int below);
    void paintPart(const events::PartState& part, const QRectF& rect, PartPlace place, bool dim);
    void paintSubLaneNames(const Row& row, int below);
    void paintNarrow(const Row& row, const Piece& piece, const QRect& band);
    void flushNarrow(const QRect& band);
    void paintGhost(const Bar& bar, const QRect& band);
    void paintFlaws(const Row& row, const QRect& band);
    void paintFailure(const QRectF& rect);
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
    struct KindLook {
        QColor color;
        QColor dimmed;
        QColor rest;      ///< what of a running bar is still to be done
        QColor text;      ///< on the colour
        QColor restText;  ///< on the rest
        QBrush body;      ///< the colour with the kind's pattern
    };
    std::array<KindLook, plan::kTaskKinds> looks_;
    /// Words that nothing else is to be drawn over; none: its rectangle is empty.
    struct Plate {
        QRectF rect;
        QString label;
    };
    Plate clock_;
    Plate bound_;
    LabelFont labels_;
    /// What colour words on a bar have from left to right, up to where.
    struct Stretch {
        double end = 0;
        QColor text;
    };
    std::vector<Stretch> stretches_;
    std::vector<QRgb> columns_;  ///< colours of bars too narrow for a rectangle, by pixel
    bool columnsUsed_ = false;
};

}  // namespace gantry::ui
