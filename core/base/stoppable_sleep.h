// SPDX-License-Identifier: PostgreSQL
// A sleep that a stop request ends at once.
#pragma once

#include <stop_token>

#include "core/base/clock.h"

namespace gantry {

/// Sleeps for `duration`, at most until `stop`. False if a stop has been requested by then.
bool sleepUnlessStopped(Duration duration, const std::stop_token& stop);

}  // namespace gantry
