// SPDX-License-Identifier: PostgreSQL
#include "core/restore/database_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/base/text.h"

namespace gantry::restore {
namespace {

/// Settings whose value is a list of names, each quoted by itself.
constexpr std::array<std::string_view, 6> kNameLists{
    "local_preload_libraries",  "search_path",      "session_preload_libraries",
    "shared_preload_libraries", "temp_tablespaces", "unix_socket_directories"};

/// The columns of pg_database that came with later versions.
std::string localeColumns(int major) {
    if (major >= 17) return "datlocprovider, datlocale, daticurules";
    if (major >= 16) return "datlocprovider, daticulocale, daticurules";
    if (major >= 15) return "datlocprovider, daticulocale, NULL";
    return "'c', NULL, NULL";
}

void readLists(pg::Connection& connection, const std::string& oid, DatabaseProperties& found) {
    const pg::Result settings = connection.query(
        "SELECT r.rolname, c.setting FROM pg_catalog.pg_db_role_setting s"
        " LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole,"
        " LATERAL pg_catalog.unnest(s.setconfig) WITH ORDINALITY c(setting, place)"
        " WHERE s.setdatabase = $1::pg_catalog.oid ORDER BY r.rolname NULLS FIRST, c.place",
        {oid});
    for (int i = 0; i < settings.rows(); ++i) {
        const std::string_view text = settings.text(i, 1);
        const std::size_t equals = text.find('=');
        if (equals == text.npos) continue;
        found.settings.push_back({.role = settings.string(i, 0),
                                  .name = std::string(text.substr(0, equals)),
                                  .value = std::string(text.substr(equals + 1))});
    }
    const pg::Result grants = connection.query(
        "SELECT r.rolname, a.privilege_type, a.is_grantable FROM pg_catalog.pg_database d,"
        " LATERAL pg_catalog.aclexplode(d.datacl) a"
        " LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee"
        " WHERE d.oid = $1::pg_catalog.oid AND (a.grantee = 0 OR r.rolname IS NOT NULL)"
        " ORDER BY 1 NULLS FIRST, 2",
        {oid});
    for (int i = 0; found.grants && i < grants.rows(); ++i) {
        found.grants->push_back({.grantee = grants.string(i, 0),
                                 .privilege = grants.string(i, 1),
                                 .grantable = grants.boolean(i, 2)});
    }
    const pg::Result labels = connection.query(
        "SELECT provider, label FROM pg_catalog.pg_shseclabel WHERE objoid = $1::pg_catalog.oid"
        " AND classoid = 'pg_catalog.pg_database'::pg_catalog.regclass ORDER BY 1",
        {oid});
    for (int i = 0; i < labels.rows(); ++i) {
        found.securityLabels.push_back(
            {.provider = labels.string(i, 0), .label = labels.string(i, 1)});
    }
}

}  // namespace

std::optional<DatabaseProperties> readProperties(pg::Connection& connection,
                                                 const std::string& database) {
    const pg::Result row = connection.query(
        "SELECT d.oid, pg_catalog.pg_encoding_to_char(d.encoding), d.datcollate, d.datctype,"
        " CASE WHEN t.oid <> (SELECT dattablespace FROM pg_catalog.pg_database"
        "     WHERE datname = 'template0') THEN t.spcname END,"
        " pg_catalog.pg_get_userbyid(d.datdba),"
        " pg_catalog.shobj_description(d.oid, 'pg_database'), d.datconnlimit, d.datistemplate,"
        " d.datallowconn, d.datacl IS NOT NULL, " +
            localeColumns(connection.serverMajor()) +
            " FROM pg_catalog.pg_database d JOIN pg_catalog.pg_tablespace t"
            " ON t.oid = d.dattablespace WHERE d.datname = $1",
        {database});
    if (row.rows() == 0) return std::nullopt;
    DatabaseProperties found;
    found.encoding = row.string(0, 1);
    found.collate = row.string(0, 2);
    found.ctype = row.string(0, 3);
    found.tablespace = row.string(0, 4);
    found.owner = row.string(0, 5);
    found.comment = row.string(0, 6);
    found.connectionLimit = std::atoi(row.string(0, 7).c_str());
    found.isTemplate = row.boolean(0, 8);
    found.allowsConnections = row.boolean(0, 9);
    if (row.boolean(0, 10)) found.grants.emplace();
    found.localeProvider = row.text(0, 11).empty() ? 'c' : row.text(0, 11).front();
    found.locale = row.string(0, 12);
    found.icuRules = row.string(0, 13);
    readLists(connection, row.string(0, 0), found);
    return found;
}

std::string createDatabaseLike(const DatabaseProperties& p, const std::string& name) {
    std::string sql =
        fmt::format("CREATE DATABASE {} TEMPLATE template0", pg::quoteIdentifier(name));
    const auto add = [&](std::string_view keyword, const std::string& value) {
        if (!value.empty()) sql += fmt::format(" {} {}", keyword, pg::quoteLiteral(value));
    };
    add("ENCODING", p.encoding);
    add("LC_COLLATE", p.collate);
    add("LC_CTYPE", p.ctype);
    if (p.localeProvider == 'i') {
        sql += " LOCALE_PROVIDER icu";
        add("ICU_LOCALE", p.locale);
        add("ICU_RULES", p.icuRules);
    } else if (p.localeProvider == 'b') {
        sql += " LOCALE_PROVIDER builtin";
        add("BUILTIN_LOCALE", p.locale);
    }
    if (!p.tablespace.empty()) sql += " TABLESPACE " + pg::quoteIdentifier(p.tablespace);
    return sql;
}

std::string settingAsSql(std::string_view name, std::string_view value) {
    const std::string known = lowered(name);
    if (std::find(kNameLists.begin(), kNameLists.end(), known) == kNameLists.end()) {
        return pg::quoteLiteral(value);
    }
    std::string sql;
    std::string element;
    bool quoted = false;
    const auto end = [&] {
        sql += (sql.empty() ? "" : ", ") + pg::quoteLiteral(element);
        element.clear();
    };
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (c == '"') {
            const bool doubled = quoted && i + 1 < value.size() && value[i + 1] == '"';
            if (doubled) {
                element += value[++i];
            } else {
                quoted = !quoted;
            }
        } else if (c == ',' && !quoted) {
            end();
        } else if (c != ' ' || quoted) {
            element += c;
        }
    }
    end();
    return sql;
}

