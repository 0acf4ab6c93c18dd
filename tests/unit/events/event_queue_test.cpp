// SPDX-License-Identifier: PostgreSQL
#include "core/events/event_queue.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/events/event_json.h"

using namespace gantry;
using namespace gantry::events;
using namespace std::chrono_literals;

namespace {

class FakeClock final : public Clock {
public:
    Duration now() const override { return time; }
    Duration time = 100s;
};

TaskProgress progress(uint32_t task, uint64_t bytes) {
    return {.span = {TaskId{task}, {}}, .bytes = bytes};
}

TaskStarted started(uint32_t task) {
    TaskStarted event;
    event.span = {TaskId{task}, {}};
    return event;
}

TaskFinished finished(uint32_t task) { return {.span = {TaskId{task}, {}}}; }

/// "started 1 @5, progress 1=200 @7", times in seconds.
std::string told(const std::vector<Event>& events) {
    std::string text;
    for (const Event& event : events) {
        if (!text.empty()) text += ", ";
        const auto* begun = std::get_if<TaskStarted>(&event.payload);
        const auto* moved = std::get_if<TaskProgress>(&event.payload);
        const auto* ended = std::get_if<TaskFinished>(&event.payload);
        if (begun != nullptr) {
            text += "started " + std::to_string(begun->span.task.value);
        } else if (moved != nullptr) {
            text += "progress " + std::to_string(moved->span.task.value) + "=" +
                    std::to_string(moved->bytes);
        } else if (ended != nullptr) {
            text += "finished " + std::to_string(ended->span.task.value);
        } else {
            text += toJson(event);
        }
        text += " @" + std::to_string(event.at / 1s);
    }
    return text;
}

}  // namespace

TEST_CASE("a span has one progress, the latest, at its time and place") {
    FakeClock clock;
    EventQueue queue(clock);
    std::vector<Event> events;
    const auto at = [&](int second, Payload payload) {
        clock.time = 100s + std::chrono::seconds(second);
        queue.post(std::move(payload));
    };
    at(1, started(1));
    at(2, progress(1, 10));
    at(3, started(2));
    at(4, progress(2, 5));
    at(5, progress(1, 20));
    at(6, progress(1, 30));
    at(7, finished(2));
    at(8, progress(1, 40));
    queue.drain(events);
    CHECK(told(events) ==
          "started 1 @1, started 2 @3, progress 2=5 @4, finished 2 @7, progress 1=40 @8");
    queue.drain(events);
    CHECK(events.empty());
    at(9, progress(1, 50));
    at(10, progress(2, 1));
    queue.drain(events);
    CHECK(told(events) == "progress 1=50 @9, progress 2=1 @10");
}

TEST_CASE("a span that begins again does not see what it had done before, even at one instant") {
    FakeClock clock;
    EventQueue queue(clock);
    std::vector<Event> events;
    queue.post(started(1));
    queue.post(progress(1, 70));
    queue.post(TaskFailed{.span = {TaskId{1}, {}}, .error = {}, .retried = true});
    queue.post(started(1));
    queue.drain(events);
    REQUIRE(events.size() == 4);
    CHECK(std::holds_alternative<TaskProgress>(events[1].payload));
    CHECK(std::holds_alternative<TaskStarted>(events[3].payload));
    queue.post(finished(1));
    queue.post(started(1));
    queue.post(progress(1, 5));
    queue.drain(events);
    CHECK(told(events) == "finished 1 @0, started 1 @0, progress 1=5 @0");
}

TEST_CASE("chunks of a task have a progress each") {
    FakeClock clock;
    EventQueue queue(clock);
    for (uint32_t chunk = 0; chunk < 3; ++chunk) {
        queue.post(TaskProgress{.span = {TaskId{1}, chunk}, .bytes = chunk});
        queue.post(TaskProgress{.span = {TaskId{1}, chunk}, .bytes = chunk + 10});
    }
    std::vector<Event> events;
    queue.drain(events);
    CHECK(told(events) == "progress 1=10 @0, progress 1=11 @0, progress 1=12 @0");
}

TEST_CASE("progress that nobody fetches costs no memory") {
    FakeClock clock;
    EventQueue queue(clock);
    for (uint64_t i = 0; i < 100'000; ++i) queue.post(progress(static_cast<uint32_t>(i % 3), i));
    std::vector<Event> events;
    queue.drain(events);
    CHECK(told(events) == "progress 1=99997 @0, progress 2=99998 @0, progress 0=99999 @0");
}

TEST_CASE("waiting ends with an event, with a stop, or in time") {
    const SteadyClock clock;
    EventQueue queue(clock);
    std::stop_source never;
    queue.wait(1ms, never.get_token());
    {
        const std::jthread poster([&] { queue.post(progress(1, 1)); });
        queue.wait(60s, never.get_token());
    }
    std::vector<Event> events;
    queue.drain(events);
    CHECK(events.size() == 1);
    std::stop_source stop;
    const std::jthread stopper([&] { stop.request_stop(); });
    queue.wait(60s, stop.get_token());
    CHECK(stop.stop_requested());
}

TEST_CASE("many threads post, one drains: nothing is lost and time does not go back") {
    constexpr uint32_t kThreads = 4;
    constexpr uint32_t kSpans = 500;
    const SteadyClock clock;
    EventQueue queue(clock);
    std::vector<Event> all;
    std::atomic<uint32_t> busy = kThreads;
    {
        std::vector<std::jthread> threads;
        for (uint32_t thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([&, thread] {
                for (uint32_t i = 0; i < kSpans; ++i) {
                    const uint32_t task = thread * kSpans + i;
                    queue.post(started(task));
                    for (uint64_t bytes = 1; bytes <= 5; ++bytes) queue.post(progress(task, bytes));
                    queue.post(finished(task));
                }
                --busy;
            });
        }
        std::vector<Event> batch;
        const std::stop_source never;
        while (busy > 0) {
            queue.wait(1ms, never.get_token());
            queue.drain(batch);
            all.insert(all.end(), batch.begin(), batch.end());
        }
        queue.drain(batch);
        all.insert(all.end(), batch.begin(), batch.end());
    }
    std::vector<int> stage(kThreads * kSpans);
    Duration last{};
    std::size_t begun = 0;
    std::size_t ended = 0;
    bool inOrder = true;
    for (const Event& event : all) {
        inOrder = inOrder && event.at >= last;
        last = event.at;
        if (const auto* start = std::get_if<TaskStarted>(&event.payload)) {
            inOrder = inOrder && stage[start->span.task.value]++ == 0;
            ++begun;
        }
        if (const auto* moved = std::get_if<TaskProgress>(&event.payload)) {
            inOrder = inOrder && stage[moved->span.task.value] == 1;
        }
        if (const auto* end = std::get_if<TaskFinished>(&event.payload)) {
            inOrder = inOrder && stage[end->span.task.value]++ == 1;
            ++ended;
        }
    }
    CHECK(inOrder);
    CHECK(begun == kThreads * kSpans);
    CHECK(ended == kThreads * kSpans);
}
