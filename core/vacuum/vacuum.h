// SPDX-License-Identifier: PostgreSQL
// A vacuum run from beginning to end.
#pragma once

#include <stop_token>

#include "core/events/event.h"
#include "core/options/vacuum_options.h"
#include "core/run/run_control.h"
#include "core/vacuum/vacuum_plan.h"

namespace gantry::vacuum {

/// Vacuums, analyzes or reindexes what `options` choose, and returns when that is done. Blocks the
/// calling thread; a stop request ends it within about a second and leaves no session behind.
/// `control`, if given, acts on the workers meanwhile.
///
/// A table or a database that refuses is told as ErrorIgnored and makes the outcome
/// CompletedWithErrors; a table that is dropped meanwhile is no error.
/// Throws Error: before RunStarted was posted nothing has been touched (the run was refused);
/// afterwards RunFinished has been posted too, with the same error.
void vacuum(const options::VacuumOptions& options, events::EventSink& events, std::stop_token stop,
            run::RunControl* control = nullptr);

/// What a run would be about and what it would do, for a page that lets one choose: as `--dry-run`,
/// with the facts. Databases that refuse are left out. Throws Error.
struct Outlook {
    Survey survey;
    VacuumPlan plan;
};
Outlook look(const options::VacuumOptions& options, std::stop_token stop);

}  // namespace gantry::vacuum
