// SPDX-License-Identifier: PostgreSQL
// The chart as a widget: what GanttPainter draws, with mouse, keyboard and screen reader.
//
// Wheel: zoom at the cursor (with Shift or sideways: pan; with Ctrl or over the lanes' names:
// rows). Drag: pan. Shift+drag: choose a stretch of time. Click: choose a task; double click: zoom
// to it. W/S or + and -: zoom; A/D or arrows: pan; up and down: rows; F: fit, Shift+F: follow; Z:
// zoom to the chosen bar; 0: whole run; Home, End; Tab: next bar; Enter: details; Escape: choose
// nothing; Backspace: back to the view before.
#pragma once

#include <QAbstractScrollArea>
#include <QElapsedTimer>
#include <QPixmap>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/throughput.h"
#include "ui/gantt/chart_picture.h"
#include "ui/gantt/gantt_painter.h"
#include "ui/gantt/insight.h"
#include "ui/gantt/layout.h"
#include "ui/gantt/pace.h"
#include "ui/gantt/task_filter.h"
#include "ui/gantt/time_scale.h"

namespace gantry::ui {

class GanttView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit GanttView(QWidget* parent = nullptr);

    /// Both outlive the view or are replaced before; null for none.
    void setRun(const events::RunState* run, const report::Throughput* throughput);
    /// The run has gone on, or has become another one.
    void refresh();

    void setGrouping(Grouping grouping);
    Grouping grouping() const { return layout_.grouping(); }
    void setHidden(Category category, bool hidden);
    void setCriticalShown(bool shown);

    /// Marks what matches, as TaskFilter says, and dims the rest; empty ends it. Returns the number
    /// of matching spans.
    std::size_t setSearch(const QString& words);
    QString search() const { return search_; }
    /// The rest is not shown at all.
    void setOnlyMatches(bool only);
    bool onlyMatches() const { return onlyMatches_; }
    void findNext();
    void findPrevious();
    /// Which of the matches is chosen, from 1; 0 if none is.
    std::size_t matchNumber() const;

    /// Chooses a task; brings it into view if asked to.
    void select(std::optional<TaskId> task, bool reveal);
    std::optional<TaskId> selected() const { return scene_.selected; }
    /// Of the chosen task: what beneath its bar is chosen.
    std::optional<PartPlace> selectedPart() const { return scene_.selectedPart; }

    const TimeScale& scale() const { return scale_; }
    void fit();
    /// The chosen bar, with a little air around it.
    void fitChosen();
    /// To the view, and the filter, before.
    void back();
    bool canGoBack() const { return !before_.empty(); }
    void setFollowing(bool following);
    bool following() const;
    void zoomBy(double factor);
    void showRange(Duration from, Duration to);
    std::optional<std::pair<Duration, Duration>> range() const { return scene_.range; }

    /// What is drawn of the run as a whole; may be of a moment ago, but not of another run.
    void setInsight(const RunInsight& insight);
    const RunInsight& insight() const { return insight_; }

    /// With every row at its full height.
    int wantedHeight() const;
    /// As it is now; `run` is a copy of what setRun() was given.
    ChartPicture picture(std::shared_ptr<const events::RunState> run) const;

Q_SIGNALS:
    /// The user chose a task, or none.
    void chosen(std::optional<gantry::TaskId> task);
    /// Enter or double click.
    void activated(gantry::TaskId task);
    void menuAsked(gantry::TaskId task, QPoint global);
    /// A stretch of time was chosen; empty: no longer.
    void rangeChosen();
    void modeChanged();
    /// There are other lanes, and wantedHeight() is another one.
    void groupingChanged();
    void searchAsked();
    /// search() or onlyMatches() is another one.
    void filterChanged();

protected:
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    enum class Drag { None, Pan, Range, Overview };
    struct View {
        Duration from;
        Duration to;
        QString search;
        bool onlyMatches;
    };

    ChartGeometry geometry() const;
    bool knowsLoad() const { return run_ != nullptr && !run_->loads().empty(); }
    void updateGeometryOfRows();
    void updateArrows();
    void applySearch(const QString& words, bool only);
    void updateMatches(bool all);
    void changed();
    void remember();
    /// False at the end.
    bool stepBar(bool forward);
    void stepMatch(bool forward);
    void moveOverviewTo(int x);
    void announce();
    void hover(const QPoint& at);
    QString toolTipAt(const QPoint& at) const;
    QString noticesAt(int x) const;
    QString pieceToolTip(const Row& row, std::size_t bar, Duration at, Duration tolerance) const;
    /// Bar and what beneath it lies under the cursor; empty where there is none.
    struct Under {
        std::optional<std::size_t> span;
        std::optional<PartPlace> part;
    };
    Under underCursor(const QPoint& at) const;
    void chooseSpan(std::optional<std::size_t> span, std::optional<PartPlace> part = {});
    void revealSpan(std::size_t span);

    const events::RunState* run_ = nullptr;
    const report::Throughput* throughput_ = nullptr;
    Layout layout_;
    TimeScale scale_;
    ChartScene scene_;
    RunInsight insight_;
    TaskFilter filter_;
    QString search_;
    bool onlyMatches_ = false;
    std::vector<bool> matches_;  ///< by span, while something is searched
    Pace matchPace_{500};
    std::vector<std::pair<std::size_t, std::size_t>> arrows_;
    std::optional<std::size_t> current_;  ///< the span that the keyboard is at
    std::vector<View> before_;            ///< views to go back to
    QElapsedTimer lastRemembered_;
    QElapsedTimer lastOverview_;
    QPixmap overview_;
    bool loadShown_ = false;  ///< when the rows' room was measured
    Drag drag_ = Drag::None;
    QPoint dragStart_;
    QPoint dragLast_;
    bool dragged_ = false;
    double rowsWheel_ = 0;
};

}  // namespace gantry::ui
