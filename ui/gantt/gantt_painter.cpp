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
#include "ui/gantt/sub_lanes.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

using events::RunState;
using events::SpanState;

constexpr int kRulerHeight = 26;
constexpr int kThroughputHeight = 38;
constexpr int kOverviewHeight = 32;
constexpr int kStripMargin = 5;
constexpr int kRightMargin = 14;
constexpr double kLeastPiece = 1.5;  ///< pixels; what is narrower is merged
constexpr double kLeastRect = 5;     ///< what is narrower is drawn by columns
constexpr double kLeastLabel = 34;
constexpr double kLeastPattern = 14;
constexpr double kLeastGapLabel = 46;
constexpr int kPad = 6;
constexpr int kCompactRow = 30;
constexpr int kSmallText = 11;
constexpr double kPhasesShare = 0.5;  ///< of a bar that has sub-lanes beneath its phases
constexpr int kSubLaneText = 9;

QColor mix(const QColor& a, const QColor& b, double share) {
    const auto part = [share](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * share));
    };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

bool dividesIntoPhases(const SpanState& span) {
    return (span.kind == plan::TaskKind::Vacuum || span.kind == plan::TaskKind::Analyze) &&
           (span.phases.size() > 1 || !span.parts.empty());
}

QFont smallFont() {
    QFont font = interfaceFont();
    font.setPixelSize(kSmallText);
    return font;
}

QFont labelFont(int rowHeight) {
    QFont font = interfaceFont();
    font.setPixelSize(rowHeight >= kCompactRow ? 12 : kSmallText);
    return font;
}

/// Bars of a row leave air above and below.
QRect bandOf(const ChartGeometry& geometry, int top) {
    const int air = geometry.rowHeight >= kCompactRow ? 6 : 2;
    return {geometry.rows.left(), top + air, geometry.rows.width(), geometry.rowHeight - 2 * air};
}

/// An image, not a pixmap: exports are drawn on threads of their own.
QImage dashes(const QPoint& step, const QColor& color) {
    constexpr int kSize = 8;
    QImage tile(kSize, kSize, QImage::Format_ARGB32_Premultiplied);
    tile.fill(Qt::transparent);
    QPainter p(&tile);
    p.setPen(color);
    if (step.isNull()) {  // dots
        for (int y = 1; y < kSize; y += 4) {
            for (int x = 1; x < kSize; x += 4) p.fillRect(x + (y == 5 ? 2 : 0), y, 1, 1, color);
        }
    } else if (step.y() == 0) {
        for (int y = 1; y < kSize; y += 4) p.drawLine(0, y, kSize, y);
    } else if (step.x() == 0) {
        for (int x = 1; x < kSize; x += 4) p.drawLine(x, 0, x, kSize);
    } else {
        p.setRenderHint(QPainter::Antialiasing);
        for (int i = -kSize; i <= kSize; i += kSize) {
            p.drawLine(QPointF(i, kSize), QPointF(i + kSize * step.x(), kSize - kSize * step.y()));
        }
    }
    return tile;
}

}  // namespace

QColor textOn(const QColor& background) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double luminance = 0.2126 * linear(background.redF()) +
                             0.7152 * linear(background.greenF()) +
                             0.0722 * linear(background.blueF());
    constexpr double kBrightest = 0.3;  // white on it still has a contrast of three
    return luminance > kBrightest ? QColor(0x10, 0x15, 0x1d) : QColor(Qt::white);
}

QBrush patternOf(Category category) {
    const QColor light(255, 255, 255, 52);
    const QColor dark(0, 0, 0, 44);
    static const std::array<QBrush, kCategories> kPatterns{
        QBrush(),                         // COPY
        QBrush(dashes({1, 1}, dark)),     // index: rising
        QBrush(dashes({0, 1}, light)),    // constraint: upright
        QBrush(dashes({}, light)),        // foreign key: dots
        QBrush(dashes({1, 0}, dark)),     // materialized view: level
        QBrush(),                         // definitions
        QBrush(dashes({-1, -1}, light)),  // vacuum: falling
        QBrush(dashes({0, 1}, dark)),     // analyze
    };
    return kPatterns[static_cast<std::size_t>(category)];
}

