// SPDX-License-Identifier: PostgreSQL
#include "core/base/stoppable_sleep.h"

#include <condition_variable>
#include <mutex>

namespace gantry {

bool sleepUnlessStopped(Duration duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    (void)never.wait_for(lock, stop, duration, [] { return false; });
    // The wait alone cannot tell: a stop that comes just as it begins looks like its end.
    return !stop.stop_requested();
}

}  // namespace gantry
