// SPDX-License-Identifier: PostgreSQL
// What the executor's tests drive it with: runners that are functions, a record of its events, and
// an end for tests that would hang.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/events/event.h"
#include "core/run/executor.h"

namespace gantry::test {

/// Keeps what is posted, from any thread.
class EventRecorder final : public events::EventSink {
public:
    void post(events::Payload payload) override;

    std::vector<events::Payload> all() const;
    /// Those of one type, in order.
    template <class T>
    std::vector<T> of() const {
        std::vector<T> found;
        for (const events::Payload& payload : all()) {
            if (const auto* event = std::get_if<T>(&payload)) found.push_back(*event);
        }
        return found;
    }
    /// Waits for an event that fits; false after ten seconds.
    bool waitFor(const std::function<bool(const events::Payload&)>& fits);

private:
    mutable std::mutex mutex_;
    std::condition_variable posted_;
    std::vector<events::Payload> events_;
};

/// Ends the program with a message if it lives for longer than a minute.
class Watchdog {
public:
    Watchdog();

private:
    std::jthread thread_;
};

/// Waits until it is opened; a stop lets pass too.
class Gate {
public:
    void open();
    /// False if a stop came first.
    bool pass(std::stop_token stop);
    /// Waits until `count` are at the gate or have passed it; false after ten seconds.
    bool waitForArrivals(std::size_t count);

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t arrived_ = 0;
    bool open_ = false;
};

/// What a call of TaskRunner::run() is given, and by whom.
struct Call {
    const plan::Assignment& assignment;
    uint32_t attempt;
    WorkerId worker;
    std::stop_token stop;
};

class FakeRunner final : public run::TaskRunner {
public:
    using Work = std::function<run::TaskResult(const Call&)>;

    FakeRunner(WorkerId worker, Work work) : worker_(worker), work_(std::move(work)) {}
    int32_t backendPid() const override { return 1000 + static_cast<int32_t>(worker_.value); }
    run::TaskResult run(const plan::Assignment& assignment, uint32_t attempt,
                        std::stop_token stop) override {
        return work_({assignment, attempt, worker_, std::move(stop)});
    }

private:
    WorkerId worker_;
    Work work_;
};

/// Every worker does `work`.
run::Executor::MakeRunner allDo(FakeRunner::Work work);

plan::Task task(std::string object, double cost = 1, std::vector<TaskId> after = {});
/// `count` tasks "t0", "t1", … that wait for nothing.
plan::TaskGraph flat(std::size_t count);

/// wait(), and what it threw: "" for nothing, else Error's description.
std::string outcomeOf(run::Executor& executor);

}  // namespace gantry::test
