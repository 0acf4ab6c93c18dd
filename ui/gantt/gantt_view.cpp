// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/gantt_view.h"

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/charts/strips.h"
#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using events::RunState;
using events::SpanState;

constexpr double kWheelStep = 120;
constexpr double kZoomPerStep = 1.25;
constexpr double kPanPerKey = 0.12;  ///< of the width
constexpr double kReach = 3;         ///< pixels within which a bar is hit
constexpr int kOverviewIntervalMs = 500;
constexpr int kRememberIntervalMs = 700;
constexpr std::size_t kMostRemembered = 50;
constexpr std::size_t kMostArrows = 60;

}  // namespace

GanttView::GanttView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline of the run"));
    setAccessibleDescription(
        tr("Tab goes to the next task. The table below has the same content."));
    setMinimumSize(320, 200);
}

void GanttView::setRun(const RunState* run, const report::Throughput* throughput) {
    run_ = run;
    throughput_ = throughput;
    layout_.setGrouping(layout_.grouping());
    scene_.selected.reset();
    scene_.selectedPart.reset();
    scene_.hoveredPart.reset();
    scene_.range.reset();
    current_.reset();
    refresh();
}

void GanttView::refresh() {
    if (run_ == nullptr) return;
    const std::size_t rows = layout_.order().size();
    const uint32_t subLanes = layout_.subLanesAbove().back();
    updateMatches(false);
    layout_.update(*run_);
    if (current_ && *current_ >= run_->spans().size()) current_.reset();
    for (auto* part : {&scene_.selectedPart, &scene_.hoveredPart}) {
        if (*part && ((*part)->span >= run_->spans().size() ||
                      (*part)->part >= run_->spans()[(*part)->span].parts.size())) {
            part->reset();  // a replay has gone back
        }
    }
    scale_.setRun(run_->now(), expectedRunEnd(*run_));
    const bool over = run_->finished().has_value();
    if (!lastOverview_.isValid() || over || lastOverview_.elapsed() > kOverviewIntervalMs) {
        overview_ = QPixmap();
    }
    if (rows != layout_.order().size() || subLanes != layout_.subLanesAbove().back() ||
        loadShown_ != knowsLoad()) {
        updateGeometryOfRows();
    }
    viewport()->update();
}

void GanttView::setInsight(const RunInsight& insight) {
    insight_ = insight;
    scene_.lowerBound = insight_.lowerBound;
    viewport()->update();
}

void GanttView::updateArrows() {
    arrows_.clear();
    if (run_ == nullptr || !scene_.selected) return;
    const auto chosen = run_->tasks().find(*scene_.selected);
    if (chosen == run_->tasks().end() || chosen->second.spans.empty()) return;
    const auto lastOf = [](const events::TaskState& task) { return task.spans.back(); };
    for (const TaskId before : chosen->second.after) {
        const auto found = run_->tasks().find(before);
        if (found == run_->tasks().end() || found->second.spans.empty()) continue;
        arrows_.emplace_back(lastOf(found->second), chosen->second.spans.front());
        if (arrows_.size() == kMostArrows) return;
    }
    for (const auto& [id, task] : run_->tasks()) {
        if (task.spans.empty() ||
            std::find(task.after.begin(), task.after.end(), *scene_.selected) == task.after.end()) {
            continue;
        }
        arrows_.emplace_back(lastOf(chosen->second), task.spans.front());
        if (arrows_.size() == kMostArrows) return;
    }
}

ChartGeometry GanttView::geometry() const {
    ChartGeometry g = ChartGeometry::of(viewport()->size(), layout_, knowsLoad());
    g.scrolled = verticalScrollBar()->value();
    return g;
}

void GanttView::updateGeometryOfRows() {
    const ChartGeometry g = geometry();
    const int over = g.contentHeight() - g.rows.height();
    verticalScrollBar()->setRange(0, std::max(over, 0));
    verticalScrollBar()->setPageStep(g.rows.height());
    verticalScrollBar()->setSingleStep(g.rowHeight);
    scale_.setWidth(g.rows.width());
    loadShown_ = knowsLoad();
    overview_ = QPixmap();
}