std::vector<std::string> applyProperties(const DatabaseProperties& p, const std::string& name) {
    const std::string database = pg::quoteIdentifier(name);
    std::vector<std::string> all;
    if (!p.owner.empty()) {
        all.push_back(
            fmt::format("ALTER DATABASE {} OWNER TO {}", database, pg::quoteIdentifier(p.owner)));
    }
    all.push_back(fmt::format("COMMENT ON DATABASE {} IS {}", database,
                              p.comment.empty() ? "NULL" : pg::quoteLiteral(p.comment)));
    for (const DatabaseProperties::Setting& setting : p.settings) {
        const std::string whose = setting.role.empty()
                                      ? fmt::format("ALTER DATABASE {}", database)
                                      : fmt::format("ALTER ROLE {} IN DATABASE {}",
                                                    pg::quoteIdentifier(setting.role), database);
        all.push_back(fmt::format("{} SET {} TO {}", whose, pg::quoteIdentifier(setting.name),
                                  settingAsSql(setting.name, setting.value)));
    }
    if (p.grants) {
        const std::string owner = p.owner.empty() ? "CURRENT_USER" : pg::quoteIdentifier(p.owner);
        all.push_back(fmt::format("REVOKE ALL ON DATABASE {} FROM PUBLIC, {}", database, owner));
        for (const DatabaseProperties::Grant& grant : *p.grants) {
            all.push_back(
                fmt::format("GRANT {} ON DATABASE {} TO {}{}", grant.privilege, database,
                            grant.grantee.empty() ? "PUBLIC" : pg::quoteIdentifier(grant.grantee),
                            grant.grantable ? " WITH GRANT OPTION" : ""));
        }
    }
    for (const DatabaseProperties::SecurityLabel& label : p.securityLabels) {
        all.push_back(fmt::format("SECURITY LABEL FOR {} ON DATABASE {} IS {}",
                                  pg::quoteIdentifier(label.provider), database,
                                  pg::quoteLiteral(label.label)));
    }
    if (p.connectionLimit != -1) {
        all.push_back(
            fmt::format("ALTER DATABASE {} CONNECTION LIMIT {}", database, p.connectionLimit));
    }
    if (p.isTemplate) all.push_back(fmt::format("ALTER DATABASE {} IS_TEMPLATE true", database));
    if (!p.allowsConnections) {
        all.push_back(fmt::format("ALTER DATABASE {} ALLOW_CONNECTIONS false", database));
    }
    return all;
}

}  // namespace gantry::restore
