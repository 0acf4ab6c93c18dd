// SPDX-License-Identifier: PostgreSQL
// What a database is beside its contents, so that another one can take its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pg/connection.h"

namespace gantry::restore {

/// As the catalogs have it; role names plain, statements without the database's name.
struct DatabaseProperties {
    std::string encoding;
    std::string collate;
    std::string ctype;
    char localeProvider = 'c';  ///< c, i or b
    std::string locale;         ///< of ICU or the builtin provider
    std::string icuRules;
    std::string tablespace;  ///< empty: that of template0, which anybody may use who copies it
    std::string owner;
    std::string comment;
    int connectionLimit = -1;
    bool isTemplate = false;
    bool allowsConnections = true;

    struct Setting {
        std::string role;  ///< empty: everybody's
        std::string name;
        std::string value;
    };
    std::vector<Setting> settings;  ///< ALTER DATABASE … SET, ALTER ROLE … IN DATABASE … SET

    struct Grant {
        std::string grantee;  ///< empty: PUBLIC
        std::string privilege;
        bool grantable = false;
    };
    /// Empty if nothing was ever granted or revoked.
    std::optional<std::vector<Grant>> grants;

    struct SecurityLabel {
        std::string provider;
        std::string label;
    };
    std::vector<SecurityLabel> securityLabels;
};

/// Empty if there is no such database. Throws Error{Server, Connection}.
std::optional<DatabaseProperties> readProperties(pg::Connection& connection,
                                                 const std::string& database);

/// CREATE DATABASE from template0 with what cannot be changed later.
std::string createDatabaseLike(const DatabaseProperties& properties, const std::string& name);

/// All the rest, for a database that is new.
std::vector<std::string> applyProperties(const DatabaseProperties& properties,
                                         const std::string& name);

/// A setting's value as SET takes it: lists of names element by element, all else as one literal.
std::string settingAsSql(std::string_view name, std::string_view value);

}  // namespace gantry::restore