ChartGeometry ChartGeometry::of(QSize size, std::size_t rows) {
    ChartGeometry g;
    const int right = std::max(size.width() - kRightMargin - kHeaderWidth, 1);
    const int strips = kThroughputHeight + kOverviewHeight + 2 * kStripMargin;
    const int height = std::max(size.height() - kRulerHeight - strips, kLowestRow);
    g.ruler = {kHeaderWidth, 0, right, kRulerHeight};
    g.headers = {0, kRulerHeight, kHeaderWidth, height};
    g.rows = {kHeaderWidth, kRulerHeight, right, height};
    g.throughput = {kHeaderWidth, g.rows.bottom() + 1, right, kThroughputHeight};
    g.overview = {kHeaderWidth, g.throughput.bottom() + 1 + kStripMargin, right, kOverviewHeight};
    const auto count = static_cast<int>(std::clamp<std::size_t>(rows, 1, 100'000));
    g.rowHeight = std::clamp(height / count, kLowestRow, kTallestRow);
    return g;
}

int ChartGeometry::heightFor(std::size_t rows) {
    constexpr std::size_t kMost = 100'000;
    return kRulerHeight + kThroughputHeight + kOverviewHeight + 2 * kStripMargin +
           static_cast<int>(std::clamp<std::size_t>(rows, 1, kMost)) * kTallestRow;
}

std::optional<std::size_t> ChartGeometry::rowAt(int y, std::size_t rowCount) const {
    if (y < rows.top() || y > rows.bottom()) return std::nullopt;
    const int row = (y - rows.top() + scrolled) / rowHeight;
    if (row < 0 || static_cast<std::size_t>(row) >= rowCount) return std::nullopt;
    return static_cast<std::size_t>(row);
}

GanttPainter::GanttPainter(QPainter& painter, const ChartScene& scene,
                           const ChartGeometry& geometry)
    : p_(painter),
      scene_(scene),
      geometry_(geometry),
      columns_(static_cast<std::size_t>(geometry.rows.width()) + 1) {}

double GanttPainter::left() const { return geometry_.rows.left(); }

void GanttPainter::paint() {
    const Theme& theme = currentTheme();
    const int width = geometry_.rows.right() + kRightMargin + 1;
    const int height = geometry_.overview.bottom() + kStripMargin + 1;
    p_.fillRect(QRect(0, 0, width, height), theme.panel);
    paintRuler();
    p_.save();
    p_.setClipRect(QRect(0, geometry_.rows.top(), width, geometry_.rows.height()));
    paintGrid();
    const std::vector<std::size_t>& order = scene_.layout->order();
    const auto first = static_cast<std::size_t>(geometry_.scrolled / geometry_.rowHeight);
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
                         geometry_.throughput.bottom()));
    paintRange();
    paintLines();
    p_.restore();
    paintOverview();
}

