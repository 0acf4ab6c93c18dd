// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/gantt_painter.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "ui/charts/strips.h"
#include "ui/forms/text.h"
#include "ui/gantt/patterns.h"
#include "ui/gantt/phases.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using events::RunState;
using events::SpanState;

constexpr int kRulerHeight = 26;
constexpr int kThroughputHeight = 38;
constexpr int kLoadHeight = 34;
constexpr int kOverviewHeight = 32;
constexpr int kStripMargin = 5;
constexpr int kRightMargin = 14;
constexpr double kLeastPiece = 1.5;  ///< pixels; what is narrower is merged
constexpr double kLeastRect = 5;     ///< what is narrower is drawn by columns
constexpr double kLeastLabel = 34;
constexpr double kLeastPattern = 14;
constexpr double kLeastGapLabel = 46;
constexpr double kRest = 0.35;  ///< of the panel's colour in what is still to be done
constexpr int kPad = 6;
constexpr int kCompactRow = 30;
constexpr int kSmallText = 11;
constexpr int kSubLaneText = 10;

bool dividesIntoPhases(const SpanState& span) {
    return isMaintenance(span.kind) && !span.phases.empty();
}

QFont smallFont() {
    QFont font = interfaceFont();
    font.setPixelSize(kSmallText);
    return font;
}

QFont clockFont() {
    QFont font = smallFont();
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont labelFont(int rowHeight) {
    QFont font = interfaceFont();
    font.setPixelSize(rowHeight >= kCompactRow ? 12 : kSmallText);
    return font;
}

/// `share` of 256 parts of the other colour; two channels at a time.
QRgb blended(QRgb color, QRgb other, uint32_t share) {
    constexpr QRgb kPair = 0x00ff00ff;
    const QRgb low = ((color & kPair) * (256 - share) + (other & kPair) * share) >> 8;
    const QRgb high = ((color >> 8) & kPair) * (256 - share) + ((other >> 8) & kPair) * share;
    return (low & kPair) | (high & ~kPair);
}

/// Bars of a row leave air above and below.
QRect bandOf(const ChartGeometry& geometry, int top) {
    const int air = geometry.rowHeight >= kCompactRow ? 6 : 2;
    return {geometry.rows.left(), top + air, geometry.rows.width(), geometry.rowHeight - 2 * air};
}

}  // namespace

ChartGeometry ChartGeometry::of(QSize size, const Layout& layout, bool withLoad) {
    ChartGeometry g;
    g.subLanesAbove = layout.subLanesAbove();
    const int right = std::max(size.width() - kRightMargin - kHeaderWidth, 1);
    const int loadHeight = withLoad ? kLoadHeight : 0;
    const int strips = kThroughputHeight + loadHeight + kOverviewHeight + 2 * kStripMargin;
    const int height = std::max(size.height() - kRulerHeight - strips, kLowestRow);
    g.ruler = {kHeaderWidth, 0, right, kRulerHeight};
    g.headers = {0, kRulerHeight, kHeaderWidth, height};
    g.rows = {kHeaderWidth, kRulerHeight, right, height};
    g.throughput = {kHeaderWidth, g.rows.bottom() + 1, right, kThroughputHeight};
    g.load = {kHeaderWidth, g.throughput.bottom() + 1, right, loadHeight};
    g.overview = {kHeaderWidth, g.axisBottom() + 1 + kStripMargin, right, kOverviewHeight};
    const int count = std::max(static_cast<int>(g.rowCount()), 1);
    const auto subLanes = static_cast<int>(g.subLanesAbove.back());
    g.rowHeight =
        std::clamp((height - subLanes * kTallestSubLane) / count, kLowestRow, kTallestRow);
    g.subLaneHeight = g.rowHeight >= kCompactRow ? kTallestSubLane : kLowestSubLane;
    return g;
}

int ChartGeometry::heightFor(const Layout& layout, bool withLoad) {
    ChartGeometry g;
    g.subLanesAbove = layout.subLanesAbove();
    return kRulerHeight + kThroughputHeight + (withLoad ? kLoadHeight : 0) + kOverviewHeight +
           2 * kStripMargin + std::max(g.contentHeight(), kTallestRow);
}

std::optional<ChartGeometry::Hit> ChartGeometry::hit(int y) const {
    if (y < rows.top() || y > rows.bottom() || rowTop(rowCount()) <= y) return std::nullopt;
    std::size_t first = 0;
    std::size_t last = rowCount();
    while (last - first > 1) {
        const std::size_t middle = (first + last) / 2;
        (rowTop(middle) <= y ? first : last) = middle;
    }
    Hit found{.row = first, .subLane = std::nullopt};
    const int beneath = y - subLanesTop(first);
    if (beneath >= 0) found.subLane = static_cast<std::size_t>(beneath / subLaneHeight);
    return found;
}

