// SPDX-License-Identifier: PostgreSQL
#include "core/restore/target_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/pg/connection_room.h"
#include "core/pg/sql_state.h"

namespace gantry::restore {
namespace {

constexpr int kTrustedExtensions = 13;
constexpr int kMembersMaySet = 16;

std::set<std::string> names(pg::Connection& connection, const std::string& sql) {
    std::set<std::string> found;
    const pg::Result rows = connection.query(sql);
    for (int i = 0; i < rows.rows(); ++i) found.insert(rows.string(i, 0));
    return found;
}

void lookAtUser(pg::Connection& connection, const std::string& role, TargetFacts& facts) {
    const pg::Result me = connection.query(
        "SELECT rolname, rolsuper, rolcreatedb, pg_catalog.pg_has_role(session_user, oid, "
        "'MEMBER'),"
        " rolcreaterole"
        " FROM pg_catalog.pg_roles WHERE rolname = coalesce(nullif($1, ''), session_user)",
        {role});
    facts.user = role;
    facts.userExists = me.rows() > 0;
    if (!facts.userExists) return;
    facts.user = me.string(0, 0);
    facts.superuser = me.boolean(0, 1);
    facts.mayCreateDatabases = facts.superuser || me.boolean(0, 2);
    facts.mayBecomeUser = me.boolean(0, 3);
    facts.mayCreateRoles = facts.superuser || me.boolean(0, 4);
    const pg::Result rights = connection.query(
        "SELECT pg_catalog.has_database_privilege($1, pg_catalog.current_database(), 'CREATE'),"
        " coalesce((SELECT pg_catalog.has_schema_privilege($1, oid, 'CREATE')"
        " FROM pg_catalog.pg_namespace WHERE nspname = 'public'), true)",
        {facts.user});
    facts.mayCreateSchemas = rights.boolean(0, 0);
    facts.mayUsePublic = rights.boolean(0, 1);
    const pg::Result own =
        connection.query(fmt::format("SELECT rolname FROM pg_catalog.pg_roles"
                                     " WHERE pg_catalog.pg_has_role($1, oid, '{}')",
                                     facts.serverMajor >= kMembersMaySet ? "SET" : "MEMBER"),
                         {facts.user});
    for (int i = 0; i < own.rows(); ++i) facts.ownRoles.insert(own.string(i, 0));
}

void lookAtExtensions(pg::Connection& connection, TargetFacts& facts) {
    const bool trust = facts.serverMajor >= kTrustedExtensions;
    const pg::Result rows = connection.query(fmt::format(
        "SELECT v.name, v.version, e.default_version = v.version, e.installed_version IS NOT NULL,"
        " v.superuser{} FROM pg_catalog.pg_available_extension_versions v"
        " JOIN pg_catalog.pg_available_extensions e ON e.name = v.name",
        trust ? " AND NOT v.trusted" : ""));
    for (int i = 0; i < rows.rows(); ++i) {
        TargetFacts::Extension& extension = facts.extensions[rows.string(i, 0)];
        extension.versions.insert(rows.string(i, 1));
        extension.installed = rows.boolean(i, 3);
        if (!rows.boolean(i, 2)) continue;
        extension.version = rows.string(i, 1);
        extension.needsSuperuser = rows.boolean(i, 4);
    }
}

void lookAtLocales(pg::Connection& connection, const ArchiveNeeds& needs, TargetFacts& facts) {
    facts.collations = names(connection,
                             "SELECT collname FROM pg_catalog.pg_collation WHERE collnamespace ="
                             " 'pg_catalog'::pg_catalog.regnamespace AND collencoding IN (-1,"
                             " (SELECT encoding FROM pg_catalog.pg_database"
                             " WHERE datname = pg_catalog.current_database()))");
    facts.hasIcu = !names(connection,
                          // From 16 on one of them is there even if nothing can use it.
                          "SELECT collname FROM pg_catalog.pg_collation WHERE collprovider = 'i'"
                          " AND collname <> 'unicode' LIMIT 1")
                        .empty();
    for (const std::string& locale :
         names(connection,
               "SELECT collcollate FROM pg_catalog.pg_collation WHERE collprovider = 'c' AND"
               " collcollate IS NOT NULL UNION SELECT datcollate FROM pg_catalog.pg_database"
               " UNION SELECT datctype FROM pg_catalog.pg_database")) {
        facts.libcLocales.insert(plainLocale(locale));
    }
    const pg::Result encoding = connection.query(
        "SELECT pg_catalog.current_setting('server_encoding'),"
        " $1 IN ('', 'SQL_ASCII', pg_catalog.current_setting('server_encoding'))"
        " OR pg_catalog.current_setting('server_encoding') = 'SQL_ASCII'"
        " OR EXISTS (SELECT FROM pg_catalog.pg_conversion WHERE condefault"
        "     AND pg_catalog.pg_encoding_to_char(conforencoding) = $1 AND"
        "     pg_catalog.pg_encoding_to_char(contoencoding) ="
        "         pg_catalog.current_setting('server_encoding'))",
        {needs.encoding});
    facts.encoding = encoding.string(0, 0);
    facts.encodingConverts = encoding.boolean(0, 1);
}

/// Name, and whether it holds rows. A size can be had only of what nobody has exclusively; of such
/// a relation the last vacuum and the statistics tell enough.
pg::Result lookAtRelations(pg::Connection& connection, bool sizes) {
    const auto ask = [&](std::string_view holdsRows) {
        return connection.query(
            fmt::format("SELECT n.nspname || '.' || c.relname, c.relkind = 'r' AND {}"
                        " FROM pg_catalog.pg_class c"
                        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                        " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_'"
                        " AND n.nspname <> 'information_schema'",
                        holdsRows));
    };
    if (!sizes) return ask("false");
    connection.execute("BEGIN; SET LOCAL lock_timeout = '1s'");
    try {
        pg::Result found = ask("pg_catalog.pg_relation_size(c.oid) > 0");
        connection.execute("COMMIT");
        return found;
    } catch (const Error& error) {
        if (error.info().sqlState != pg::sql_state::kLockNotAvailable) throw;
        connection.execute("ROLLBACK");
    }
    return ask("(c.relpages > 0 OR pg_catalog.pg_stat_get_live_tuples(c.oid) > 0)");
}

void lookAtDatabase(pg::Connection& connection, const ArchiveNeeds& needs, TargetFacts& facts) {
    facts.databases = names(connection, "SELECT datname FROM pg_catalog.pg_database");
    if (!needs.database.empty()) {
        facts.sessionsThere = connection
                                  .query(
                                      "SELECT count(*) FROM pg_catalog.pg_stat_activity"
                                      " WHERE datname = $1 AND pid <> pg_catalog.pg_backend_pid()",
                                      {needs.database})
                                  .number(0, 0);
        return;  // a new one holds nothing
    }
    facts.schemas = names(connection, "SELECT nspname FROM pg_catalog.pg_namespace");
    const pg::Result relations = lookAtRelations(connection, !needs.filledTables.empty());
    for (int i = 0; i < relations.rows(); ++i) {
        facts.relations.emplace(relations.string(i, 0), relations.boolean(i, 1));
    }
}

void lookAtRoom(pg::Connection& connection, TargetFacts& facts) {
    facts.freeConnections = pg::connectionsLeft(connection);
    // Over its socket the server is on this machine; else its folders are not ours to see.
    if (!connection.isLocal()) return;
    const pg::Result folder = connection.query(
        "SELECT CASE WHEN pg_catalog.pg_has_role(current_user, 'pg_read_all_settings', 'MEMBER')"
        " THEN pg_catalog.current_setting('data_directory', true) END");
    if (folder.isNull(0, 0)) return;
    std::error_code unknown;
    const auto space = std::filesystem::space(folder.string(0, 0), unknown);
    if (unknown) return;
    facts.dataFolder = folder.string(0, 0);
    facts.freeDisk = space.available;
}

}  // namespace

std::string plainLocale(std::string_view locale) {
    std::string plain(locale.substr(0, locale.find('.')));
    if (plain.size() == locale.size()) return plain;
    for (const char c : locale.substr(plain.size())) {
        if (c != '-') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return plain;
}

TargetFacts lookAtTarget(pg::Connection& connection, const ArchiveNeeds& needs,
                         const std::string& role) {
    TargetFacts facts;
    facts.serverMajor = connection.serverMajor();
    facts.serverVersion = connection.serverVersionText();
    facts.serverVersion.resize(std::min(facts.serverVersion.size(), facts.serverVersion.find(' ')));
    facts.standby = connection.query("SELECT pg_catalog.pg_is_in_recovery()").boolean(0, 0);
    facts.readsOnly = connection
                          .query(
                              "SELECT pg_catalog.current_setting('default_transaction_read_only')::"
                              "pg_catalog.bool")
                          .boolean(0, 0);
    facts.database = connection.databaseName();
    lookAtUser(connection, role, facts);
    facts.roles = names(connection, "SELECT rolname FROM pg_catalog.pg_roles");
    if (!needs.extensions.empty()) lookAtExtensions(connection, facts);
    facts.tablespaces = names(connection, "SELECT spcname FROM pg_catalog.pg_tablespace");
    facts.accessMethods =
        names(connection, "SELECT amname FROM pg_catalog.pg_am WHERE amtype = 't'");
    lookAtLocales(connection, needs, facts);
    lookAtDatabase(connection, needs, facts);
    lookAtRoom(connection, facts);
    return facts;
}

}  // namespace gantry::restore
