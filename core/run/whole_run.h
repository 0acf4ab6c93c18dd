// SPDX-License-Identifier: PostgreSQL
// The end of a run, whatever kind it is: exactly one RunFinished.
#pragma once

#include <functional>

#include "core/events/event.h"

namespace gantry::run {

/// Calls `execute`, then posts RunFinished with what `totals` returns. If `execute` throws, the
/// outcome is Cancelled or Failed with that error, which is thrown on as Error.
void toItsEnd(events::EventSink& events, const std::function<void()>& execute,
              const std::function<events::RunFinished()>& totals);

}  // namespace gantry::run