std::optional<std::size_t> ChartGeometry::rowAt(int y) const {
    const auto found = hit(y);
    return found ? std::optional(found->row) : std::nullopt;
}

GanttPainter::GanttPainter(QPainter& painter, const ChartScene& scene,
                           const ChartGeometry& geometry)
    : p_(painter),
      scene_(scene),
      geometry_(geometry),
      labels_(labelFont(geometry.rowHeight), !scene.vector),
      columns_(static_cast<std::size_t>(geometry.rows.width()) + 1) {
    for (std::size_t i = 0; i < looks_.size(); ++i) {
        KindLook& look = looks_[i];
        look.color = kindColor(static_cast<plan::TaskKind>(i));
        look.dimmed = mixed(look.color, currentTheme().panel, 0.8);
        look.rest = mixed(look.color, currentTheme().panel, kRest);
        look.text = textOn(look.color);
        look.restText = textOn(look.rest);
        look.body =
            patternedBrush(look.color, patternOf(categoryOf(static_cast<plan::TaskKind>(i))));
    }
}

double GanttPainter::left() const { return geometry_.rows.left(); }

void GanttPainter::paint() {
    const Theme& theme = currentTheme();
    const int width = geometry_.rows.right() + kRightMargin + 1;
    const int height = geometry_.overview.bottom() + kStripMargin + 1;
    p_.fillRect(QRect(0, 0, width, height), theme.panel);
    placePlates();
    paintRuler();
    p_.save();
    p_.setClipRect(QRect(0, geometry_.rows.top(), width, geometry_.rows.height()));
    paintGrid();
    const std::vector<std::size_t>& order = scene_.layout->order();
    const std::size_t first = geometry_.rowAt(geometry_.rows.top()).value_or(0);
    std::size_t end = first;
    for (; end < order.size() && geometry_.rowTop(end) <= geometry_.rows.bottom(); ++end) {
        paintHeader(end, geometry_.rowTop(end));
    }
    p_.setClipRect(geometry_.rows);
    for (std::size_t i = first; i < end; ++i) paintRow(i, geometry_.rowTop(i));
    paintArrows();
    p_.restore();
    paintThroughput();
    p_.save();
    p_.setClipRect(QRect(geometry_.ruler.left(), 0, geometry_.ruler.width() + kRightMargin,
                         geometry_.axisBottom()));
    paintRange();
    paintLines();
    p_.restore();
    paintOverview();
}

/// The clock is where now is. The lower bound is told beside its line, below the last row or else
/// in the ruler, where neither a bar nor the clock is; if there is no such place, by the line
/// alone.
void GanttPainter::placePlates() {
    const RunState& run = *scene_.run;
    const auto xOf = [&](Duration at) { return left() + scene_.scale->x(at); };
    const auto seen = [&](double x) { return x >= left() && x <= geometry_.rows.right(); };
    const double now = xOf(run.now());
    if (!run.finished() && seen(now)) {
        const QString label = clockText(run.now());
        const double width = QFontMetrics(clockFont()).horizontalAdvance(label) + 14;
        const double most = geometry_.ruler.right() - width + kRightMargin;
        const double begin = std::max(std::min(now - width / 2, most), left());
        clock_ = {.rect = QRectF(begin, 4, width, 18), .label = label};
    }
    if (!scene_.lowerBound) return;
    const double x = xOf(*scene_.lowerBound);
    if (!seen(x)) return;
    const QString label = QCoreApplication::translate("Chart", "lower bound %1")
                              .arg(boundText(run, *scene_.lowerBound));
    const double width = QFontMetrics(smallFont()).horizontalAdvance(label) + 8;
    const bool roomBelow = geometry_.rowTop(geometry_.rowCount()) < geometry_.rows.bottom() - 16;
    const double top = roomBelow ? geometry_.rows.bottom() - 16 : geometry_.ruler.top() + 6;
    for (const double plateLeft : {x + 3, x - width - 2}) {
        const QRectF rect(plateLeft, top, width, 15);
        const bool inside =
            rect.left() > left() && rect.right() < geometry_.rows.right() + kRightMargin;
        if (!inside || rect.intersects(clock_.rect)) continue;
        bound_ = {.rect = rect, .label = label};
        return;
    }
}

