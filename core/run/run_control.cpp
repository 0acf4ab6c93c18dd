// SPDX-License-Identifier: PostgreSQL
#include "core/run/run_control.h"

#include "core/run/executor.h"

namespace gantry::run {

void RunControl::setWorkers(uint32_t workers) {
    const MutexLock lock(mutex_);
    workers_ = workers;
    if (executor_ != nullptr) executor_->setWorkers(workers);
}

void RunControl::setPaused(bool paused) {
    const MutexLock lock(mutex_);
    paused_ = paused;
    if (executor_ != nullptr) executor_->setPaused(paused);
}

void RunControl::cancel(TaskId task) {
    const MutexLock lock(mutex_);
    if (executor_ != nullptr) executor_->cancel(task);
}

void RunControl::setThrottle(const Throttle& throttle, bool beginAgain) {
    const MutexLock lock(mutex_);
    throttle_ = throttle;
    if (!beginAgain || executor_ == nullptr) return;
    // The server throttles nothing else.
    executor_->beginAgain([](plan::TaskKind kind) {
        return kind == plan::TaskKind::Vacuum || kind == plan::TaskKind::Analyze;
    });
}

Throttle RunControl::throttle() const {
    const MutexLock lock(mutex_);
    return throttle_;
}

RunControl::Attachment::Attachment(RunControl* control, Executor& executor) : control_(control) {
    if (control_ == nullptr) return;
    const MutexLock lock(control_->mutex_);
    control_->executor_ = &executor;
    if (control_->workers_) executor.setWorkers(*control_->workers_);
    if (control_->paused_) executor.setPaused(true);
}

RunControl::Attachment::~Attachment() {
    if (control_ == nullptr) return;
    const MutexLock lock(control_->mutex_);
    control_->executor_ = nullptr;
}

}  // namespace gantry::run