void GanttView::changed() {
    Q_EMIT modeChanged();
    viewport()->update();
}

void GanttView::setGrouping(Grouping grouping) {
    if (grouping == layout_.grouping()) return;
    layout_.setGrouping(grouping);
    if (run_ != nullptr) layout_.update(*run_);
    verticalScrollBar()->setValue(0);
    updateGeometryOfRows();
    viewport()->update();
    Q_EMIT groupingChanged();
}

void GanttView::setHidden(Category category, bool hidden) {
    scene_.hidden[static_cast<std::size_t>(category)] = hidden;
    viewport()->update();
}

void GanttView::setCriticalShown(bool shown) {
    scene_.showCritical = shown;
    viewport()->update();
}

void GanttView::select(std::optional<TaskId> task, bool reveal) {
    if (scene_.selected != task) {
        scene_.selected = task;
        scene_.selectedPart.reset();
        updateArrows();
    }
    if (task && run_ != nullptr) {
        const auto found = run_->tasks().find(*task);
        if (found != run_->tasks().end() && !found->second.spans.empty()) {
            const auto& spans = found->second.spans;
            if (!current_ || std::find(spans.begin(), spans.end(), *current_) == spans.end()) {
                current_ = spans.front();
            }
            if (reveal) revealSpan(*current_);
        }
    }
    viewport()->update();
}

void GanttView::chooseSpan(std::optional<std::size_t> span, std::optional<PartPlace> part) {
    current_ = span;
    select(span ? std::optional(run_->spans()[*span].span.task) : std::nullopt, false);
    scene_.selectedPart = part;
    if (span) announce();
    Q_EMIT chosen(scene_.selected);
}

