// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/legend.h"

#include <QCoreApplication>
#include <QPainter>

#include "ui/gantt/layout.h"
#include "ui/gantt/patterns.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr double kRound = 2;

struct LegendNames {
    Q_DECLARE_TR_FUNCTIONS(ChartBar)
public:
    QString operator()(Category category) const { return categoryName(category); }
    QString operator()(Phase phase) const { return phaseName(phase); }
    QString operator()(PartLook look) const { return partLookName(look); }
    QString operator()(Mark mark) const {
        switch (mark) {
            case Mark::Failed:
                return tr("Failed");
            case Mark::CutOff:
                return tr("Cut off");
            case Mark::PassedOver:
                return tr("With errors");
            case Mark::Idle:
                return tr("Idle");
            case Mark::Critical:
                return tr("Critical path");
        }
        return {};
    }
};

struct SwatchPainter {
    QPainter& p;
    const QRectF& rect;
    const bool on;

    void fill(const QBrush& brush) const {
        if (brush.style() == Qt::NoBrush) return;
        p.setPen(Qt::NoPen);
        p.setBrush(brush);
        p.drawRoundedRect(rect, kRound, kRound);
    }
    void frame(const QColor& color, double width) const {
        const double inside = width / 2 - 0.5;
        p.setPen(QPen(color, width));
        p.setBrush(Qt::NoBrush);
        p.drawRoundedRect(rect.adjusted(inside, inside, -inside, -inside), kRound, kRound);
    }
    void underline(const QColor& color) const {
        p.fillRect(QRectF(rect.left(), rect.bottom() - 3, rect.width(), 3), color);
    }
    void operator()(Category category) const {
        const QColor color = kindColor(kindOf(category));
        if (!on) return frame(color, 1);
        fill(color);
        fill(patternOf(category));
    }
    void operator()(Phase phase) const {
        fill(phaseColor(phase));
        fill(phasePattern(phase));
    }
    void operator()(PartLook look) const { fill(partColor(look)); }
    void operator()(Mark mark) const {
        const Theme& theme = currentTheme();
        switch (mark) {
            case Mark::Failed:
                frame(theme.error, 1.5);
                return underline(theme.error);
            case Mark::CutOff:
                frame(theme.muted, 1);
                return paintTornEnd(p, rect);
            case Mark::PassedOver:
                frame(theme.muted, 1);
                return underline(theme.error);
            case Mark::Idle:
                fill(theme.idleBase);
                return fill(patternBrush(Pattern::Rising, theme.idleHatch));
            case Mark::Critical:
                return frame(theme.text, 1.8);
        }
    }
};

}  // namespace

QString legendName(const LegendEntry& entry) { return std::visit(LegendNames{}, entry); }

void paintSwatch(QPainter& painter, const QRectF& rect, const LegendEntry& entry, bool on) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    std::visit(SwatchPainter{painter, rect, on}, entry);
    painter.restore();
}

void addLooks(const events::SpanState& span, Legend& legend) {
    legend.insert(categoryOf(span.kind));
    switch (flawOf(span)) {
        case Flaw::None:
            break;
        case Flaw::PassedOver:
            legend.insert(Mark::PassedOver);
            break;
        case Flaw::CutOff:
            legend.insert(Mark::CutOff);
            break;
        case Flaw::Failed:
            legend.insert(Mark::Failed);
            break;
    }
    if (isMaintenance(span.kind)) {
        for (const events::PhaseState& state : span.phases) legend.insert(phaseOf(state.phase));
    }
    for (const events::PartState& part : span.parts) legend.insert(lookOf(part));
}

bool isShown(const LegendEntry& entry, const Legend& legend) {
    return legend.contains(entry) &&
           (entry != LegendEntry(Phase::Analyze) || !legend.contains(Category::Analyze));
}

Legend legendOf(const events::RunState& run) {
    Legend legend{Mark::Critical};
    if (!run.idles().empty()) legend.insert(Mark::Idle);
    for (const events::SpanState& span : run.spans()) addLooks(span, legend);
    return legend;
}

}  // namespace gantry::ui
