// SPDX-License-Identifier: PostgreSQL
// Says which worker waits for whose lock, as long as it does, and how busy the server is.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/sync.h"
#include "core/events/event.h"
#include "core/pg/connection.h"

namespace gantry::run {

/// Of pg_stat_activity, under the alias "a": what describeSession() reads.
inline constexpr std::string_view kSessionColumns =
    "a.pid, a.usename, coalesce(a.state, a.backend_type), pg_catalog.left(a.query, 80)";

/// "session 4711 (postgres, idle in transaction: LOCK TABLE t)" of the columns from `first` on.
std::string describeSession(const pg::Result& result, int row, int first);

/// Knows who is at work and asks the server, from time to time, who of them waits for a lock that
/// another session has: a worker_idle event of that cause as long as it lasts, a task_phase event
/// once it is over, and one notice for each session that is in the way. Locks of the run's own
/// sessions do not count, only whose transaction has to end. Thread-safe.
class LockObserver {
public:
    explicit LockObserver(events::EventSink& events) : events_(events) {}

    /// While it lives the worker is at work; on that worker's thread.
    class AtWork {
    public:
        AtWork(LockObserver& observer, WorkerId worker, events::Span span, int32_t backendPid);
        ~AtWork();
        AtWork(const AtWork&) = delete;
        AtWork& operator=(const AtWork&) = delete;
        /// How long it has waited for locks of other sessions, as far as that was seen.
        Duration endWait();

    private:
        LockObserver& observer_;
        const int32_t backendPid_;
    };

    /// How many are.
    uint32_t busy() const;
    /// Looks about once a second until `stop`; returns early if the connection is lost: only the
    /// explanations are missing then. Nobody else may use `connection` meanwhile.
    void watch(pg::Connection& connection, const std::stop_token& stop);
    /// Looks once, for who looks at other things as well. Throws Error{Connection}.
    void look(pg::Connection& connection);

private:
    struct Task {
        WorkerId worker;
        events::Span span;
        bool waits = false;
        std::optional<std::chrono::steady_clock::time_point> waitsSince{};  ///< for others
        Duration waited{};
        void endWait();
    };

    std::map<int32_t, events::Span> atWork() const;  ///< by the backend's pid
    /// Of a row of who waits for whom: "session 4711 (…)", or "worker 2".
    std::string inTheWay(const pg::Result& rows, int row) const REQUIRES(mutex_);

    events::EventSink& events_;
    mutable Mutex mutex_;
    std::map<int32_t, Task> tasks_ GUARDED_BY(mutex_);  ///< by the backend's pid
    /// Backends in the way, and of what, that a notice has told.
    std::set<std::pair<int32_t, std::string>> told_ GUARDED_BY(mutex_);
};

}  // namespace gantry::run
