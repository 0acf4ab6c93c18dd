// SPDX-License-Identifier: PostgreSQL
// What a vacuum is at, as far as the chart tells it apart: the server has more names than that.
#pragma once

#include <QBrush>
#include <QColor>
#include <QString>
#include <cstddef>
#include <string_view>

#include "core/events/run_state.h"

namespace gantry::ui {

enum class Phase {
    Scan,      ///< of the table's pages
    Indexes,   ///< dead rows leave the indexes,
    Heap,      ///< and then the table
    CleanUp,   ///< of indexes, at the end
    Truncate,  ///< empty pages at the table's end go back to the system
    Rewrite,   ///< FULL: the table is written anew,
    Rebuild,   ///< and so are its indexes
    Analyze,
    Other,
};
inline constexpr std::size_t kPhases = 9;

/// What beneath a bar has a colour of its own.
enum class PartLook {
    IndexVacuum,
    IndexCleanUp,
    Table,  ///< TOAST, or one of several tables
};
inline constexpr std::size_t kPartLooks = 3;
PartLook lookOf(const events::PartState& part);
QString partLookName(PartLook look);

/// By the server's name for it, with what the engine puts before it.
Phase phaseOf(std::string_view name);
QString phaseName(Phase phase);
/// Of a bar's stretch in that phase, by the theme that is in use; differ without hue as well.
QColor phaseColor(Phase phase);
QBrush phasePattern(Phase phase);
/// Of what lies beneath a bar.
QColor partColor(PartLook look);

}  // namespace gantry::ui
