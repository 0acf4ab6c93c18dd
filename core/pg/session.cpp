// SPDX-License-Identifier: PostgreSQL
#include "core/pg/session.h"

#include <fmt/format.h>

namespace gantry::pg {
namespace {

constexpr int kDefaultExtraFloatDigits = 3;

bool knowsSetting(Connection& connection, const std::string& name) {
    return connection.query("SELECT 1 FROM pg_catalog.pg_settings WHERE name = $1", {name}).rows() >
           0;
}

std::string noTimeLimits(int serverMajor) {
    std::string sql =
        "SET statement_timeout = 0;SET lock_timeout = 0;"
        "SET idle_in_transaction_session_timeout = 0;";
    if (serverMajor >= 14) sql += "SET idle_session_timeout = 0;";
    if (serverMajor >= 17) sql += "SET transaction_timeout = 0;";
    return sql;
}

}  // namespace

void liftTimeLimits(Connection& connection) {
    connection.execute(noTimeLimits(connection.serverMajor()));
}

void setUpDumpSession(Connection& connection, const DumpSessionSettings& settings) {
    std::string sql = "SELECT pg_catalog.set_config('search_path', '', false);";
    const auto set = [&](std::string_view name, std::string_view value) {
        sql += fmt::format("SET {} = {};", name, value);
    };
    if (!settings.encoding.empty()) set("client_encoding", quoteLiteral(settings.encoding));
    if (!settings.role.empty()) sql += "SET ROLE " + quoteIdentifier(settings.role) + ";";
    set("datestyle", "ISO");
    set("intervalstyle", "POSTGRES");
    set("extra_float_digits",
        std::to_string(settings.extraFloatDigits.value_or(kDefaultExtraFloatDigits)));
    set("synchronize_seqscans", "off");
    sql += noTimeLimits(connection.serverMajor());
    if (settings.quoteAllIdentifiers) set("quote_all_identifiers", "true");
    set("row_security", settings.rowSecurity ? "on" : "off");
    connection.execute(sql);
    // Came with minor releases of 12 to 16 too, so the server is asked.
    if (knowsSetting(connection, "restrict_nonsystem_relation_kind")) {
        connection.execute(fmt::format("SET restrict_nonsystem_relation_kind = '{}'",
                                       settings.foreignData ? "view" : "view, foreign-table"));
    }
}

std::string currentSnapshot(Connection& connection) {
    const char* sql = connection.serverMajor() >= 13
                          ? "SELECT pg_catalog.pg_current_snapshot()::pg_catalog.text"
                          : "SELECT pg_catalog.txid_current_snapshot()::pg_catalog.text";
    return connection.query(sql).string(0, 0);
}

}  // namespace gantry::pg