/// A screen reader hears of the bar that was gone to.
void GanttView::announce() {
    const SpanState& span = run_->spans()[*current_];
    setAccessibleDescription(scene_.selectedPart
                                 ? describePart(*run_, span, span.parts[scene_.selectedPart->part])
                                 : describeBar(*run_, span));
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

void GanttView::revealSpan(std::size_t span) {
    const auto place = layout_.placeOf(span);
    if (!place) return;
    const Bar& bar = layout_.row(place->row).bars[place->bar];
    remember();
    scale_.reveal(bar.begin, bar.end);
    const auto& order = layout_.order();
    const auto row =
        static_cast<std::size_t>(std::find(order.begin(), order.end(), place->row) - order.begin());
    const ChartGeometry g = geometry();
    const int above = g.rows.top() - g.rowTop(row);
    const int beneath = g.rowTop(row + 1) - g.rows.bottom();
    if (above > 0) {
        verticalScrollBar()->setValue(g.scrolled - above);
    } else if (beneath > 0) {
        verticalScrollBar()->setValue(g.scrolled + std::min(beneath, -above));
    }
    changed();
}

void GanttView::fit() {
    remember();
    scale_.fit();
    changed();
}

bool GanttView::following() const {
    return run_ != nullptr && !run_->finished() && scale_.mode() != TimeScale::Mode::Free;
}

void GanttView::setFollowing(bool following) {
    if (following == (scale_.mode() != TimeScale::Mode::Free)) return;
    if (following) {
        scale_.follow();
    } else {
        scale_.pan(0);
    }
    changed();
}

void GanttView::zoomBy(double factor) {
    remember();
    scale_.zoom(factor, scale_.width() / 2);
    changed();
}

void GanttView::showRange(Duration from, Duration to) {
    remember();
    scale_.show(from, to);
    changed();
}

/// One view for each gesture, however many events it is made of.
void GanttView::remember() {
    const bool same = lastRemembered_.isValid() && lastRemembered_.elapsed() < kRememberIntervalMs;
    lastRemembered_.start();
    if (same) return;
    before_.push_back({scale_.begin(), scale_.end(), search_, onlyMatches_});
    if (before_.size() > kMostRemembered) before_.erase(before_.begin());
}

void GanttView::back() {
    if (before_.empty()) return;
    const View view = before_.back();
    before_.pop_back();
    scale_.show(view.from, view.to);
    if (view.search != search_ || view.onlyMatches != onlyMatches_) {
        applySearch(view.search, view.onlyMatches);
    }
    changed();
}

void GanttView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    if (run_ == nullptr) {
        painter.fillRect(viewport()->rect(), currentTheme().panel);
        return;
    }
    const ChartGeometry g = geometry();
    scene_.run = run_;
    scene_.layout = &layout_;
    scene_.scale = &scale_;
    scene_.throughput = throughput_;
    scene_.critical = &insight_.critical;
    scene_.busy = &insight_.busy;
    scene_.arrows = &arrows_;
    if (overview_.isNull()) {
        const qreal ratio = devicePixelRatioF();
        overview_ = QPixmap(g.overview.size() * ratio);
        overview_.setDevicePixelRatio(ratio);
        QPainter p(&overview_);
        paintOverviewRows(p, QRect(QPoint(0, 0), g.overview.size()), scene_);
        lastOverview_.start();
    }
    scene_.overview = &overview_;
    GanttPainter(painter, scene_, g).paint();
    if (hasFocus()) {
        painter.setPen(QPen(currentTheme().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

int GanttView::wantedHeight() const { return ChartGeometry::heightFor(layout_, knowsLoad()); }

ChartPicture GanttView::picture(std::shared_ptr<const RunState> run) const {
    ChartPicture picture{.run = std::move(run),
                         .layout = layout_,
                         .scale = scale_,
                         .throughput = throughput_ ? *throughput_ : report::Throughput(),
                         .insight = insight_,
                         .matches = matches_,
                         .arrows = arrows_,
                         .scene = scene_,
                         .width = viewport()->width()};
    picture.layout.forgetShown();
    return picture;
}

void GanttView::resizeEvent(QResizeEvent*) { updateGeometryOfRows(); }

void GanttView::scrollContentsBy(int, int) { viewport()->update(); }

void GanttView::wheelEvent(QWheelEvent* event) {
    const ChartGeometry g = geometry();
    const QPoint angle = event->angleDelta();
    const bool overNames = event->position().x() < g.rows.left();
    if (overNames || (event->modifiers() & Qt::ControlModifier) != 0) {
        rowsWheel_ += angle.y();
        const int pixels = static_cast<int>(rowsWheel_ / kWheelStep * g.rowHeight * 3);
        if (pixels != 0) {
            verticalScrollBar()->setValue(verticalScrollBar()->value() - pixels);
            rowsWheel_ = 0;
        }
    } else if ((event->modifiers() & Qt::ShiftModifier) != 0 ||
               std::abs(angle.x()) > std::abs(angle.y())) {
        remember();
        const int delta = angle.x() != 0 ? angle.x() : angle.y();
        scale_.pan(-delta / kWheelStep * scale_.width() * kPanPerKey);
        changed();
    } else if (angle.y() != 0) {
        remember();
        scale_.zoom(std::pow(kZoomPerStep, angle.y() / kWheelStep),
                    event->position().x() - g.rows.left());
        changed();
    }
    event->accept();
}

GanttView::Under GanttView::underCursor(const QPoint& at) const {
    const ChartGeometry g = geometry();
    const auto hit = g.hit(at.y());
    if (run_ == nullptr || !hit || at.x() < g.rows.left()) return {};
    const std::size_t row = layout_.order()[hit->row];
    const Duration time = scale_.at(at.x() - g.rows.left());
    const auto reach = Duration(static_cast<int64_t>(kReach * scale_.microsPerPixel()));
    const auto bar = layout_.barAt(row, time, reach);
    if (!bar) return {};
    Under found;
    found.span = layout_.row(row).bars[*bar].span;
    if (hit->subLane && *hit->subLane < layout_.row(row).below.size()) {
        const auto part = layout_.partAt(*run_, row, *bar, *hit->subLane, time, reach);
        if (part) found.part = PartPlace{.span = *found.span, .part = *part};
    }
    return found;
}

void GanttView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    const ChartGeometry g = geometry();
    dragStart_ = dragLast_ = event->position().toPoint();
    dragged_ = false;
    if (g.overview.adjusted(0, -4, 0, 4).contains(dragStart_)) {
        drag_ = Drag::Overview;
        remember();
        moveOverviewTo(dragStart_.x());
    } else if ((event->modifiers() & Qt::ShiftModifier) != 0 && dragStart_.x() >= g.rows.left()) {
        drag_ = Drag::Range;
        const Duration at = scale_.at(dragStart_.x() - g.rows.left());
        scene_.range = {at, at};
    } else {
        drag_ = Drag::Pan;
    }
}

void GanttView::moveOverviewTo(int x) {
    const ChartGeometry g = geometry();
    TimeScale whole;
    whole.setWidth(g.overview.width());
    whole.setRun(run_ == nullptr ? Duration{} : run_->now(), scale_.runEnd());
    const Duration middle = whole.at(x - g.overview.left());
    const Duration seen = scale_.end() - scale_.begin();
    scale_.show(middle - seen / 2, middle + seen / 2);
    changed();
}

void GanttView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (drag_ == Drag::None) {
        hover(at);
        return;
    }
    if ((at - dragStart_).manhattanLength() >= QApplication::startDragDistance()) dragged_ = true;
    if (drag_ == Drag::Overview) {
        moveOverviewTo(at.x());
    } else if (drag_ == Drag::Range) {
        const int left = geometry().rows.left();
        const Duration a = scale_.at(dragStart_.x() - left);
        const Duration b = scale_.at(std::max(at.x(), left) - left);
        scene_.range = {std::max(std::min(a, b), Duration::zero()), std::max(a, b)};
        viewport()->update();
    } else if (dragged_) {
        remember();
        viewport()->setCursor(Qt::ClosedHandCursor);
        if (at.x() != dragLast_.x()) scale_.pan(dragLast_.x() - at.x());
        if (at.y() != dragLast_.y()) {
            verticalScrollBar()->setValue(verticalScrollBar()->value() + dragLast_.y() - at.y());
        }
        dragLast_ = at;
        changed();
    }
}

void GanttView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(drag_, Drag::None);
    viewport()->unsetCursor();
    if (drag == Drag::Range) {
        if (!dragged_) scene_.range.reset();
        Q_EMIT rangeChosen();
    } else if (drag == Drag::Pan && !dragged_ && event->button() == Qt::LeftButton) {
        if (scene_.range) {
            scene_.range.reset();
            Q_EMIT rangeChosen();
        }
        const Under under = underCursor(event->position().toPoint());
        chooseSpan(under.span, under.part);
    }
    viewport()->update();
}

void GanttView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Under under = underCursor(event->position().toPoint());
    if (!under.span) return;
    chooseSpan(under.span, under.part);
    fitChosen();
    Q_EMIT activated(run_->spans()[*under.span].span.task);
}

