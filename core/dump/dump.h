// SPDX-License-Identifier: PostgreSQL
// A dump from beginning to end.
#pragma once

#include <stop_token>

#include "core/events/event.h"
#include "core/options/dump_options.h"
#include "core/run/run_control.h"

namespace gantry::dump {

/// Dumps the database and returns when the archive has its name. Blocks the calling thread; a stop
/// request ends it within about a second. `control`, if given, acts on the workers meanwhile.
///
/// Throws Error: before RunStarted was posted nothing has been touched (the run was refused);
/// afterwards RunFinished has been posted too, with the same error, and nothing that looks like an
/// archive is left behind.
void dump(const options::DumpOptions& options, events::EventSink& events, std::stop_token stop,
          run::RunControl* control = nullptr);

}  // namespace gantry::dump
