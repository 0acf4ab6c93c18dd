// SPDX-License-Identifier: PostgreSQL
#include "core/events/event_queue.h"

#include <utility>

namespace gantry::events {

EventQueue::EventQueue(const Clock& clock) : clock_(clock), start_(clock.now()) {}

void EventQueue::post(Payload payload) {
    {
        const MutexLock lock(mutex_);
        const Duration at = clock_.now() - start_;
        if (const auto* progress = std::get_if<TaskProgress>(&payload)) {
            const auto [slot, isNew] = progressSlots_.try_emplace(progress->span, events_.size());
            if (!isNew) {
                events_[slot->second] = Event{at, std::move(payload)};
                return;
            }
        }
        // A span that begins again must not see its progress ahead of its beginning.
        if (const auto* started = std::get_if<TaskStarted>(&payload)) {
            progressSlots_.erase(started->span);
        }
        events_.push_back(Event{at, std::move(payload)});
    }
    filled_.notify_one();
}

void EventQueue::drain(std::vector<Event>& events) {
    events.clear();
    const MutexLock lock(mutex_);
    events.swap(events_);
    progressSlots_.clear();
}

void EventQueue::wait(Duration timeout, std::stop_token stop) {
    MutexLock lock(mutex_);
    filled_.wait_for(lock.native(), stop, timeout,
                     [this]() REQUIRES(mutex_) { return !events_.empty(); });
}

}  // namespace gantry::events