void GanttPainter::paintRuler() {
    const Theme& theme = currentTheme();
    p_.setFont(smallFont());
    p_.setPen(theme.muted);
    const QFontMetrics metrics(p_.font());
    for (const Tick& tick : scene_.scale->ticks(92)) {
        const double x = left() + scene_.scale->x(tick.at);
        const QString label = text(tick.label);
        const QRectF room(x, 0, metrics.horizontalAdvance(label), geometry_.ruler.height());
        if (room.right() > geometry_.ruler.right() + kRightMargin) break;
        if (room.intersects(clock_.rect) || room.intersects(bound_.rect)) continue;
        p_.drawText(QRectF(x, 0, 120, room.height()), Qt::AlignVCenter | Qt::AlignLeft, label);
    }
}

void GanttPainter::paintGrid() {
    const Theme& theme = currentTheme();
    for (const Tick& tick : scene_.scale->ticks(92)) {
        const int x = static_cast<int>(std::lround(left() + scene_.scale->x(tick.at)));
        if (x < geometry_.rows.left()) continue;
        p_.fillRect(x, geometry_.rows.top(), 1, geometry_.rows.height(), theme.faintLine);
    }
}

void GanttPainter::paintHeader(std::size_t index, int top) {
    const Theme& theme = currentTheme();
    const Row& row = scene_.layout->row(scene_.layout->order()[index]);
    const Lane& lane = scene_.layout->lanes()[row.lane];
    p_.fillRect(0, geometry_.rowTop(index + 1) - 1, geometry_.rows.right() + kRightMargin, 1,
                theme.faintLine);
    paintSubLaneNames(row, geometry_.subLanesTop(index));
    if (lane.rows.front() != scene_.layout->order()[index]) return;  // named above
    QString name;
    QString what;
    if (scene_.layout->grouping() == Grouping::Worker) {
        name = workerName(lane.worker);
        const auto worker = scene_.run->workers().find(lane.worker);
        if (worker != scene_.run->workers().end()) {
            if (worker->second.idle) {
                what = idleText(*worker->second.idle);
            } else if (worker->second.span) {
                const SpanState& span = scene_.run->spans()[*worker->second.span];
                what = activityText(span);
                if (span.backendPid != 0) {
                    what = QStringLiteral("%1 · %2").arg(QString::number(span.backendPid), what);
                }
            } else if (scene_.busy != nullptr && scene_.busy->contains(lane.worker)) {
                what = QCoreApplication::translate("Chart", "%1 busy")
                           .arg(shareText(scene_.busy->at(lane.worker)));
            }
        }
    } else {
        name = scene_.layout->grouping() == Grouping::Table ? shortObject(lane.name)
                                                            : kindName(lane.kind);
    }
    const bool compact = geometry_.rowHeight < kCompactRow;
    QFont bold = compact ? smallFont() : interfaceFont();
    bold.setWeight(QFont::DemiBold);
    const QRect room(14, top, ChartGeometry::kHeaderWidth - 22, geometry_.rowHeight - 1);
    p_.setFont(bold);
    p_.setPen(theme.text);
    const QFontMetrics metrics(bold);
    if (what.isEmpty()) {
        p_.drawText(room, Qt::AlignVCenter,
                    metrics.elidedText(name, Qt::ElideMiddle, room.width()));
        return;
    }
    if (compact) {
        p_.drawText(room, Qt::AlignVCenter, name);
        const QRect rest = room.adjusted(metrics.horizontalAdvance(name) + 8, 0, 0, 0);
        p_.setFont(smallFont());
        p_.setPen(theme.muted);
        p_.drawText(rest, Qt::AlignVCenter,
                    QFontMetrics(p_.font()).elidedText(what, Qt::ElideRight, rest.width()));
        return;
    }
    const int half = room.height() / 2;
    p_.drawText(room.adjusted(0, 2, 0, -half), Qt::AlignBottom, name);
    p_.setFont(smallFont());
    p_.setPen(theme.muted);
    p_.drawText(room.adjusted(0, half + 1, 0, 0), Qt::AlignTop,
                QFontMetrics(p_.font()).elidedText(what, Qt::ElideRight, room.width()));
}

void GanttPainter::paintRow(std::size_t index, int top) {
    const Row& row = scene_.layout->row(scene_.layout->order()[index]);
    const QRect band = bandOf(geometry_, top);
    // Who waits for a lock does so in the middle of a task.
    paintGaps(row, band, [](events::IdleCause cause) { return cause != events::IdleCause::Lock; });
    paintBars(row, band, geometry_.subLanesTop(index));
    paintGaps(row, band, [](events::IdleCause cause) { return cause == events::IdleCause::Lock; });
    paintFlaws(row, band);
}

