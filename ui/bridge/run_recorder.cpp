// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_recorder.h"

#include "ui/bridge/async.h"

namespace gantry::ui {

void RunRecorder::write(const std::vector<events::Event>& events) {
    const MutexLock lock(mutex_);
    if (events.empty() || !problem_.empty()) return;
    waiting_.insert(waiting_.end(), events.begin(), events.end());
    if (writing_) return;
    writing_ = true;
    startInPool([self = shared_from_this()] { self->writeWaiting(); });
}

std::string RunRecorder::problem() const {
    const MutexLock lock(mutex_);
    return problem_;
}

void RunRecorder::writeWaiting() {
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
        try {
            if (!log_) {
                std::filesystem::create_directories(path_.parent_path());
                log_.emplace(events::RunLog::create(path_));
            }
            for (const events::Event& event : batch) log_->write(event);
        } catch (...) {
            const MutexLock lock(mutex_);
            problem_ = describeException(std::current_exception()).describe();
            waiting_.clear();
            writing_ = false;
            return;
        }
    }
}

}  // namespace gantry::ui
