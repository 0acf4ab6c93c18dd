// SPDX-License-Identifier: PostgreSQL
#include "core/pg/connection_room.h"

#include <fmt/format.h>

#include <string_view>

namespace gantry::pg {

uint32_t connectionsLeft(Connection& connection) {
    const std::string reserved =
        connection.serverMajor() >= 16
            ? " - CASE WHEN pg_catalog.pg_has_role('pg_use_reserved_connections', 'USAGE') THEN 0"
              " ELSE pg_catalog.current_setting('reserved_connections')::pg_catalog.int4 END"
            : "";
    const bool seesOthers =
        connection
            .query("SELECT pg_catalog.has_table_privilege('pg_catalog.pg_stat_activity', 'SELECT')")
            .boolean(0, 0);
    const std::string_view sessions =
        seesOthers ? "pg_catalog.pg_stat_activity"
                   : "(SELECT NULL::name, NULL::name, NULL::text, NULL::oid WHERE false)"
                     " AS nobody (usename, datname, backend_type, datid)";
    // What others do may be hidden, not that they are there. A superuser meets no limits but the
    // server's.
    const Result result = connection.query(fmt::format(
        "WITH used AS (SELECT usename, datname FROM {1}"
        " WHERE coalesce(backend_type, 'client backend') = 'client backend' AND datid IS NOT NULL)"
        " SELECT greatest(0, CASE WHEN r.rolsuper THEN m.most - m.used ELSE least("
        " m.most - m.used - "
        "pg_catalog.current_setting('superuser_reserved_connections')::pg_catalog.int4{0},"
        " CASE WHEN r.rolconnlimit >= 0 THEN r.rolconnlimit"
        " - (SELECT pg_catalog.count(*) FROM used WHERE usename = session_user) END,"
        " CASE WHEN d.datconnlimit >= 0 THEN d.datconnlimit"
        " - (SELECT pg_catalog.count(*) FROM used WHERE datname = d.datname) END) END)"
        " FROM pg_catalog.pg_roles r, pg_catalog.pg_database d,"
        " (SELECT pg_catalog.current_setting('max_connections')::pg_catalog.int4 AS most,"
        " (SELECT pg_catalog.count(*) FROM used) AS used) m"
        " WHERE r.rolname = session_user AND d.datname = pg_catalog.current_database()",
        reserved, sessions));
    return static_cast<uint32_t>(result.number(0, 0));
}

}  // namespace gantry::pg