void GanttView::fitChosen() {
    if (!current_) return;
    const SpanState& state = run_->spans()[*current_];
    Duration begin = state.begin;
    Duration end = state.end.value_or(run_->now());
    if (scene_.selectedPart) {
        const events::PartState& part = state.parts[scene_.selectedPart->part];
        begin = part.begin;
        end = part.end.value_or(end);
    }
    const Duration air = std::max((end - begin) / 4, Duration(1000));
    showRange(begin - air, end + air);
}

void GanttView::hover(const QPoint& at) {
    const ChartGeometry g = geometry();
    const auto before = std::tuple(scene_.hovered, scene_.hoveredPart, scene_.crosshair);
    const bool inside =
        at.x() >= g.rows.left() && at.x() <= g.rows.right() && at.y() <= g.axisBottom();
    scene_.crosshair = inside ? std::optional<double>(at.x() - g.rows.left()) : std::nullopt;
    const Under under = underCursor(at);
    scene_.hoveredPart = under.part;
    scene_.hovered = under.part ? std::nullopt : under.span;
    if (before != std::tuple(scene_.hovered, scene_.hoveredPart, scene_.crosshair)) {
        viewport()->update();
    }
}

bool GanttView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = toolTipAt(help->pos());
        if (tip.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), tip, viewport());
        }
        return true;
    }
    if (event->type() == QEvent::Leave) {
        scene_.hovered.reset();
        scene_.hoveredPart.reset();
        scene_.crosshair.reset();
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void GanttView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    // The picture has the colours of the theme in which it was made.
    if (event->type() == QEvent::PaletteChange) overview_ = QPixmap();
}

