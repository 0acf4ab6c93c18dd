// SPDX-License-Identifier: PostgreSQL
// Looks at what the workers' statements have come to, four times a second, over one connection.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/sync.h"
#include "core/events/event.h"
#include "core/options/connection_options.h"
#include "core/pg/connection.h"
#include "core/run/lock_observer.h"
#include "core/vacuum/telling.h"

namespace gantry::vacuum {

/// A statement under way.
struct Watched {
    events::Span span;
    const TableFacts* table = nullptr;  ///< of several the first; null: none in particular
    bool single = true;                 ///< it has this table alone
    uint64_t estimatedBytes = 0;
    uint64_t toastBytes = 0;           ///< of them
    uint64_t visitedAgain = 0;         ///< of them, of the heap
    std::shared_ptr<Telling> telling;  ///< may be empty
};

class ProgressWatch {
public:
    /// Begins at once, and has `locks` look as well. The clock is the tellings'. `tick` is called
    /// each time, on the watching thread. An error of its connection costs sight, not the run.
    ProgressWatch(options::ConnectionOptions connection, uint64_t blockSize,
                  events::EventSink& events, run::LockObserver& locks, const Clock& clock,
                  std::function<void()> tick);
    ~ProgressWatch();

    void watch(int32_t pid, Watched watched);
    void forget(int32_t pid);

private:
    struct Seen {
        Watched watched;
        std::string phase{};  ///< of one that nobody tells of
        uint64_t bytes = 0;
    };
    struct Row;

    void work(const std::stop_token& stop);
    void look(pg::Connection& connection);
    void take(Seen& seen, Duration asked, const Row& row);
    std::string pids() const;

    const options::ConnectionOptions options_;
    const uint64_t blockSize_;
    events::EventSink& events_;
    run::LockObserver& locks_;
    const Clock& clock_;
    const std::function<void()> tick_;
    mutable Mutex mutex_;
    std::map<int32_t, Seen> seen_ GUARDED_BY(mutex_);
    std::jthread thread_;
};

}  // namespace gantry::vacuum
