// SPDX-License-Identifier: PostgreSQL
#include "core/dump/coordinator.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/pg/connection_room.h"
#include "core/pg/session.h"
#include "core/pg/sql_state.h"

namespace gantry::dump {
namespace {

constexpr int kOldestServer = 100000;
constexpr int kAttempts = 5;
constexpr std::size_t kLockStatementSize = 100'000;
constexpr std::size_t kNamesShown = 10;

template <class Range, class Name>
std::string listNames(const Range& items, Name name) {
    std::string text;
    std::size_t shown = 0;
    for (const auto& item : items) {
        if (shown == kNamesShown) return text + fmt::format(" and {} more", items.size() - shown);
        if (shown++ > 0) text += ", ";
        text += name(item);
    }
    return text;
}

}  // namespace

Coordinator::Coordinator(const options::DumpOptions& options, events::EventSink& events,
                         const std::stop_token& stop)
    : options_(options),
      events_(events),
      stop_(stop),
      connection_(pg::Connection::open(options.connection, "gantry dump: coordinator", stop)),
      lockWatch_(options.connection, events, stop, connection_.backendPid()) {
    if (connection_.serverVersion() < kOldestServer) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("the server is PostgreSQL {}; 10 is the oldest that can be dumped",
                                connection_.serverVersionText()),
                    connection_.endpoint(), "Use that version's own pg_dump.");
    }
    refusePooler(connection_);
    pg::liftTimeLimits(connection_);
    pg::compileNothing(connection_);
    standby_ = connection_.query("SELECT pg_catalog.pg_is_in_recovery()").boolean(0, 0);
}

void Coordinator::begin() {
    connection_.execute(options_.serializableDeferrable
                            ? "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE"
                            : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

void Coordinator::establishSnapshot() {
    if (options_.serializableDeferrable && standby_) {
        throw Error(ErrorKind::Preflight,
                    "--serializable-deferrable does not work on a standby server",
                    connection_.endpoint(), "Leave the option out, or dump from the primary.");
    }
    const bool early = canSelectEarly(options_);
    std::vector<LockTarget> targets;
    for (int attempt = 0;; ++attempt) {
        // Names are read now and written into statements later.
        pg::setClientEncoding(connection_, options_.encoding);
        pg::setRole(connection_, options_.role);
        // Patterns without a schema mean what the user's own search_path shows.
        if (attempt > 0 || !snapshot_.id.empty()) connection_.execute("RESET search_path");
        if (early) {
            targets = listLockTargets(connection_, options_);
            excludedData_ = listExcludedData(connection_, options_);
            refuseUnreadable(targets);
        }
        pg::setUpDumpSession(connection_, sessionSettings(options_));
        begin();
        if (tryLock(targets)) break;
        connection_.execute("ROLLBACK");
        if (attempt + 1 == kAttempts) {
            throw Error(ErrorKind::Server,
                        "tables were dropped or changed faster than they could be locked", {},
                        "Run it again when nobody changes tables.");
        }
    }
    snapshot_.id = connection_.query("SELECT pg_catalog.pg_export_snapshot()").string(0, 0);
    snapshot_.contents = pg::currentSnapshot(connection_);
    snapshot_.encoding = connection_.clientEncoding();
    snapshot_.lsn = connection_
                        .query(standby_ ? "SELECT pg_catalog.pg_last_wal_replay_lsn()"
                                        : "SELECT pg_catalog.pg_current_wal_lsn()")
                        .string(0, 0);
}

void Coordinator::establishAnew() {
    connection_.execute("ROLLBACK");
    locked_.clear();
    lockWatch_.forget();
    establishSnapshot();
}

std::vector<TableFacts> Coordinator::readEarlyTables() {
    std::vector<TableFacts> tables = readTableFacts(connection_, locked_);
    tellUnloggedOnStandby(tables);
    std::erase_if(tables, [&](const TableFacts& table) { return isDataExcluded(table); });
    refuseUnfit(tables, options_.content.enableRowSecurity);
    return tables;
}

void Coordinator::tellUnloggedOnStandby(std::vector<TableFacts> tables) {
    std::erase_if(tables, [&](const TableFacts& table) {
        return !table.unlogged || isExcludedByName(table.oid) || table.relkind != 'r';
    });
    if (!standby_ || options_.content.noUnloggedTableData || tables.empty() ||
        std::exchange(unloggedTold_, true)) {
        return;
    }
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message =
            fmt::format("a standby has no rows of unlogged tables, so the dump has none of "
                        "{}; dump them from the primary",
                        listNames(tables, [](const TableFacts& t) { return t.displayName(); }))});
}

std::vector<TableFacts> Coordinator::lockLate(const std::vector<LockTarget>& targets) {
    std::vector<LockTarget> lockable;
    std::vector<Oid> oids;
    for (const LockTarget& target : targets) oids.push_back(target.oid);
    std::vector<TableFacts> tables = readTableFacts(connection_, oids);
    std::unordered_set<uint32_t> ordinary;
    for (const TableFacts& table : tables) {
        if (table.relkind == 'r') ordinary.insert(table.oid.value);
    }
    for (const LockTarget& target : targets) {
        if (ordinary.contains(target.oid.value)) lockable.push_back(target);
    }
    lock(lockable);
    // Sizes and files as they are now that nothing can change any more.
    tables = readTableFacts(connection_, oids);
    refuseUnfit(tables, options_.content.enableRowSecurity);
    return tables;
}

