// SPDX-License-Identifier: PostgreSQL
#include "core/tune/measured_run.h"

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/events/event_queue.h"
#include "core/history/recorder.h"

namespace gantry::tune {
namespace {

using namespace std::chrono_literals;

constexpr auto kInterval = 100ms;

/// Says in the run's own words that it is part of a sweep.
class Marking final : public events::EventSink {
public:
    Marking(const RunKeeping& keeping, events::EventSink& events)
        : keeping_(keeping), events_(events) {}

    void post(events::Payload payload) override {
        if (auto* started = std::get_if<events::RunStarted>(&payload)) {
            started->options[history::kSweepOption] = keeping_.sweep;
        }
        events_.post(std::move(payload));
    }

private:
    const RunKeeping& keeping_;
    events::EventSink& events_;
};

/// Takes the events in while the run goes on.
class Keeper {
public:
    explicit Keeper(const RunKeeping& keeping) : keeping_(keeping), queue_(clock_) {
        if (!keeping.history.empty()) recorder_.emplace(keeping.history, queue_);
        thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
    }
    ~Keeper() { finish(); }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    events::EventSink& sink() { return queue_; }
    void finish() {
        if (!thread_.joinable()) return;
        thread_.request_stop();
        thread_.join();
    }
    const events::RunState& state() const { return state_; }
    std::filesystem::path record() const {
        return recorder_ ? recorder_->log() : std::filesystem::path();
    }

private:
    void work(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            queue_.wait(kInterval, stop);
            if (drain() && keeping_.onProgress) keeping_.onProgress(state_);
            // What comes meanwhile is taken in one go: the run needs the processors.
            if (!stop.stop_requested()) std::this_thread::sleep_for(kInterval / 4);
        }
        while (drain()) {  // the recorder may have something to say of its own
        }
    }
    bool drain() {
        queue_.drain(batch_);
        for (const events::Event& event : batch_) state_.apply(event);
        if (recorder_) recorder_->take(batch_, state_);
        return !batch_.empty();
    }

    const RunKeeping& keeping_;
    const SteadyClock clock_;
    events::EventQueue queue_;
    std::optional<history::Recorder> recorder_;
    std::vector<events::Event> batch_;
    events::RunState state_;
    std::jthread thread_;
};

}  // namespace

Measured measure(const RunKeeping& keeping, const std::function<void(events::EventSink&)>& run) {
    Keeper keeper(keeping);
    Marking marking(keeping, keeper.sink());
    const SteadyClock clock;
    const Duration begin = clock.now();
    run(marking);
    const Duration took = clock.now() - begin;
    keeper.finish();
    Measured measured;
    measured.sample.seconds = static_cast<double>(took.count()) / 1e6;
    measured.sample.record = keeper.record();
    const events::RunState& state = keeper.state();
    if (state.started()) measured.workers = state.started()->workers;
    if (state.finished()) {
        measured.sample.archiveBytes = state.finished()->compressedBytes;
        measured.sample.ignoredErrors = state.finished()->ignoredErrors;
    }
    return measured;
}

}  // namespace gantry::tune
