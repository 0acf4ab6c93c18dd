// SPDX-License-Identifier: PostgreSQL
// A restore from beginning to end.
#pragma once

#include <stop_token>

#include "core/events/event.h"
#include "core/options/restore_options.h"

namespace gantry::restore {

/// Restores the archive and returns when all of it stands. Blocks the calling thread; a stop
/// request ends it within about a second.
///
/// Errors of statements are passed over as pg_restore does, told as ErrorIgnored, and make the
/// outcome CompletedWithErrors; what failed is written as a list that --use-list takes.
/// Throws Error: before RunStarted was posted nothing has been touched (the run was refused);
/// afterwards RunFinished has been posted too, with the same error.
void restore(const options::RestoreOptions& options, events::EventSink& events,
             std::stop_token stop);

}  // namespace gantry::restore