void GanttPainter::paintGaps(const Row& row, const QRect& band, bool (*wanted)(events::IdleCause)) {
    const Theme& theme = currentTheme();
    thread_local QColor made;
    thread_local QBrush hatch;
    if (made != theme.idleHatch) {
        made = theme.idleHatch;
        hatch = patternedBrush(theme.idleBase, patternBrush(Pattern::Rising, made));
    }
    p_.setFont(labelFont(geometry_.rowHeight));
    const QFontMetrics metrics(p_.font());
    forEachPiece(row.gaps, *scene_.scale, kLeastPiece, [&](const Piece& piece) {
        const double x0 = std::max(left() + piece.x0, left() - kPad);
        const double x1 = std::min(left() + piece.x1, static_cast<double>(band.right()) + kPad);
        if (x1 - x0 < 2) return;
        const Gap& gap = row.gaps[piece.first];
        if (gap.cause == events::IdleCause::Left || !wanted(gap.cause)) return;
        const QRectF rect(x0, band.top(), x1 - x0, band.height());
        p_.fillRect(rect, hatch);
        if (x1 - x0 < kLeastGapLabel || piece.count() > 1) return;
        const QString label = metrics.elidedText(idleText(scene_.run->idles()[gap.idle].idle),
                                                 Qt::ElideRight, static_cast<int>(x1 - x0) - 12);
        const QRectF room(x0 + kPad, band.top(), metrics.horizontalAdvance(label) + 4.0,
                          band.height());
        const QRectF plate = room.adjusted(-3, band.height() / 2.0 - 8, 0, 8 - band.height() / 2.0);
        p_.fillRect(plate, theme.idleBase);
        p_.setPen(theme.muted);
        p_.drawText(room, Qt::AlignVCenter, label);
    });
}

bool GanttPainter::dimmed(const Bar& bar) const {
    if (scene_.hidden[static_cast<std::size_t>(categoryOf(bar.kind))]) return true;
    return scene_.matches != nullptr && bar.span < scene_.matches->size() &&
           !(*scene_.matches)[bar.span];
}

bool GanttPainter::standsOut(const Bar& bar) const {
    return scene_.showCritical && scene_.critical != nullptr &&
           bar.span < scene_.critical->size() && (*scene_.critical)[bar.span];
}

void GanttPainter::paintNarrow(const Row& row, const Piece& piece, const QRect& band) {
    const Bar& bar = row.bars[piece.first];
    const KindLook& look = looks_[static_cast<std::size_t>(bar.kind)];
    const QColor& color = dimmed(bar) ? look.dimmed : look.color;
    if (scene_.vector) {
        p_.fillRect(QRectF(left() + piece.x0, band.top(), std::max(piece.x1 - piece.x0, 0.5),
                           band.height()),
                    color);
        return;
    }
    columnsUsed_ = true;
    const double from = std::max(piece.x0, 0.0);
    const double to =
        std::min(std::max(piece.x1, piece.x0 + 1), static_cast<double>(columns_.size() - 1));
    for (auto i = static_cast<std::size_t>(from); static_cast<double>(i) < to; ++i) {
        const auto column = static_cast<double>(i);
        const double share = std::min(column + 1, to) - std::max(column, from);
        columns_[i] = blended(columns_[i], color.rgb(), static_cast<uint32_t>(share * 256));
    }
}

/// All narrow bars of a row in one image, since a rectangle each would take too long.
void GanttPainter::flushNarrow(const QRect& band) {
    if (!columnsUsed_) return;
    QImage image(static_cast<int>(columns_.size()), band.height(),
                 QImage::Format_ARGB32_Premultiplied);
    const std::size_t bytes = columns_.size() * sizeof(QRgb);
    for (int y = 0; y < image.height(); ++y) std::memcpy(image.scanLine(y), columns_.data(), bytes);
    p_.drawImage(band.topLeft(), image);
    std::fill(columns_.begin(), columns_.end(), 0);
    columnsUsed_ = false;
}

void GanttPainter::paintBars(const Row& row, const QRect& band, int below) {
    p_.setFont(labels_.font());
    struct Wide {
        const Bar* bar;
        QRectF rect;
    };
    std::vector<Wide> wide;
    forEachPiece(row.bars, *scene_.scale, kLeastPiece, [&](const Piece& piece) {
        if (piece.count() > 1 || piece.x1 - piece.x0 < kLeastRect) {
            paintNarrow(row, piece, band);
            return;
        }
        // Sums of pixels far outside overflow the rasterizer.
        const double x0 = std::max(left() + piece.x0, left() - kPad);
        const double x1 = std::min(left() + piece.x1, static_cast<double>(band.right()) + kPad);
        wide.push_back({&row.bars[piece.first], QRectF(x0, band.top(), x1 - x0, band.height())});
    });
    flushNarrow(band);
    for (std::size_t i = 0; i < wide.size(); ++i) {
        // Of chunks of one task that follow each other the first alone is called by its name.
        const bool continues = i > 0 && wide[i - 1].bar->task == wide[i].bar->task &&
                               wide[i].rect.left() - wide[i - 1].rect.right() < 4;
        if (wide[i].bar->running) paintGhost(*wide[i].bar, band);
        paintBar(*wide[i].bar, wide[i].rect, continues);
        if (!row.below.empty()) paintParts(row, *wide[i].bar, wide[i].rect, below);
    }
}

