// SPDX-License-Identifier: PostgreSQL
#include "core/pg/session.h"

#include <fmt/format.h>

#include <utility>

namespace gantry::pg {
namespace {

constexpr int kDefaultExtraFloatDigits = 3;
constexpr int kJit = 11;
constexpr const char* kNoJit = "SET jit = off;";

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

/// What comes from an option is told with it when the server refuses it.
void setAsAsked(Connection& connection, const std::string& sql, std::string_view option,
                std::string_view hint) {
    try {
        connection.execute(sql);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Server) throw;
        ErrorInfo info = error.info();
        info.object = option;
        if (info.hint.empty()) info.hint = hint;
        throw Error(std::move(info));
    }
}

}  // namespace

void setRole(Connection& connection, const std::string& role) {
    if (role.empty()) return;
    setAsAsked(connection, "SET ROLE " + quoteIdentifier(role), "--role",
               "It takes the name of a role that the connected one is a member of, spelled as "
               "pg_roles has it.");
}

void setClientEncoding(Connection& connection, const std::string& encoding) {
    if (encoding.empty()) return;
    setAsAsked(connection, "SET client_encoding = " + quoteLiteral(encoding), "--encoding",
               "It takes the name of an encoding that the server knows, such as UTF8 or LATIN1; "
               "without it rows come in the database's own.");
}

void setLockWait(Connection& connection, const std::string& timeout) {
    if (timeout.empty()) return;
    setAsAsked(connection, "SET lock_timeout = " + quoteLiteral(timeout), "--lock-wait-timeout",
               "It takes milliseconds, or a number with its unit: 5000, 5s, 2min.");
}

void liftTimeLimits(Connection& connection) {
    connection.execute(noTimeLimits(connection.serverMajor()));
}

void compileNothing(Connection& connection) {
    if (connection.serverMajor() >= kJit) connection.execute(kNoJit);
}

void setUpMaintenance(Connection& connection) {
    constexpr int kGrantedSettings = 15;
    const char* may = connection.serverMajor() >= kGrantedSettings
                          ? "pg_catalog.has_parameter_privilege('lc_messages', 'SET')"
                          : "pg_catalog.current_setting('is_superuser') = 'on'";
    std::string sql = noTimeLimits(connection.serverMajor());
    if (connection.serverMajor() >= kJit) sql += kNoJit;
    sql += fmt::format(
        "SELECT CASE WHEN {} THEN pg_catalog.set_config('lc_messages', 'C', false) END", may);
    connection.execute(sql);
}

void setUpDumpSession(Connection& connection, const DumpSessionSettings& settings) {
    setClientEncoding(connection, settings.encoding);
    setRole(connection, settings.role);
    std::string sql = "SELECT pg_catalog.set_config('search_path', '', false);";
    const auto set = [&](std::string_view name, std::string_view value) {
        sql += fmt::format("SET {} = {};", name, value);
    };
    set("datestyle", "ISO");
    set("intervalstyle", "POSTGRES");
    set("extra_float_digits",
        std::to_string(settings.extraFloatDigits.value_or(kDefaultExtraFloatDigits)));
    // A table that is read again shall come in the same order.
    set("synchronize_seqscans", "off");
    set("max_parallel_workers_per_gather", "0");
    sql += noTimeLimits(connection.serverMajor());
    if (connection.serverMajor() >= kJit) sql += kNoJit;
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