void GanttPainter::paintRuler() {
    const Theme& theme = currentTheme();
    p_.setFont(smallFont());
    p_.setPen(theme.muted);
    for (const Tick& tick : scene_.scale->ticks(92)) {
        const double x = left() + scene_.scale->x(tick.at);
        if (x > geometry_.ruler.right() - 20) break;
        p_.drawText(QRectF(x, 0, 120, geometry_.ruler.height()), Qt::AlignVCenter | Qt::AlignLeft,
                    text(tick.label));
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
    p_.fillRect(0, top + geometry_.rowHeight - 1, geometry_.rows.right() + kRightMargin, 1,
                theme.faintLine);
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
    paintBars(row, band);
    paintGaps(row, band, [](events::IdleCause cause) { return cause == events::IdleCause::Lock; });
    paintFailures(row, band);
}

void GanttPainter::paintGaps(const Row& row, const QRect& band, bool (*wanted)(events::IdleCause)) {
    const Theme& theme = currentTheme();
    thread_local QColor made;
    thread_local QBrush hatch;
    if (made != theme.idleHatch) {
        made = theme.idleHatch;
        hatch = QBrush(dashes({1, 1}, made));
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
        p_.fillRect(rect, theme.idleBase);
        p_.setBrushOrigin(rect.topLeft());
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
    const Theme& theme = currentTheme();
    const Bar& bar = row.bars[piece.first];
    QColor color = kindColor(bar.kind);
    if (dimmed(bar)) color = mix(color, theme.panel, 0.8);
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
        const QRgb before = columns_[i];
        const double kept = 1 - share;
        const auto part = [&](int old, int fresh) {
            return static_cast<int>(old * kept + fresh * share + 0.5);
        };
        columns_[i] = qRgba(part(qRed(before), color.red()), part(qGreen(before), color.green()),
                            part(qBlue(before), color.blue()), part(qAlpha(before), 255));
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

void GanttPainter::paintBars(const Row& row, const QRect& band) {
    p_.setFont(labelFont(geometry_.rowHeight));
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
        // Chunks of one task that follow each other have one label among them.
        double labelRight = wide[i].rect.right();
        const bool continues = i > 0 && wide[i - 1].bar->task == wide[i].bar->task &&
                               wide[i].rect.left() - wide[i - 1].rect.right() < 4;
        if (continues) labelRight = 0;
        if (wide[i].bar->running) paintGhost(*wide[i].bar, band);
        paintBar(*wide[i].bar, wide[i].rect, labelRight);
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
    QPen pen(mix(kindColor(bar.kind), currentTheme().panel, 0.3), 1, Qt::DashLine);
    p_.setPen(pen);
    p_.setBrush(Qt::NoBrush);
    p_.drawRect(QRectF(x0 + 0.5, band.top() + 0.5, x1 - x0 - 1, band.height() - 1));
}

void GanttPainter::paintBar(const Bar& bar, const QRectF& rect, double labelRight) {
    const Theme& theme = currentTheme();
    const SpanState& span = scene_.run->spans()[bar.span];
    const bool dim = dimmed(bar);
    QColor color = kindColor(bar.kind);
    if (dim) color = mix(color, theme.panel, 0.8);
    // A hairline of the panel's colour parts neighbours.
    const QRectF body = rect.adjusted(0, 0, rect.width() > 8 ? -1 : 0, 0);
    p_.fillRect(body, color);
    double fraction = 1;
    if (bar.running) {
        fraction = scene_.run->spanFraction(span);
        const double done = body.width() * fraction;
        if (fraction > 0) {
            p_.fillRect(body.adjusted(done, 0, 0, 0), mix(color, theme.panel, 0.35));
        }
    }
    QRectF plain = body;
    if (!dim && body.width() >= kLeastPattern && dividesIntoPhases(span)) {
        plain = paintPhases(span, body, color);
    } else if (!dim && body.width() >= kLeastPattern) {
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
    const bool chosen = scene_.selected == bar.task;
    if (chosen || scene_.hovered == bar.span || (standsOut(bar) && !dim)) {
        const double thickness = chosen ? 2 : 1.4;
        p_.setPen(QPen(chosen ? theme.accent : theme.text, thickness));
        p_.setBrush(Qt::NoBrush);
        const double inset = thickness / 2;
        p_.drawRect(body.adjusted(inset, inset, -inset, -inset));
        if (chosen) {
            p_.setPen(QPen(theme.panel, 1));
            p_.drawRect(body.adjusted(2.5, 2.5, -2.5, -2.5));
        }
    }
    if (labelRight <= 0 || body.width() < kLeastLabel) return;
    const QFontMetrics metrics(p_.font());
    p_.setPen(dim ? theme.muted : textOn(color));
    const double visibleLeft = std::max(body.left(), left());
    QRectF room(visibleLeft + kPad, plain.top(), body.right() - visibleLeft - 2 * kPad,
                plain.height());
    if (bar.running && room.width() > 90 && fraction > 0) {
        const QString percent = percentText(fraction);
        p_.drawText(room, Qt::AlignVCenter | Qt::AlignRight, percent);
        room.setRight(room.right() - metrics.horizontalAdvance(percent) - kPad);
    }
    if (room.width() < 12) return;
    p_.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                metrics.elidedText(barLabel(span), Qt::ElideRight, static_cast<int>(room.width())));
}

/// Phases side by side in shades of the bar's colour; beneath them, in the lower half, what works
/// on indexes and the TOAST table.
QRectF GanttPainter::paintPhases(const SpanState& span, const QRectF& body, const QColor& color) {
    const Theme& theme = currentTheme();
    QRectF upper = body;
    if (!span.parts.empty()) upper.setHeight(std::ceil(body.height() * kPhasesShare));
    const auto xOf = [&](Duration at) {
        return std::clamp(left() + scene_.scale->x(at), body.left(), body.right());
    };
    std::vector<std::string> names;
    for (const events::PhaseState& phase : span.phases) {
        const Duration end = phase.end.value_or(span.end.value_or(scene_.run->now()));
        const double x0 = xOf(phase.begin);
        const double x1 = xOf(end);
        auto shade = std::find(names.begin(), names.end(), phase.phase) - names.begin();
        if (shade == static_cast<std::ptrdiff_t>(names.size())) names.push_back(phase.phase);
        constexpr std::array kShades{0.0, 0.3, 0.14, 0.44, 0.22, 0.36};
        const double share = kShades[static_cast<std::size_t>(shade) % kShades.size()];
        if (share > 0) {
            p_.fillRect(QRectF(x0, upper.top(), x1 - x0, upper.height()),
                        mix(color, theme.text, share));
        }
        if (x0 > body.left() + 1) {
            p_.fillRect(QRectF(x0, upper.top(), 1, upper.height()), theme.panel);
        }
    }
    if (upper.height() < body.height()) {
        QRectF lower = body;
        lower.setTop(upper.bottom());
        paintSubLanes(span, lower, color);
    }
    return upper;
}

void GanttPainter::paintSubLanes(const SpanState& span, const QRectF& room, const QColor& color) {
    const Theme& theme = currentTheme();
    const std::vector<SubLane> lanes = subLanesOf(span);
    p_.fillRect(room, mix(color, theme.panel, 0.75));
    const double height = room.height() / static_cast<double>(lanes.size());
    const QFont before = p_.font();
    QFont font = before;
    font.setPixelSize(kSubLaneText);
    p_.setFont(font);
    const QFontMetrics metrics(font);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const QColor own = lanes[i].kind == events::PartKind::Index
                               ? kindColor(plan::TaskKind::Index)
                               : mix(color, theme.text, 0.2);
        for (const events::PartState* part : lanes[i].parts) {
            const Duration end = part->end.value_or(span.end.value_or(scene_.run->now()));
            const double x0 = std::max(left() + scene_.scale->x(part->begin), room.left());
            const double x1 = std::min(left() + scene_.scale->x(end), room.right());
            if (x1 <= x0) continue;
            const QRectF piece(x0, room.top() + static_cast<double>(i) * height + 1,
                               std::max(x1 - x0 - 1, 1.0), std::max(height - 1, 1.0));
            p_.fillRect(piece, own);
            if (piece.height() < kSubLaneText || piece.width() < kLeastLabel) continue;
            p_.setPen(textOn(own));
            p_.drawText(piece.adjusted(3, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft,
                        metrics.elidedText(shortObject(part->object), Qt::ElideRight,
                                           static_cast<int>(piece.width()) - 5));
        }
    }
    p_.setFont(before);
}

/// However narrow a failed bar is, it is seen.
void GanttPainter::paintFailures(const Row& row, const QRect& band) {
    const Theme& theme = currentTheme();
    for (const uint32_t index : row.failures) {
        const Bar& bar = row.bars[index];
        const double x0 = left() + scene_.scale->x(bar.begin);
        const double x1 = left() + scene_.scale->x(bar.end);
        if (x1 < left() || x0 > band.right()) continue;
        const QRectF rect(x0, band.top(), std::max(x1 - x0, 3.0), band.height());
        p_.fillRect(QRectF(rect.left(), rect.bottom() - 4, rect.width(), 4), theme.error);
        p_.setPen(QPen(theme.error, 1.5));
        p_.setBrush(Qt::NoBrush);
        p_.drawRect(rect.adjusted(0.75, 0.75, -0.75, -0.75));
        if (rect.width() > 16) {  // a cross, for who cannot see that it is red
            const QPointF c(rect.right() - 8, rect.center().y());
            p_.setPen(QPen(theme.error, 2));
            p_.drawLine(c + QPointF(-3, -3), c + QPointF(3, 3));
            p_.drawLine(c + QPointF(-3, 3), c + QPointF(3, -3));
        }
    }
}

void GanttPainter::paintLines() {
    const Theme& theme = currentTheme();
    const RunState& run = *scene_.run;
    const auto xOf = [&](Duration at) { return left() + scene_.scale->x(at); };
    const auto seen = [&](double x) { return x >= left() && x <= geometry_.rows.right(); };
    const int bottom = geometry_.throughput.bottom();
    p_.setFont(smallFont());
    const QFontMetrics metrics(p_.font());
    if (scene_.lowerBound) {
        const Duration bound = *scene_.lowerBound;
        const double x = xOf(bound);
        if (seen(x)) {
            p_.setPen(QPen(theme.muted, 1, Qt::DotLine));
            p_.drawLine(QPointF(x, geometry_.rows.top()), QPointF(x, bottom));
            const QString label =
                QCoreApplication::translate("Chart", "lower bound %1").arg(clockText(bound));
            const double width = metrics.horizontalAdvance(label) + 8;
            const bool leftOf = x - width > left();
            const QRectF plate(leftOf ? x - width - 2 : x + 3, geometry_.rows.bottom() - 16, width,
                               15);
            p_.fillRect(plate, theme.panel);
            p_.setPen(theme.muted);
            p_.drawText(plate, Qt::AlignCenter, label);
        }
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
        QFont bold = p_.font();
        bold.setWeight(QFont::DemiBold);
        p_.setFont(bold);
        const QString label = clockText(run.now());
        const double width = QFontMetrics(bold).horizontalAdvance(label) + 14;
        const QRectF plate(
            std::min(now - width / 2, geometry_.ruler.right() - width + kRightMargin), 4, width,
            18);
        p_.setPen(Qt::NoPen);
        p_.setBrush(theme.accent);
        p_.setRenderHint(QPainter::Antialiasing);
        p_.drawRoundedRect(plate, 9, 9);
        p_.setRenderHint(QPainter::Antialiasing, false);
        p_.setPen(theme.onAccent);
        p_.drawText(plate, Qt::AlignCenter, label);
    } else if (scene_.crosshair) {
        const QString label = clockText(scene_.scale->at(*scene_.crosshair));
        const QRectF plate(left() + *scene_.crosshair - 30, 5, 60, 16);
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
    p_.fillRect(QRectF(x0, top, x1 - x0, geometry_.throughput.bottom() - top), tint);
    p_.fillRect(QRectF(x0, top, 1, geometry_.throughput.bottom() - top), currentTheme().accent);
    p_.fillRect(QRectF(x1, top, 1, geometry_.throughput.bottom() - top), currentTheme().accent);
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
}

void GanttPainter::paintOverview() {
    const QRect header(14, geometry_.overview.top(), ChartGeometry::kHeaderWidth - 22,
                       geometry_.overview.height());
    paintOverviewStrip(p_, header, geometry_.overview, scene_);
}

}  // namespace gantry::ui