void GanttPainter::paintGhost(const Bar& bar, const QRect& band) {
    const SpanState& span = scene_.run->spans()[bar.span];
    const auto end = expectedEnd(*scene_.run, span);
    if (!end) return;
    const double x0 = std::max(left() + scene_.scale->x(bar.end), left() - kPad);
    const double x1 =
        std::min(left() + scene_.scale->x(*end), static_cast<double>(band.right()) + kPad);
    if (x1 - x0 < 4) return;
    QPen pen(mixed(kindColor(bar.kind), currentTheme().panel, 0.3), 1, Qt::DashLine);
    p_.setPen(pen);
    p_.setBrush(Qt::NoBrush);
    p_.drawRect(QRectF(x0 + 0.5, band.top() + 0.5, x1 - x0 - 1, band.height() - 1));
}

void GanttPainter::paintBar(const Bar& bar, const QRectF& rect, bool continues) {
    const Theme& theme = currentTheme();
    const SpanState& span = scene_.run->spans()[bar.span];
    const bool dim = dimmed(bar);
    const KindLook& look = looks_[static_cast<std::size_t>(bar.kind)];
    const QColor& color = dim ? look.dimmed : look.color;
    // A hairline of the panel's colour parts neighbours.
    const QRectF body = rect.adjusted(0, 0, rect.width() > 8 ? -1 : 0, 0);
    const bool phases = dividesIntoPhases(span);
    const bool patterned = !dim && !phases && body.width() >= kLeastPattern;
    if (patterned && !bar.running && !scene_.vector) {
        p_.fillRect(body, look.body);
    } else {
        p_.fillRect(body, color);
    }
    const double fraction = bar.running ? scene_.run->spanFraction(span) : 1;
    const double done = body.left() + body.width() * fraction;
    if (bar.running) {
        p_.fillRect(QRectF(QPointF(done, body.top()), body.bottomRight()),
                    dim ? mixed(color, theme.panel, kRest) : look.rest);
    }
    stretches_.clear();
    if (dim) {
        addStretch(body.right(), theme.muted);
    } else if (!phases || body.width() < kLeastPattern) {
        addStretch(done, look.text);
        addStretch(body.right(), look.restText);
    }
    if (!dim && phases && body.width() >= kLeastPattern) {
        paintPhases(bar, body, done);
    } else if (patterned && (bar.running || scene_.vector)) {
        const QBrush pattern = patternOf(categoryOf(bar.kind));
        if (pattern.style() != Qt::NoBrush) p_.fillRect(body, pattern);
    }
    if (body.width() >= kLeastPattern && !scene_.vector) {  // round corners
        for (const QPointF& corner : {body.topLeft(), QPointF(body.right() - 1, body.top()),
                                      QPointF(body.left(), body.bottom() - 1),
                                      QPointF(body.right() - 1, body.bottom() - 1)}) {
            p_.fillRect(QRectF(corner, QSizeF(1, 1)), theme.panel);
        }
    }
    const bool chosen = scene_.selected == bar.task && !scene_.selectedPart;
    if (chosen || scene_.hovered == bar.span || (standsOut(bar) && !dim)) {
        paintFrame(body, chosen ? 2 : 1, chosen ? theme.accent : theme.text);
        if (chosen) paintFrame(body.adjusted(2, 2, -2, -2), 1, theme.panel);
    }
    if (body.width() < kLeastLabel) return;
    const double visibleLeft = std::max(body.left(), left());
    QRectF room(visibleLeft + kPad, body.top(), body.right() - visibleLeft - 2 * kPad,
                body.height());
    if (bar.running && room.width() > 90 && fraction > 0) {
        const QString percent = percentText(fraction);
        paintOnBar(room, [&] { p_.drawText(room, Qt::AlignVCenter | Qt::AlignRight, percent); });
        room.setRight(room.right() - p_.fontMetrics().horizontalAdvance(percent) - kPad);
    }
    if (room.width() < 12) return;
    const QString label = continues ? partLabel(span) : barLabel(*scene_.run, span);
    // Half a number would be another part's.
    if (continues && p_.fontMetrics().horizontalAdvance(label) > room.width()) return;
    paintOnBar(room, [&] { labels_.draw(p_, room, label); });
}

