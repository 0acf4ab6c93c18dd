// SPDX-License-Identifier: PostgreSQL
// Between the engine's threads and whoever shows what they do.
//
// Progress is throttled here and nowhere else: each span has one slot that holds its latest
// progress, at its place in the order of events. Everything else is never merged or dropped.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <vector>

#include "core/base/clock.h"
#include "core/base/sync.h"
#include "core/events/event.h"

namespace gantry::events {

/// post() from any thread; drain() and wait() from one.
class EventQueue final : public EventSink {
public:
    /// Stamps events with the time since now.
    explicit EventQueue(const Clock& clock);

    void post(Payload payload) override;

    /// Replaces `events` by what has come since the last call, in order; times never go back.
    void drain(std::vector<Event>& events);
    /// Waits until there is something to drain, `timeout` has passed or a stop is asked for.
    void wait(Duration timeout, std::stop_token stop);

private:
    const Clock& clock_;
    const Duration start_;
    Mutex mutex_;
    std::condition_variable_any filled_;
    struct Slot {
        std::size_t position;  ///< it belongs in front of this one of events_
        uint64_t number;       ///< among slots of the same position
        Event event;
    };
    std::vector<Event> events_ GUARDED_BY(mutex_);
    std::map<Span, Slot> progress_ GUARDED_BY(mutex_);
    uint64_t nextNumber_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gantry::events
