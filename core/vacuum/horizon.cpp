// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/horizon.h"

#include <fmt/format.h>

#include <chrono>

#include "core/base/format.h"
#include "core/run/lock_observer.h"

namespace gantry::vacuum {
namespace {

constexpr double kLong = 300;        // seconds
constexpr double kFarBehind = 0.01;  // of what forces autovacuum

/// Transactions behind, seconds, what it is, or else a session's columns. A vacuum's own snapshot
/// holds nothing back.
std::string query(bool catalogs) {
    return fmt::format(
        "SELECT behind, coalesce(seconds, 0), what, pid, usename, state, query FROM ("
        "SELECT greatest(pg_catalog.age(a.backend_xid), pg_catalog.age(a.backend_xmin)) AS behind,"
        " extract(epoch FROM pg_catalog.clock_timestamp() - a.xact_start) AS seconds,"
        " NULL AS what, {} FROM pg_catalog.pg_stat_activity a"
        " WHERE a.pid <> pg_catalog.pg_backend_pid() AND a.datname = pg_catalog.current_database()"
        " AND a.query NOT ILIKE 'vacuum%' AND a.query NOT ILIKE 'autovacuum: vacuum%'"
        " UNION ALL SELECT pg_catalog.age(transaction),"
        " extract(epoch FROM pg_catalog.clock_timestamp() - prepared),"
        " 'the prepared transaction \"' || gid || '\" of ' || owner, NULL, NULL, NULL, NULL"
        " FROM pg_catalog.pg_prepared_xacts WHERE database = pg_catalog.current_database()"
        " UNION ALL SELECT greatest(pg_catalog.age(xmin){}), NULL, 'the replication slot \"'"
        " || slot_name || CASE WHEN active THEN '\"' ELSE '\", which nobody uses' END,"
        " NULL, NULL, NULL, NULL FROM pg_catalog.pg_replication_slots"
        " UNION ALL SELECT pg_catalog.age(backend_xmin), NULL, 'the standby \"'"
        " || application_name || '\" (hot_standby_feedback)', NULL, NULL, NULL, NULL"
        " FROM pg_catalog.pg_stat_replication)"
        " AS holder (behind, seconds, what, pid, usename, state, query)"
        " WHERE behind IS NOT NULL ORDER BY behind DESC, seconds DESC NULLS LAST LIMIT 1",
        run::kSessionColumns, catalogs ? ", pg_catalog.age(catalog_xmin)" : "");
}

}  // namespace

bool HorizonHolder::isOld(uint64_t freezeMaxAge) const {
    return seconds >= kLong ||
           static_cast<double>(xids) >= kFarBehind * static_cast<double>(freezeMaxAge);
}

std::optional<HorizonHolder> whoHoldsBack(pg::Connection& connection, bool catalogs) {
    const pg::Result r = connection.query(query(catalogs));
    if (r.rows() == 0) return std::nullopt;
    HorizonHolder holder{.who = r.isNull(0, 2) ? run::describeSession(r, 0, 3) : r.string(0, 2),
                         .xids = r.number(0, 0),
                         .seconds = r.real(0, 1)};
    if (holder.seconds > 0) {
        const std::chrono::duration<double> seconds(holder.seconds);
        holder.who += fmt::format(", begun {} ago,",
                                  formatDuration(std::chrono::duration_cast<Duration>(seconds)));
    }
    return holder;
}

}  // namespace gantry::vacuum