/// Stretches of one colour become one.
void GanttPainter::addStretch(double end, const QColor& text) {
    if (!stretches_.empty() && stretches_.back().text == text) {
        stretches_.back().end = std::max(stretches_.back().end, end);
    } else if (stretches_.empty() || stretches_.back().end < end) {
        stretches_.push_back({.end = end, .text = text});
    }
}

/// Words that go from one colour to another change theirs on the way.
template <class Draw>
void GanttPainter::paintOnBar(const QRectF& room, Draw draw) {
    double from = room.left() - kPad;
    for (const Stretch& stretch : stretches_) {
        const QRectF part(QPointF(from, room.top()), QPointF(stretch.end, room.bottom()));
        from = std::max(from, stretch.end);
        if (part.width() <= 0 || part.left() > room.right()) continue;
        p_.save();
        if (stretches_.size() > 1) p_.setClipRect(part, Qt::IntersectClip);
        p_.setPen(stretch.text);
        draw();
        p_.restore();
    }
}

/// Inside the rectangle; many times faster than a pen.
void GanttPainter::paintFrame(const QRectF& rect, double thickness, const QColor& color) {
    p_.fillRect(QRectF(rect.left(), rect.top(), rect.width(), thickness), color);
    p_.fillRect(QRectF(rect.left(), rect.bottom() - thickness, rect.width(), thickness), color);
    p_.fillRect(QRectF(rect.left(), rect.top(), thickness, rect.height()), color);
    p_.fillRect(QRectF(rect.right() - thickness, rect.top(), thickness, rect.height()), color);
}

/// Phases side by side, the one under way as far as the bar is `done`; the lightest pattern over
/// each, so that the label stays legible.
void GanttPainter::paintPhases(const Bar& bar, const QRectF& body, double done) {
    const SpanState& span = scene_.run->spans()[bar.span];
    const KindLook& look = looks_[static_cast<std::size_t>(bar.kind)];
    const auto xOf = [&](Duration at) {
        return std::clamp(left() + scene_.scale->x(at), body.left(), body.right());
    };
    const Theme& theme = currentTheme();
    for (const events::PhaseState& state : span.phases) {
        const double x0 = xOf(state.begin);
        const double x1 = xOf(state.end.value_or(span.end.value_or(scene_.run->now())));
        if (x1 - x0 < 0.5) continue;
        const QRectF rect(x0, body.top(), x1 - x0, body.height());
        const Phase phase = phaseOf(state.phase);
        const QColor color = phaseColor(phase);
        p_.fillRect(rect, color);
        addStretch(x0, look.text);
        if (span.running() && !state.end && done < rect.right()) {
            const QColor rest = mixed(color, theme.panel, kRest);
            p_.fillRect(QRectF(QPointF(std::max(done, x0), rect.top()), rect.bottomRight()), rest);
            if (done > x0) addStretch(done, textOn(color));
            addStretch(x1, textOn(rest));
        } else {
            addStretch(x1, textOn(color));
        }
        const QBrush pattern = phasePattern(phase);
        if (pattern.style() != Qt::NoBrush) p_.fillRect(rect, pattern);
        if (x0 > body.left() + 1) {
            p_.fillRect(QRectF(x0, body.top(), 1, body.height()), theme.panel);
        }
    }
    addStretch(body.right(), look.text);
}

/// What of a bar has a place of its own beneath it.
void GanttPainter::paintParts(const Row& row, const Bar& bar, const QRectF& rect, int below) {
    const SpanState& span = scene_.run->spans()[bar.span];
    if (span.parts.empty()) return;
    const bool dim = dimmed(bar);
    const QFont before = p_.font();
    QFont font = before;
    font.setPixelSize(kSubLaneText);
    p_.setFont(font);
    for (std::size_t i = 0; i < span.parts.size(); ++i) {
        const events::PartState& part = span.parts[i];
        const auto lane = std::find(row.below.begin(), row.below.end(), subLaneOf(part));
        const Duration end = part.end.value_or(span.end.value_or(scene_.run->now()));
        const double x0 = std::max(left() + scene_.scale->x(part.begin), rect.left());
        const double x1 = std::min(left() + scene_.scale->x(end), rect.right());
        if (lane == row.below.end() || x1 < x0) continue;
        const auto down = static_cast<int>(lane - row.below.begin()) * geometry_.subLaneHeight;
        paintPart(part,
                  QRectF(x0, below + down, std::max(x1 - x0 - 1, 1.0), geometry_.subLaneHeight - 3),
                  {.span = bar.span, .part = i}, dim);
    }
    p_.setFont(before);
}