QString GanttView::pieceToolTip(const Row& row, std::size_t bar, Duration at,
                                Duration tolerance) const {
    const SpanState& span = run_->spans()[row.bars[bar].span];
    if (row.bars[bar].end - row.bars[bar].begin > tolerance) return barToolTip(*run_, span, at);
    const Duration from = row.bars[bar].begin;
    const std::size_t last = firstEndingAfter(row.bars, from + tolerance, bar);
    if (last <= bar + 1) return barToolTip(*run_, span, at);
    std::array<std::size_t, kCategories> counts{};
    for (std::size_t i = bar; i < last; ++i) {
        ++counts[static_cast<std::size_t>(categoryOf(row.bars[i].kind))];
    }
    QStringList kinds;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        kinds << QStringLiteral("%1 × %2").arg(countText(counts[i]),
                                               categoryName(static_cast<Category>(i)));
    }
    return QStringLiteral("<b>%1</b><br>%2<br>%3")
        .arg(tr("%1 tasks at %2").arg(countText(last - bar), clockText(from)),
             kinds.join(QStringLiteral(", ")), tr("Zoom in to see each."));
}

/// Those whose marks in the ruler are there.
QString GanttView::noticesAt(int x) const {
    QStringList found;
    for (const auto& [at, notice] : run_->notices()) {
        if (std::abs(geometry().rows.left() + scale_.x(at) - x) > kReach) continue;
        found << QStringLiteral("%1  %2").arg(clockText(at), text(notice.message));
    }
    constexpr qsizetype kMost = 6;
    if (found.size() > kMost) {
        const auto more = found.size() - kMost;
        found = found.mid(0, kMost) << tr("and %1 more").arg(more);
    }
    return found.join(u'\n').toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
}

QString GanttView::toolTipAt(const QPoint& at) const {
    const ChartGeometry g = geometry();
    const auto row = g.rowAt(at.y());
    if (run_ == nullptr || at.x() < g.rows.left()) return {};
    if (g.ruler.contains(at)) return noticesAt(at.x());
    if (!row) return {};
    if (const auto part = underCursor(at).part) {
        const SpanState& span = run_->spans()[part->span];
        return partToolTip(*run_, span, span.parts[part->part]);
    }
    const std::size_t index = layout_.order()[*row];
    const Duration time = scale_.at(at.x() - g.rows.left());
    const auto reach = Duration(static_cast<int64_t>(kReach * scale_.microsPerPixel()));
    if (const auto bar = layout_.barAt(index, time, reach)) {
        return pieceToolTip(layout_.row(index), *bar, time,
                            Duration(static_cast<int64_t>(scale_.microsPerPixel() * 2)));
    }
    if (const auto gap = layout_.gapAt(index, time)) {
        const Gap& found = layout_.row(index).gaps[*gap];
        const events::IdleState& idle = run_->idles()[found.idle];
        return QStringLiteral("<b>%1</b><br>%2<br>%3")
            .arg(tr("%1 idle").arg(workerName(idle.idle.worker)),
                 idleText(idle.idle).toHtmlEscaped(), periodText(found.begin, found.end));
    }
    return {};
}

