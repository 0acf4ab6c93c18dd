// SPDX-License-Identifier: PostgreSQL
// What may be asked of a run while it is under way: more or fewer workers, a pause, an item less.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/ids.h"
#include "core/base/sync.h"

namespace gantry::run {

class Executor;

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
    Mutex mutex_;
    Executor* executor_ GUARDED_BY(mutex_) = nullptr;
    std::optional<uint32_t> workers_ GUARDED_BY(mutex_);
    bool paused_ GUARDED_BY(mutex_) = false;
};

}  // namespace gantry::run
