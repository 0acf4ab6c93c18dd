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
    const pg::Result result = watcher.query(fmt::format(
        "SELECT n.nspname || '.' || c.relname, {},"
        " EXISTS (SELECT FROM pg_catalog.pg_stat_activity o"
        " WHERE o.pid = ANY (pg_catalog.pg_blocking_pids(a.pid))"
        " AND (o.pid = {} OR o.application_name = {}))"
        " FROM pg_catalog.pg_stat_activity w"
        " JOIN pg_catalog.pg_locks l ON l.pid = w.pid AND NOT l.granted"
        " JOIN pg_catalog.pg_class c ON c.oid = l.relation"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " JOIN pg_catalog.pg_stat_activity a"
        " ON a.pid = ANY (pg_catalog.pg_blocking_pids(w.pid))"
        " WHERE {} ORDER BY 6 DESC, a.pid LIMIT 1",
        run::kSessionColumns, coordinator_, pg::quoteLiteral(schemaDumpName()), waiter));
    if (result.rows() == 0) return std::nullopt;
    return Blocker{.relation = result.string(0, 0),
                   .session = run::describeSession(result, 0, 1),
                   .waitsForUs = result.boolean(0, 5)};
}

void LockWatch::look(std::string_view waiter) {
    std::optional<Blocker> blocker;
    try {
        blocker = whoBlocks(waiter);
    } catch (const Error&) {
        return;  // only the explanation is missing; the wait itself goes on
    }
    const bool known = blocker && last_ && blocker->relation == last_->relation &&
                       blocker->session == last_->session;
    seconds_ = blocker && blocker->waitsForUs ? seconds_ + 1 : 0;
    last_ = blocker;
    if (!blocker) return;
    if (seconds_ >= patience_) {
        ErrorInfo info;
        info.kind = ErrorKind::Server;
        info.sqlState = pg::sql_state::kDeadlock;
        info.message =
            fmt::format("{} waits for this dump, and this dump for that session: neither can go on",
                        blocker->session);
        info.object = blocker->relation;
        info.hint = "Run the dump again when that session is done, or end that session first.";
        throw Error(std::move(info));
    }
    events_.post(
        events::WorkerIdle{.worker = WorkerId{0},
                           .cause = events::IdleCause::Lock,
                           .on = fmt::format("{}, {}", blocker->relation, blocker->session)});
    if (known) return;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message = fmt::format("the dump waits for {}, which {} {} exclusively", blocker->relation,
                               blocker->session, blocker->waitsForUs ? "wants" : "holds or wants"),
        .ofWait = true});
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
            fmt::format("SELECT n.nspname || '.' || c.relname, {}, l.granted"
                        " FROM pg_catalog.pg_locks l"
                        " JOIN pg_catalog.pg_class c ON c.oid = l.relation"
                        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                        " JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid"
                        " WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'"
                        " AND l.relation = ANY ($1::pg_catalog.oid[])"
                        " AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d"
                        " WHERE d.datname = pg_catalog.current_database())"
                        " ORDER BY l.granted DESC, l.relation LIMIT 1",
                        run::kSessionColumns),
            {"{" + oids + "}"});
        if (result.rows() > 0) {
            info.object = result.string(0, 0);
            info.message = fmt::format("{}: {} {} it exclusively", info.message,
                                       run::describeSession(result, 0, 1),
                                       result.boolean(0, 5) ? "holds" : "wants");
        }
    } catch (const Error&) {
        // The table is not known then; the rest is.
    }
    return Error(std::move(info));
}

}  // namespace gantry::dump