void GanttPainter::paintPart(const events::PartState& part, const QRectF& rect, PartPlace place,
                             bool dim) {
    const Theme& theme = currentTheme();
    QColor color = partColor(lookOf(part));
    if (dim) color = mixed(color, theme.panel, 0.8);
    p_.fillRect(rect, color);
    const bool chosen = scene_.selectedPart == place;
    if (chosen || scene_.hoveredPart == place) {
        p_.setPen(QPen(chosen ? theme.accent : theme.text, chosen ? 2 : 1.4));
        p_.setBrush(Qt::NoBrush);
        p_.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (rect.width() < kLeastLabel) return;
    p_.setPen(dim ? theme.muted : textOn(color));
    const double seen = std::max(rect.left(), left());
    const QRectF room(seen + 4, rect.top(), rect.right() - seen - 6, rect.height());
    p_.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                QFontMetrics(p_.font()).elidedText(shortObject(part.object), Qt::ElideMiddle,
                                                   static_cast<int>(room.width())));
}

void GanttPainter::paintSubLaneNames(const Row& row, int below) {
    if (row.below.empty()) return;
    QFont font = interfaceFont();
    font.setPixelSize(kSubLaneText);
    p_.setFont(font);
    p_.setPen(currentTheme().muted);
    for (std::size_t i = 0; i < row.below.size(); ++i) {
        const QRect room(26, below + static_cast<int>(i) * geometry_.subLaneHeight,
                         ChartGeometry::kHeaderWidth - 34, geometry_.subLaneHeight - 3);
        p_.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, subLaneName(row.below[i]));
    }
}

/// However narrow a bar is that did not come out well, it is seen.
void GanttPainter::paintFlaws(const Row& row, const QRect& band) {
    for (const uint32_t index : row.flawed) {
        const Bar& bar = row.bars[index];
        const double x0 = left() + scene_.scale->x(bar.begin);
        const double x1 = left() + scene_.scale->x(bar.end);
        if (x1 < left() || x0 > band.right()) continue;
        const QRectF rect(x0, band.top(), std::max(x1 - x0, 3.0), band.height());
        if (bar.flaw == Flaw::CutOff) {
            paintTornEnd(p_, rect);
        } else {
            p_.fillRect(QRectF(rect.left(), rect.bottom() - 4, rect.width(), 4),
                        currentTheme().error);
            if (bar.flaw == Flaw::Failed) paintFailure(rect);
        }
    }
}

void GanttPainter::paintFailure(const QRectF& rect) {
    const Theme& theme = currentTheme();
    p_.setPen(QPen(theme.error, 1.5));
    p_.setBrush(Qt::NoBrush);
    p_.drawRect(rect.adjusted(0.75, 0.75, -0.75, -0.75));
    if (rect.width() <= 16) return;
    const QPointF c(rect.right() - 8, rect.center().y());  // a cross, for who cannot see red
    p_.setPen(QPen(theme.error, 2));
    p_.drawLine(c + QPointF(-3, -3), c + QPointF(3, 3));
    p_.drawLine(c + QPointF(-3, 3), c + QPointF(3, -3));
}

void GanttPainter::paintLines() {
    const Theme& theme = currentTheme();
    const RunState& run = *scene_.run;
    const auto xOf = [&](Duration at) { return left() + scene_.scale->x(at); };
    const auto seen = [&](double x) { return x >= left() && x <= geometry_.rows.right(); };
    const int bottom = geometry_.axisBottom();
    p_.setFont(smallFont());
    if (scene_.lowerBound && seen(xOf(*scene_.lowerBound))) {
        const double x = xOf(*scene_.lowerBound);
        p_.setPen(QPen(theme.muted, 1, Qt::DotLine));
        p_.drawLine(QPointF(x, geometry_.rows.top()), QPointF(x, bottom));
        p_.fillRect(bound_.rect, theme.panel);
        p_.setPen(theme.muted);
        p_.drawText(bound_.rect, Qt::AlignCenter, bound_.label);
    }
    for (const auto& [at, notice] : run.notices()) {
        const double x = xOf(at);
        if (!seen(x)) continue;
        QPainterPath flag;
        flag.moveTo(x - 4, geometry_.ruler.bottom() - 5);
        flag.lineTo(x + 4, geometry_.ruler.bottom() - 5);
        flag.lineTo(x, geometry_.ruler.bottom());
        flag.closeSubpath();
        p_.fillPath(flag,
                    notice.severity == events::Severity::Warning ? theme.warning : theme.muted);
    }
    if (scene_.crosshair) {
        const double x = left() + *scene_.crosshair;
        p_.setPen(QPen(theme.muted, 1));
        p_.drawLine(QPointF(x, geometry_.rows.top()), QPointF(x, bottom));
    }
    const double now = xOf(run.now());
    if (!run.finished() && seen(now)) {
        p_.fillRect(
            QRectF(now - 0.75, geometry_.rows.top() - 3, 1.5, bottom - geometry_.rows.top()),
            theme.accent);
        p_.setFont(clockFont());
        p_.setPen(Qt::NoPen);
        p_.setBrush(theme.accent);
        p_.setRenderHint(QPainter::Antialiasing);
        p_.drawRoundedRect(clock_.rect, 9, 9);
        p_.setRenderHint(QPainter::Antialiasing, false);
        p_.setPen(theme.onAccent);
        p_.drawText(clock_.rect, Qt::AlignCenter, clock_.label);
    } else if (scene_.crosshair && scene_.scale->at(*scene_.crosshair) >= Duration::zero()) {
        // As exactly as it can be pointed at.
        constexpr double kPointed = 4;  // pixels
        const Duration step = tickStep(scene_.scale->microsPerPixel(), kPointed);
        const QString label = text(tickLabel(scene_.scale->at(*scene_.crosshair), step));
        const double width = p_.fontMetrics().horizontalAdvance(label) + 16;
        const double most = geometry_.ruler.right() - width + kRightMargin;
        const double begin =
            std::max(std::min(left() + *scene_.crosshair - width / 2, most), left());
        const QRectF plate(begin, 5, width, 16);
        p_.fillRect(plate, theme.panel);
        p_.setPen(theme.text);
        p_.drawText(plate, Qt::AlignCenter, label);
    }
}

