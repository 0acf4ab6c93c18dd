// SPDX-License-Identifier: PostgreSQL
// A restore from beginning to end.
#pragma once

#include <stop_token>

#include "core/events/event.h"
#include "core/options/restore_options.h"
#include "core/run/run_control.h"

namespace gantry::restore {

/// Restores the archive, or runs the plain SQL script (then over one connection, as psql would),
/// and returns when all of it stands. Blocks the calling thread; a stop request ends it within
/// about a second. `control`, if given, acts on the workers meanwhile: an item that it cancels
/// counts as an ignored error.
///
/// Errors of statements are passed over as pg_restore does, told as ErrorIgnored, and make the
/// outcome CompletedWithErrors; what failed is written as a list that --use-list takes.
/// Throws Error: before RunStarted was posted nothing has been touched (the run was refused);
/// afterwards RunFinished has been posted too, with the same error.
void restore(const options::RestoreOptions& options, events::EventSink& events,
             std::stop_token stop, run::RunControl* control = nullptr);

}  // namespace gantry::restore
