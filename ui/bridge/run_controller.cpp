// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_controller.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <deque>
#include <mutex>

#include "core/events/event_queue.h"
#include "ui/bridge/async.h"
#include "ui/bridge/run_recorder.h"

namespace gantry::ui {
namespace {

constexpr int kPumpMs = 33;
constexpr int kSliceMs = 8;  ///< of each turn; the rest waits for the next one
constexpr std::size_t kEventsBetweenLooks = 64;

}  // namespace

/// What the run's own thread keeps alive, whether the controller is still there or not.
struct RunController::Shared {
    SteadyClock clock;
    events::EventQueue queue{clock};
    std::stop_source stop;
    run::RunControl control;
    /// Asked one after the other, in the order of the clicks.
    std::mutex mutex;
    std::deque<std::function<void(run::RunControl&)>> wishes;
};

RunController::RunController(RunRequest request, QObject* parent)
    : QObject(parent), request_(std::move(request)), timer_(new QTimer(this)) {
    timer_->setInterval(kPumpMs);
    connect(timer_, &QTimer::timeout, this, &RunController::pump);
}

RunController::~RunController() {
    if (active()) {
        startInPool([shared = shared_] { shared->stop.request_stop(); });
    }
}

void RunController::recordTo(std::filesystem::path historyFolder) {
    historyFolder_ = std::move(historyFolder);
}

std::filesystem::path RunController::recordPath() const {
    return recorder_ ? recorder_->path() : std::filesystem::path();
}

void RunController::start() {
    if (phase_ != RunPhase::Ready) return;
    shared_ = std::make_shared<Shared>();
    if (!historyFolder_.empty()) {
        recorder_ = std::make_shared<RunRecorder>(
            historyFolder_, std::shared_ptr<events::EventSink>(shared_, &shared_->queue));
    }
    setPhase(RunPhase::Running);
    startInPool([shared = shared_, work = request_.work, guard = QPointer<RunController>(this)] {
        std::optional<ErrorInfo> error;
        try {
            work(shared->queue, shared->stop.get_token(), shared->control);
        } catch (...) {
            error = describeException(std::current_exception());
        }
        postToGui([guard, error] {
            if (guard) guard->end(error);
        });
    });
    timer_->start();
    Q_EMIT started();
}

void RunController::stop() {
    if (phase_ != RunPhase::Running) return;
    setPhase(RunPhase::Stopping);
    // Whoever waits for the stop is called by it: connections, child processes, locks.
    startInPool([shared = shared_] { shared->stop.request_stop(); });
}

void RunController::setWorkers(uint32_t workers) {
    control([workers](run::RunControl& control) { control.setWorkers(workers); });
}

void RunController::setPaused(bool paused) {
    if (phase_ != RunPhase::Running || paused == paused_) return;
    paused_ = paused;
    control([paused](run::RunControl& control) { control.setPaused(paused); });
    Q_EMIT phaseChanged();
}

void RunController::cancelTask(TaskId task) {
    control([task](run::RunControl& control) { control.cancel(task); });
}

void RunController::setThrottle(const run::Throttle& throttle, bool beginAgain) {
    control([throttle, beginAgain](run::RunControl& control) {
        control.setThrottle(throttle, beginAgain);
    });
}

void RunController::control(std::function<void(run::RunControl&)> action) {
    if (phase_ != RunPhase::Running) return;
    const std::lock_guard lock(shared_->mutex);
    shared_->wishes.push_back(std::move(action));
    if (shared_->wishes.size() > 1) return;  // somebody is at it
    startInPool([shared = shared_] {
        std::unique_lock own(shared->mutex);
        while (!shared->wishes.empty()) {
            const auto wish = shared->wishes.front();
            own.unlock();
            try {
                wish(shared->control);
            } catch (...) {
                shared->queue.post(
                    events::Notice{events::Severity::Warning,
                                   describeException(std::current_exception()).describe()});
            }
            own.lock();
            shared->wishes.pop_front();
        }
    });
}

void RunController::pump() {
    if (folded_ == drained_.size()) {
        shared_->queue.drain(drained_);
        folded_ = 0;
    }
    QElapsedTimer slice;
    slice.start();
    std::vector<events::Event> batch;
    while (folded_ < drained_.size()) {
        state_.apply(drained_[folded_]);
        batch.push_back(std::move(drained_[folded_++]));
        if (batch.size() % kEventsBetweenLooks == 0 && slice.elapsed() >= kSliceMs) break;
    }
    if (!batch.empty()) {
        if (recorder_) recorder_->write(batch);
        Q_EMIT changed(batch);
    }
    if (over_ && folded_ == drained_.size()) finish();
}

/// Nothing is posted any more; what has been may take more than one slice.
void RunController::end(const std::optional<ErrorInfo>& error) {
    over_ = true;
    error_ = error;
    pump();
}

void RunController::finish() {
    shared_->queue.drain(drained_);
    folded_ = 0;
    if (!drained_.empty()) return;  // posted since the last look
    timer_->stop();
    if (!state_.started() && error_) refusal_ = error_;
    setPhase(refusal_ ? RunPhase::Refused : RunPhase::Finished);
    Q_EMIT finished();
}

void RunController::setPhase(RunPhase phase) {
    phase_ = phase;
    Q_EMIT phaseChanged();
}

}  // namespace gantry::ui
