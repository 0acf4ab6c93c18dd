// SPDX-License-Identifier: PostgreSQL
#include "core/dump/lock_watch.h"

#include <fmt/format.h>

#include <utility>

#include "core/pg/sql_state.h"
#include "core/run/lock_observer.h"

namespace gantry::dump {
namespace {

constexpr uint32_t kPatience = 3;  // seconds, and once that has been in vain:
constexpr uint32_t kPatienceAgain = 1;
constexpr std::string_view kWatchName = "gantry dump: lock watch";

}  // namespace

std::string describePrepared(std::string_view gid) {
    return "prepared transaction " + pg::quoteLiteral(gid);
}

std::string howToEndPrepared(std::string_view gid) {
    return fmt::format("COMMIT PREPARED {0} or ROLLBACK PREPARED {0} ends it",
                       pg::quoteLiteral(gid));
}

LockWatch::LockWatch(const options::ConnectionOptions& options, events::EventSink& events,
                     std::stop_token stop, int32_t coordinator)
    : options_(options),
      events_(events),
      stop_(std::move(stop)),
      coordinator_(coordinator),
      patience_(kPatience) {}

std::string LockWatch::schemaDumpName() const {
    return fmt::format("gantry dump: definitions ({})", coordinator_);
}

void LockWatch::coordinatorWaits() { look(fmt::format("w.pid = {}", coordinator_)); }

void LockWatch::schemaDumpWaits() {
    look("w.application_name = " + pg::quoteLiteral(schemaDumpName()));
}

std::optional<LockWatch::Blocker> LockWatch::whoBlocks(std::string_view waiter) {
    pg::Connection watcher = pg::Connection::open(options_, kWatchName, stop_);
    // A prepared transaction has the pid 0 there. It comes first: sessions in between wait for it.
    const pg::Result result = watcher.query(fmt::format(
        "SELECT n.nspname || '.' || c.relname, {},"
        " EXISTS (SELECT FROM pg_catalog.pg_stat_activity o"
        " WHERE o.pid = ANY (pg_catalog.pg_blocking_pids(a.pid))"
        " AND (o.pid = {} OR o.application_name = {})), {}"
        " FROM pg_catalog.pg_stat_activity w"
        " JOIN pg_catalog.pg_locks q ON q.pid = w.pid AND NOT q.granted"
        " JOIN pg_catalog.pg_class c ON c.oid = q.relation"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " CROSS JOIN LATERAL pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) AS b(pid)"
        " LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid"
        " LEFT JOIN pg_catalog.pg_locks l ON b.pid = 0 AND l.pid IS NULL"
        " AND l.database = q.database AND l.relation = q.relation"
        " AND l.mode = 'AccessExclusiveLock'"
        " WHERE {} ORDER BY 6 DESC, a.pid NULLS FIRST LIMIT 1",
        run::kSessionColumns, coordinator_, pg::quoteLiteral(schemaDumpName()), kPreparedHolder,
        waiter));
    if (result.rows() == 0) return std::nullopt;
    Blocker blocker{.relation = result.string(0, 0),
                    .who = {},
                    .howToEnd = {},
                    .waitsForUs = result.boolean(0, 5)};
    if (!result.isNull(0, 1)) {
        blocker.who = run::describeSession(result, 0, 1);
    } else if (!result.isNull(0, 6)) {
        blocker.who = describePrepared(result.text(0, 6));
        blocker.howToEnd = howToEndPrepared(result.text(0, 6));
    } else {
        return std::nullopt;  // it has ended meanwhile
    }
    return blocker;
}

void LockWatch::look(std::string_view waiter) {
    std::optional<Blocker> blocker;
    try {
        blocker = whoBlocks(waiter);
    } catch (const Error&) {
        return;  // only the explanation is missing; the wait itself goes on
    }
    const bool known =
        blocker && last_ && blocker->relation == last_->relation && blocker->who == last_->who;
    seconds_ = blocker && blocker->waitsForUs ? seconds_ + 1 : 0;
    last_ = blocker;
    if (!blocker) return;
    if (seconds_ >= patience_) {
        ErrorInfo info;
        info.kind = ErrorKind::Server;
        info.sqlState = pg::sql_state::kDeadlock;
        info.message =
            fmt::format("{} waits for this dump, and this dump for that session: neither can go on",
                        blocker->who);
        info.object = blocker->relation;
        info.hint = "Run the dump again when that session is done, or end that session first.";
        throw Error(std::move(info));
    }
    events_.post(events::WorkerIdle{.worker = WorkerId{0},
                                    .cause = events::IdleCause::Lock,
                                    .on = fmt::format("{}, {}", blocker->relation, blocker->who)});
    if (known) return;
    const bool holds = !blocker->howToEnd.empty();
    const std::string_view has = blocker->waitsForUs ? "wants" : holds ? "holds" : "holds or wants";
    std::string message = fmt::format("the dump waits for {}, which {} {} exclusively",
                                      blocker->relation, blocker->who, has);
    if (holds) message += ": " + blocker->howToEnd;
    events_.post(events::Notice{
        .severity = events::Severity::Warning, .message = std::move(message), .ofWait = true});
}

void LockWatch::forget() {
    last_.reset();
    seconds_ = 0;
    patience_ = kPatienceAgain;
}

Error LockWatch::refused(const ErrorInfo& cause, const std::vector<Oid>& relations) {
    ErrorInfo info = cause;
    info.kind = ErrorKind::Preflight;
    info.statement.clear();
    info.object = "tables to dump";
    info.hint =
        "Somebody has a table exclusively; wait for that session, or raise --lock-wait-timeout.";
    std::string oids;
    for (const Oid oid : relations) oids += (oids.empty() ? "" : ",") + std::to_string(oid.value);
    try {
        pg::Connection watcher = pg::Connection::open(options_, kWatchName, stop_);
        const pg::Result result = watcher.query(
            fmt::format("SELECT n.nspname || '.' || c.relname, {}, l.granted, {}"
                        " FROM pg_catalog.pg_locks l"
                        " JOIN pg_catalog.pg_class c ON c.oid = l.relation"
                        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                        " LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid"
                        " WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'"
                        " AND l.relation = ANY ($1::pg_catalog.oid[])"
                        " AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d"
                        " WHERE d.datname = pg_catalog.current_database())"
                        " ORDER BY l.granted DESC, l.relation LIMIT 1",
                        run::kSessionColumns, kPreparedHolder),
            {"{" + oids + "}"});
        if (result.rows() > 0) {
            const bool prepared = !result.isNull(0, 6);
            info.object = result.string(0, 0);
            info.message = fmt::format(
                "{}: {} {} it exclusively", info.message,
                prepared ? describePrepared(result.text(0, 6)) : run::describeSession(result, 0, 1),
                result.boolean(0, 5) ? "holds" : "wants");
            if (prepared) {
                info.hint =
                    "No session can let go of it: " + howToEndPrepared(result.text(0, 6)) + ".";
            }
        }
    } catch (const Error&) {
        // The table is not known then; the rest is.
    }
    return Error(std::move(info));
}

}  // namespace gantry::dump
