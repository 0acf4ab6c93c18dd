// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/run/fake_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gantry::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;

}  // namespace

void EventRecorder::post(events::Payload payload) {
    {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(payload));
    }
    posted_.notify_all();
}

std::vector<events::Payload> EventRecorder::all() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

bool EventRecorder::waitFor(const std::function<bool(const events::Payload&)>& fits) {
    std::unique_lock lock(mutex_);
    return posted_.wait_for(lock, kPatience,
                            [&] { return std::any_of(events_.begin(), events_.end(), fits); });
}

Watchdog::Watchdog()
    : thread_([](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any never;
          std::unique_lock lock(mutex);
          never.wait_for(lock, stop, 60s, [] { return false; });
          if (stop.stop_requested()) return;
          std::fputs("a test of the executor hangs\n", stderr);
          std::abort();
      }) {}

void Gate::open() {
    {
        const std::lock_guard lock(mutex_);
        open_ = true;
    }
    changed_.notify_all();
}

bool Gate::pass(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    return changed_.wait(lock, std::move(stop), [&] { return open_; });
}

bool Gate::waitForArrivals(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return arrived_ >= count; });
}

run::Executor::MakeRunner allDo(FakeRunner::Work work) {
    return [work = std::move(work)](WorkerId worker, const std::stop_token&) {
        return std::make_unique<FakeRunner>(worker, work);
    };
}

plan::Task task(std::string object, double cost, std::vector<TaskId> after) {
    plan::Task made;
    made.object = std::move(object);
    made.cost = cost;
    made.after = std::move(after);
    return made;
}

plan::TaskGraph flat(std::size_t count) {
    plan::TaskGraph graph;
    for (std::size_t i = 0; i < count; ++i) graph.add(task(fmt::format("t{}", i)));
    return graph;
}

std::string outcomeOf(run::Executor& executor) {
    try {
        executor.wait();
        return "";
    } catch (const Error& error) {
        return error.info().describe();
    }
}

}  // namespace gantry::test
