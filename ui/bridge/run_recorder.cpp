// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_recorder.h"

#include "ui/bridge/async.h"

namespace gantry::ui {

void RunRecorder::write(const std::vector<events::Event>& events) {
    if (events.empty()) return;
    const MutexLock lock(mutex_);
    waiting_.insert(waiting_.end(), events.begin(), events.end());
    if (writing_) return;
    writing_ = true;
    startInPool([self = shared_from_this()] { self->writeWaiting(); });
}

std::filesystem::path RunRecorder::path() const {
    const MutexLock lock(mutex_);
    return path_;
}

void RunRecorder::writeWaiting() {
    if (!recorder_) recorder_.emplace(folder_, *events_);
    std::vector<events::Event> batch;
    for (;;) {
        {
            const MutexLock lock(mutex_);
            batch.clear();
            batch.swap(waiting_);
            if (batch.empty()) {
                writing_ = false;
                return;
            }
        }
        for (const events::Event& event : batch) run_.apply(event);
        recorder_->take(batch, run_);
        const MutexLock lock(mutex_);
        path_ = recorder_->log();
    }
}

}  // namespace gantry::ui
