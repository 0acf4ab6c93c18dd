// SPDX-License-Identifier: PostgreSQL
#include "core/events/event_queue.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace gantry::events {

EventQueue::EventQueue(const Clock& clock) : clock_(clock), start_(clock.now()) {}

void EventQueue::post(Payload payload) {
    {
        const MutexLock lock(mutex_);
        const Duration at = clock_.now() - start_;
        if (const auto* progress = std::get_if<TaskProgress>(&payload)) {
            const Span span = progress->span;
            progress_.insert_or_assign(span, Slot{.position = events_.size(),
                                                  .number = nextNumber_++,
                                                  .event = Event{at, std::move(payload)}});
        } else {
            events_.push_back(Event{at, std::move(payload)});
        }
    }
    filled_.notify_one();
}

void EventQueue::drain(std::vector<Event>& events) {
    std::vector<Slot> slots;
    events.clear();
    {
        const MutexLock lock(mutex_);
        events.swap(events_);
        for (auto& [span, slot] : progress_) slots.push_back(std::move(slot));
        progress_.clear();
    }
    if (slots.empty()) return;
    std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) {
        return std::tie(a.position, a.number) < std::tie(b.position, b.number);
    });
    std::vector<Event> merged;
    merged.reserve(events.size() + slots.size());
    auto from = events.begin();
    for (Slot& slot : slots) {
        const auto to = events.begin() + static_cast<std::ptrdiff_t>(slot.position);
        std::move(from, to, std::back_inserter(merged));
        from = to;
        merged.push_back(std::move(slot.event));
    }
    std::move(from, events.end(), std::back_inserter(merged));
    events.swap(merged);
}

void EventQueue::wait(Duration timeout, std::stop_token stop) {
    MutexLock lock(mutex_);
    filled_.wait_for(lock.native(), stop, timeout,
                     [this]() REQUIRES(mutex_) { return !events_.empty() || !progress_.empty(); });
}

}  // namespace gantry::events