bool Coordinator::isDataExcluded(const TableFacts& table) const {
    if (table.unlogged && (standby_ || options_.content.noUnloggedTableData)) return true;
    return isExcludedByName(table.oid);
}

bool Coordinator::isExcludedByName(Oid table) const {
    return std::find(excludedData_.begin(), excludedData_.end(), table) != excludedData_.end();
}

bool Coordinator::tryLock(const std::vector<LockTarget>& targets) {
    try {
        lock(targets);
        return true;
    } catch (const Error& error) {
        if (error.info().sqlState == pg::sql_state::kUndefinedTable ||
            error.info().sqlState == pg::sql_state::kDeadlock) {
            return false;
        }
        throw;
    }
}

void Coordinator::lock(const std::vector<LockTarget>& targets) {
    if (targets.empty()) return;
    pg::setLockWait(connection_, options_.lockWaitTimeout);
    connection_.setWaitObserver([this](std::chrono::seconds) {
        try {
            lockWatch_.coordinatorWaits();
        } catch (const Error&) {
            connection_.canceller().cancel();
            throw;
        }
    });
    std::string names;
    const auto send = [&] {
        if (names.empty()) return;
        connection_.execute("LOCK TABLE " + names + " IN ACCESS SHARE MODE");
        names.clear();
    };
    try {
        for (const LockTarget& target : targets) {
            if (!names.empty()) names += ", ";
            names += "ONLY " + target.qualifiedName();
            if (names.size() >= kLockStatementSize) send();
        }
        send();
    } catch (const Error& error) {
        connection_.setWaitObserver(nullptr);
        ErrorInfo info = error.info();
        info.statement.clear();
        if (info.sqlState == pg::sql_state::kLockNotAvailable) {
            std::vector<Oid> oids;
            for (const LockTarget& target : targets) oids.push_back(target.oid);
            throw lockWatch_.refused(info, oids);
        }
        if (info.sqlState == pg::sql_state::kOutOfMemory) {
            info.object = fmt::format("{} tables to lock", targets.size());
            info.hint =
                "The server's lock table is too small for so many: raise "
                "max_locks_per_transaction there, or dump schema by schema with -n.";
        }
        throw Error(std::move(info));
    }
    connection_.setWaitObserver(nullptr);
    if (!options_.lockWaitTimeout.empty()) connection_.execute("SET lock_timeout = 0");
    for (const LockTarget& target : targets) locked_.push_back(target.oid);
}

void Coordinator::refuseUnreadable(const std::vector<LockTarget>& targets) const {
    std::vector<LockTarget> unreadable;
    std::copy_if(targets.begin(), targets.end(), std::back_inserter(unreadable),
                 [this](const LockTarget& target) {
                     return !target.lockable || (!target.readable && !isExcludedByName(target.oid));
                 });
    if (unreadable.empty()) return;
    throw Error(
        ErrorKind::Preflight, "permission denied: this role may not read it",
        listNames(unreadable, [](const LockTarget& t) { return t.displayName(); }),
        "Grant it SELECT, and USAGE of the schema (or pg_read_all_data), or leave the table "
        "out with -T.");
}

void Coordinator::refuseUnfit(const std::vector<TableFacts>& tables, bool rowSecurity) {
    std::vector<TableFacts> rewritten;
    std::vector<TableFacts> filtered;
    for (const TableFacts& table : tables) {
        if (!table.sameFile) rewritten.push_back(table);
        if (table.filteredForUs && !rowSecurity) filtered.push_back(table);
    }
    const auto name = [](const TableFacts& table) { return table.displayName(); };
    if (!rewritten.empty()) {
        throw Error(ErrorKind::Server,
                    "rewritten (TRUNCATE, VACUUM FULL, …) between the snapshot and the lock: its "
                    "rows would be missing",
                    listNames(rewritten, name), "Run it again.");
    }
    if (!filtered.empty()) {
        throw Error(ErrorKind::Preflight, "row-level security would hide rows from this role",
                    listNames(filtered, name),
                    "Use a role with BYPASSRLS, or --enable-row-security to dump only the rows "
                    "that this role may see.");
    }
}

Error Coordinator::lockRefused(const ErrorInfo& cause) {
    return lockWatch_.refused(cause, locked_);
}

uint32_t Coordinator::connectionsLeft() { return pg::connectionsLeft(connection_); }

void Coordinator::checkStillThere() {
    std::string contents;
    try {
        contents = pg::currentSnapshot(connection_);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Connection) throw;
        throw lossOf(error.info());
    }
    if (contents != snapshot_.contents) {
        throw Error(ErrorKind::Internal, "the coordinator's snapshot changed during the run");
    }
}

bool Coordinator::hungUp(std::chrono::milliseconds patience) const {
    pollfd entry{.fd = connection_.socket(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&entry, 1, static_cast<int>(patience.count())) > 0 &&
           (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

Error Coordinator::lossOf(const ErrorInfo& cause) {
    ErrorInfo loss = cause;
    loss.kind = ErrorKind::Connection;
    loss.message = "the coordinator's session ended, and its snapshot with it: " + cause.message;
    loss.object.clear();
    loss.hint = cause.sqlState == pg::sql_state::kSerializationFailure
                    ? "The standby ends what keeps it from replaying: raise "
                      "max_standby_streaming_delay there or set hot_standby_feedback = on, then "
                      "run the dump again; or dump from the primary."
                    : "Look at the server's log for the reason, then run the dump again.";
    loss.connectionUsable = true;  // a new connection would not help
    return Error(std::move(loss));
}

}  // namespace gantry::dump
