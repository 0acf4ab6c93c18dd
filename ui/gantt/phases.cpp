// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/phases.h"

#include <QCoreApplication>
#include <array>
#include <utility>

#include "ui/gantt/patterns.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

struct PhaseNames {
    Q_DECLARE_TR_FUNCTIONS(Chart)
};

/// Stronger than those of kinds: phases lie side by side in one bar.
constexpr QColor kPhasePattern(255, 255, 255, 84);

/// The first whose words occur in a name is what it means.
constexpr std::array<std::pair<std::string_view, Phase>, 13> kWords{{
    {"analyzing", Phase::Analyze},
    {"vacuuming indexes", Phase::Indexes},
    {"cleaning up indexes", Phase::CleanUp},
    {"vacuuming heap", Phase::Heap},
    {"truncating", Phase::Truncate},
    {"rebuilding index", Phase::Rebuild},
    {"writing new heap", Phase::Rewrite},
    {"sorting tuples", Phase::Rewrite},
    {"swapping", Phase::Rewrite},
    {"seq scanning heap", Phase::Rewrite},
    {"index scanning heap", Phase::Rewrite},
    {"scanning heap", Phase::Scan},
    {"initializing", Phase::Scan},
}};

}  // namespace

Phase phaseOf(std::string_view name) {
    for (const auto& [words, phase] : kWords) {
        if (name.find(words) != std::string_view::npos) return phase;
    }
    return Phase::Other;
}

QString phaseName(Phase phase) {
    switch (phase) {
        case Phase::Scan:
            return PhaseNames::tr("scanning heap");
        case Phase::Indexes:
            return PhaseNames::tr("vacuuming indexes");
        case Phase::Heap:
            return PhaseNames::tr("vacuuming heap");
        case Phase::CleanUp:
            return PhaseNames::tr("cleaning up indexes");
        case Phase::Truncate:
            return PhaseNames::tr("truncating");
        case Phase::Rewrite:
            return PhaseNames::tr("writing anew");
        case Phase::Rebuild:
            return PhaseNames::tr("rebuilding indexes");
        case Phase::Analyze:
            return PhaseNames::tr("analyzing");
        case Phase::Other:
            return PhaseNames::tr("other");
    }
    return {};
}

QColor phaseColor(Phase phase) {
    const Theme& theme = currentTheme();
    // What is done to the table is blue, to indexes of their colour: these differ to any eye, and
    // within each by how dark they are.
    struct Shade {
        QColor hue;
        double dark;
    };
    const std::array<Shade, kPhases> shades{{{theme.copy, 0},
                                             {theme.index, 0.42},
                                             {theme.copy, 0.55},
                                             {theme.index, 0.72},
                                             {theme.preData, 0.25},
                                             {theme.copy, 0},
                                             {theme.index, 0.42},
                                             {theme.matview, 0},
                                             {theme.preData, 0.6}}};
    const Shade& shade = shades[static_cast<std::size_t>(phase)];
    return mixed(shade.hue, theme.dark ? theme.panel : theme.text, shade.dark);
}

PartLook lookOf(const events::PartState& part) {
    if (part.kind != events::PartKind::Index) return PartLook::Table;
    return phaseOf(part.phase + " indexes") == Phase::CleanUp ? PartLook::IndexCleanUp
                                                              : PartLook::IndexVacuum;
}

QString partLookName(PartLook look) {
    switch (look) {
        case PartLook::IndexVacuum:
            return PhaseNames::tr("index: vacuuming");
        case PartLook::IndexCleanUp:
            return PhaseNames::tr("index: cleaning up");
        case PartLook::Table:
            return PhaseNames::tr("TOAST or single table");
    }
    return {};
}

QColor partColor(PartLook look) {
    const Theme& theme = currentTheme();
    switch (look) {
        case PartLook::IndexVacuum:
            return theme.index;
        case PartLook::IndexCleanUp:
            return mixed(theme.index, theme.panel, 0.45);
        case PartLook::Table:
            return mixed(theme.copy, theme.panel, 0.35);
    }
    return theme.index;
}

QBrush phasePattern(Phase phase) {
    static const std::array<QBrush, kPhases> kPatterns{
        QBrush(),                                       // scan
        patternBrush(Pattern::Falling, kPhasePattern),  // indexes
        patternBrush(Pattern::Dots, kPhasePattern),     // heap
        patternBrush(Pattern::Level, kPhasePattern),    // clean up
        patternBrush(Pattern::Upright, kPhasePattern),  // truncate
        patternBrush(Pattern::Rising, kPhasePattern),   // rewrite
        patternBrush(Pattern::Falling, kPhasePattern),  // rebuild
        patternBrush(Pattern::Upright, kDarkPattern),   // analyze
        QBrush(),                                       // other
    };
    return kPatterns[static_cast<std::size_t>(phase)];
}

}  // namespace gantry::ui