/// Tab goes from bar to bar in the order in which they began, by way of what lies beneath each,
/// and on when there are no more.
bool GanttView::focusNextPrevChild(bool next) {
    if (run_ == nullptr || run_->spans().empty() || !hasFocus() || !stepBar(next)) {
        return QAbstractScrollArea::focusNextPrevChild(next);
    }
    return true;
}

bool GanttView::stepBar(bool forward) {
    const auto& spans = run_->spans();
    const auto partsOf = [&](std::size_t span) { return spans[span].parts.size(); };
    // Within a bar: 0 is the bar itself, then come its parts.
    std::size_t within = scene_.selectedPart ? scene_.selectedPart->part + 1 : 0;
    std::size_t at = current_.value_or(0);
    if (!current_) {
        at = forward ? 0 : spans.size() - 1;
        within = forward ? 0 : partsOf(at);
    } else if (forward && within < partsOf(at)) {
        ++within;
    } else if (forward) {
        if (++at == spans.size()) return false;
        within = 0;
    } else if (within > 0) {
        --within;
    } else {
        if (at-- == 0) return false;
        within = partsOf(at);
    }
    chooseSpan(
        at, within > 0 ? std::optional(PartPlace{.span = at, .part = within - 1}) : std::nullopt);
    revealSpan(at);
    return true;
}

void GanttView::keyPressEvent(QKeyEvent* event) {
    const double step = scale_.width() * kPanPerKey;
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    if ((event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0 &&
        !event->matches(QKeySequence::Find)) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const auto moveRows = [&](int rows) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() + rows * geometry().rowHeight);
    };
    switch (event->key()) {
        case Qt::Key_W:
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomBy(kZoomPerStep);
            return;
        case Qt::Key_S:
        case Qt::Key_Minus:
            zoomBy(1 / kZoomPerStep);
            return;
        case Qt::Key_A:
        case Qt::Key_Left:
            remember();
            scale_.pan(-step);
            changed();
            return;
        case Qt::Key_D:
        case Qt::Key_Right:
            remember();
            scale_.pan(step);
            changed();
            return;
        case Qt::Key_Up:
            moveRows(-1);
            return;
        case Qt::Key_Down:
            moveRows(1);
            return;
        case Qt::Key_PageUp:
            moveRows(-geometry().rows.height() / geometry().rowHeight);
            return;
        case Qt::Key_PageDown:
            moveRows(geometry().rows.height() / geometry().rowHeight);
            return;
        case Qt::Key_F:
            if (shift) {
                setFollowing(true);
            } else if (event->matches(QKeySequence::Find)) {
                Q_EMIT searchAsked();
            } else if (scene_.range) {
                showRange(scene_.range->first, scene_.range->second);
            } else {
                fit();
            }
            return;
        case Qt::Key_Z:
            fitChosen();
            return;
        case Qt::Key_0:
            fit();
            return;
        case Qt::Key_Home:
            remember();
            scale_.goToBegin();
            changed();
            return;
        case Qt::Key_End:
            remember();
            scale_.goToEnd();
            changed();
            return;
        case Qt::Key_Slash:
            Q_EMIT searchAsked();
            return;
        case Qt::Key_N:
            stepMatch(!shift);
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (scene_.selected) Q_EMIT activated(*scene_.selected);
            return;
        case Qt::Key_Escape:
            scene_.range.reset();
            Q_EMIT rangeChosen();
            chooseSpan(std::nullopt);
            return;
        case Qt::Key_Backspace:
            back();
            return;
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

void GanttView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse) {
        const Under under = underCursor(event->pos());
        if (!under.span) return;
        chooseSpan(under.span, under.part);
        Q_EMIT menuAsked(run_->spans()[*under.span].span.task, event->globalPos());
    } else if (scene_.selected) {
        Q_EMIT menuAsked(*scene_.selected, mapToGlobal(rect().center()));
    }
}

}  // namespace gantry::ui
