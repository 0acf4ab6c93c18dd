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
    if (phase == Phase::Analyze) return kindColor(plan::TaskKind::Analyze);
    static constexpr std::array<double, kPhases> kShades{0, 0.3, 0.12, 0.3, 0.12, 0, 0.3, 0, 0.5};
    // Darker in either theme, so that the label can be read on all of them.
    return mixed(kindColor(plan::TaskKind::Vacuum), theme.dark ? theme.panel : theme.text,
                 kShades[static_cast<std::size_t>(phase)]);
}

QBrush phasePattern(Phase phase) {
    static const std::array<QBrush, kPhases> kPatterns{
        QBrush(),                                       // scan
        patternBrush(Pattern::Falling, kLightPattern),  // indexes
        patternBrush(Pattern::Dots, kLightPattern),     // heap
        patternBrush(Pattern::Level, kLightPattern),    // clean up
        patternBrush(Pattern::Upright, kLightPattern),  // truncate
        patternBrush(Pattern::Rising, kLightPattern),   // rewrite
        patternBrush(Pattern::Falling, kLightPattern),  // rebuild
        patternBrush(Pattern::Upright, kDarkPattern),   // analyze
        QBrush(),                                       // other
    };
    return kPatterns[static_cast<std::size_t>(phase)];
}

}  // namespace gantry::ui