void GanttPainter::paintRange() {
    if (!scene_.range) return;
    const double x0 = left() + scene_.scale->x(scene_.range->first);
    const double x1 = left() + scene_.scale->x(scene_.range->second);
    QColor tint = currentTheme().accent;
    tint.setAlpha(38);
    const int top = geometry_.rows.top();
    p_.fillRect(QRectF(x0, top, x1 - x0, geometry_.axisBottom() - top), tint);
    p_.fillRect(QRectF(x0, top, 1, geometry_.axisBottom() - top), currentTheme().accent);
    p_.fillRect(QRectF(x1, top, 1, geometry_.axisBottom() - top), currentTheme().accent);
}

/// What the chosen task waited for, and what waited for it.
void GanttPainter::paintArrows() {
    if (scene_.arrows == nullptr) return;
    const Theme& theme = currentTheme();
    std::vector<std::size_t> position(scene_.layout->order().size());
    for (std::size_t i = 0; i < position.size(); ++i) position[scene_.layout->order()[i]] = i;
    p_.setRenderHint(QPainter::Antialiasing);
    for (const auto& [from, to] : *scene_.arrows) {
        const auto a = scene_.layout->placeOf(from);
        const auto b = scene_.layout->placeOf(to);
        if (!a || !b) continue;
        const Bar& before = scene_.layout->row(a->row).bars[a->bar];
        const Bar& after = scene_.layout->row(b->row).bars[b->bar];
        const int middle = geometry_.rowHeight / 2;
        const QPointF start(left() + scene_.scale->x(before.end),
                            geometry_.rowTop(position[a->row]) + middle);
        const QPointF end(left() + scene_.scale->x(after.begin),
                          geometry_.rowTop(position[b->row]) + middle);
        constexpr double kFar = 1e5;
        if (std::abs(start.x()) > kFar || std::abs(end.x()) > kFar) continue;
        const double bend = std::max((end.x() - start.x()) / 2, 14.0);
        QPainterPath path(start);
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end);
        p_.setPen(QPen(theme.text, 1.2));
        p_.setBrush(Qt::NoBrush);
        p_.drawPath(path);
        p_.setPen(Qt::NoPen);
        p_.setBrush(theme.text);
        const QPointF tip[] = {end, end + QPointF(-6, -3.5), end + QPointF(-6, 3.5)};
        p_.drawPolygon(tip, 3);
    }
    p_.setRenderHint(QPainter::Antialiasing, false);
}

void GanttPainter::paintThroughput() {
    const QRect header(14, geometry_.throughput.top(), ChartGeometry::kHeaderWidth - 22,
                       geometry_.throughput.height());
    paintThroughputStrip(p_, header, geometry_.throughput, scene_);
    if (geometry_.load.isEmpty()) return;
    paintLoadStrip(p_, QRect(header.left(), geometry_.load.top(), header.width(), kLoadHeight),
                   geometry_.load, scene_);
}

void GanttPainter::paintOverview() {
    const QRect header(14, geometry_.overview.top(), ChartGeometry::kHeaderWidth - 22,
                       geometry_.overview.height());
    paintOverviewStrip(p_, header, geometry_.overview, scene_);
}

}  // namespace gantry::ui
