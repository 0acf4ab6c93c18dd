// SPDX-License-Identifier: PostgreSQL
// What may be asked of a run while it is under way: more or fewer workers, a pause, an item less.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/ids.h"
#include "core/base/sync.h"

namespace gantry::run {

class Executor;

/// How hard a vacuum may press the server; what is empty is as the run was told at its beginning.
struct Throttle {
    std::optional<int> costDelay;  ///< milliseconds
    std::optional<int> costLimit;
    friend bool operator==(const Throttle&, const Throttle&) = default;
};

/// Belongs to who starts the run, and outlives it. Thread-safe. What is asked before the workers
/// begin holds from their beginning; what is asked after the end is without effect.
class RunControl {
public:
    /// As Executor::setWorkers().
    void setWorkers(uint32_t workers);
    /// As Executor::setPaused().
    void setPaused(bool paused);
    /// As Executor::cancel(); of a dump, whose archive would not be whole, it ends the run.
    void cancel(TaskId task);
    /// For vacuums: takes effect with the next statement of each worker, since the server does not
    /// let one change what is under way. Unless that is to begin again with it: a table's rows and
    /// entries that are removed by then stay so, but it is read anew.
    void setThrottle(const Throttle& throttle, bool beginAgain = false);
    Throttle throttle() const;

    /// For the engine: connects the run's executor for as long as this object lives.
    class Attachment {
    public:
        /// `control` may be null.
        Attachment(RunControl* control, Executor& executor);
        ~Attachment();
        Attachment(const Attachment&) = delete;
        Attachment& operator=(const Attachment&) = delete;

    private:
        RunControl* control_;
    };

private:
    mutable Mutex mutex_;
    Executor* executor_ GUARDED_BY(mutex_) = nullptr;
    std::optional<uint32_t> workers_ GUARDED_BY(mutex_);
    bool paused_ GUARDED_BY(mutex_) = false;
    Throttle throttle_ GUARDED_BY(mutex_);
};

}  // namespace gantry::run
