// SPDX-License-Identifier: PostgreSQL
#include "core/run/lock_observer.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "core/base/stoppable_sleep.h"
#include "core/pg/secrets.h"
#include "core/run/load_watch.h"

namespace gantry::run {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr int kSession = 3;  // column of kWaiters from which on kSessionColumns stand

// Each waiter once, with the first that is in its way: others wait behind that one.
constexpr std::string_view kWaiters =
    "SELECT DISTINCT ON (w.pid) w.pid, c.oid IS NOT NULL, CASE"
    " WHEN c.oid IS NOT NULL THEN n.nspname || '.' || c.relname"
    " WHEN l.locktype = 'virtualxid' THEN 'the end of an older transaction'"
    " ELSE coalesce('a ' || l.locktype, 'a lock') END, {}"
    " FROM pg_catalog.pg_stat_activity w"
    " CROSS JOIN LATERAL pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) AS b(pid)"
    " JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid"
    " LEFT JOIN pg_catalog.pg_locks l ON l.pid = w.pid AND NOT l.granted"
    " LEFT JOIN pg_catalog.pg_class c ON c.oid = l.relation AND l.database IN (0,"
    " (SELECT d.oid FROM pg_catalog.pg_database d"
    " WHERE d.datname = pg_catalog.current_database()))"
    " LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE w.pid = ANY ($1::int[]) AND w.wait_event_type = 'Lock'"
    " AND (l.locktype = 'virtualxid' OR a.pid <> ALL ($1::int[]))"
    " ORDER BY w.pid, a.pid";

}  // namespace

std::string describeSession(const pg::Result& result, int row, int first) {
    std::string what;
    const auto add = [&what](std::string_view between, std::string_view part) {
        if (part.empty()) return;  // a session need not have a name, nor show what it does
        if (!what.empty()) what += between;
        what += part;
    };
    add(", ", result.text(row, first + 1));
    add(", ", result.text(row, first + 2));
    add(": ", pg::withoutSecrets(result.text(row, first + 3)));
    const std::string session = fmt::format("session {}", result.text(row, first));
    return what.empty() ? session : fmt::format("{} ({})", session, what);
}

LockObserver::AtWork::AtWork(LockObserver& observer, WorkerId worker, events::Span span,
                             int32_t backendPid)
    : observer_(observer), backendPid_(backendPid) {
    const MutexLock lock(observer_.mutex_);
    observer_.tasks_[backendPid_] = {.worker = worker, .span = span};
}

LockObserver::AtWork::~AtWork() {
    const MutexLock lock(observer_.mutex_);
    observer_.tasks_.erase(backendPid_);
}

Duration LockObserver::AtWork::endWait() {
    const MutexLock lock(observer_.mutex_);
    Task& task = observer_.tasks_.at(backendPid_);
    task.endWait();
    return task.waited;
}

void LockObserver::Task::endWait() {
    if (!waitsSince) return;
    waited += std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - *waitsSince);
    waitsSince.reset();
}

uint32_t LockObserver::busy() const {
    const MutexLock lock(mutex_);
    return static_cast<uint32_t>(tasks_.size());
}

std::map<int32_t, events::Span> LockObserver::atWork() const {
    const MutexLock lock(mutex_);
    std::map<int32_t, events::Span> found;
    for (const auto& [pid, task] : tasks_) found.emplace(pid, task.span);
    return found;
}

void LockObserver::watch(pg::Connection& connection, const std::stop_token& stop) {
    while (sleepUnlessStopped(kInterval, stop)) {
        try {
            postServerLoad(connection, events_);
            look(connection);
        } catch (const Error&) {
            return;
        }
    }
}

std::string LockObserver::inTheWay(const pg::Result& rows, int row) const {
    const auto own = tasks_.find(static_cast<int32_t>(rows.number(row, kSession)));
    return own != tasks_.end() ? fmt::format("worker {}", own->second.worker.value)
                               : describeSession(rows, row, kSession);
}

void LockObserver::look(pg::Connection& connection) {
    const std::map<int32_t, events::Span> asked = atWork();
    if (asked.empty()) return;
    std::string own;
    for (const auto& [pid, span] : asked) own += (own.empty() ? "" : ",") + std::to_string(pid);
    const pg::Result rows =
        connection.query(fmt::format(kWaiters, kSessionColumns), {"{" + own + "}"});
    std::map<int32_t, int> waiting;  // row of each
    for (int i = 0; i < rows.rows(); ++i) {
        waiting.emplace(static_cast<int32_t>(rows.number(i, 0)), i);
    }
    const MutexLock lock(mutex_);  // whoever is done meanwhile says so later, not earlier
    for (auto& [pid, task] : tasks_) {
        // Who began something else meanwhile does not wait with that.
        const auto was = asked.find(pid);
        if (was == asked.end() || was->second != task.span) continue;
        const auto found = waiting.find(pid);
        if (found == waiting.end()) {
            task.endWait();
            if (std::exchange(task.waits, false)) {
                events_.post(events::TaskPhase{.span = task.span, .phase = {}});
            }
            continue;
        }
        task.waits = true;
        const bool relation = rows.boolean(found->second, 1);
        const std::string object = rows.string(found->second, 2);
        const std::string session = inTheWay(rows, found->second);
        events_.post(events::WorkerIdle{.worker = task.worker,
                                        .cause = events::IdleCause::Lock,
                                        .on = fmt::format("{}, {}", object, session)});
        const auto blocker = static_cast<int32_t>(rows.number(found->second, kSession));
        if (!task.waitsSince && !tasks_.contains(blocker)) {
            task.waitsSince = std::chrono::steady_clock::now();
        }
        if (!told_.emplace(blocker, object).second) continue;
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = relation ? fmt::format("a worker waits for {}, which {} holds or wants",
                                              object, session)
                                : fmt::format("a worker waits for {}: {}", object, session),
            .ofWait = true});
    }
}

}  // namespace gantry::run
