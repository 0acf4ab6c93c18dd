// SPDX-License-Identifier: PostgreSQL
// What a server and a database have, as far as a restore depends on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/pg/connection.h"
#include "core/restore/archive_needs.h"

namespace gantry::restore {

struct TargetFacts {
    struct Extension {
        std::string version;  ///< that CREATE EXTENSION would install
        std::set<std::string> versions;
        bool installed = false;
        bool needsSuperuser = false;
    };

    int serverMajor = 0;
    std::string serverVersion;  ///< "15.20"
    bool readsOnly = false;     ///< by default_transaction_read_only
    bool standby = false;
    std::string database;  ///< that we are connected to
    std::string user;      ///< whose rights hold: of --role, else of the connection
    bool userExists = true;
    bool mayBecomeUser = true;
    bool superuser = false;
    bool mayCreateDatabases = false;
    bool mayCreateRoles = false;
    bool mayCreateSchemas = false;
    bool mayUsePublic = true;  ///< create in the schema "public", or it is not there

    std::set<std::string> roles;
    std::set<std::string> ownRoles;  ///< whom objects may be given to
    std::map<std::string, Extension> extensions;
    std::set<std::string> tablespaces;
    std::set<std::string> accessMethods;
    std::set<std::string> collations;   ///< of pg_catalog, usable in this database
    std::set<std::string> libcLocales;  ///< as plainLocale() writes them
    bool hasIcu = false;
    std::string encoding;
    bool encodingConverts = true;  ///< between the archive's and the database's

    std::set<std::string> databases;
    uint64_t sessionsThere = 0;             ///< other sessions in the database that --create makes
    std::map<std::string, bool> relations;  ///< "schema.name" of those that there are: holds rows
    std::set<std::string> schemas;

    uint64_t freeConnections = 0;  ///< beside the one that asked
    std::optional<uint64_t> freeDisk;
    std::string dataFolder;
};

/// Asks the server. Throws Error{Server, Connection, Cancelled}.
TargetFacts lookAtTarget(pg::Connection& connection, const ArchiveNeeds& needs,
                         const std::string& role);

/// One spelling for "de_DE.UTF-8" and "de_DE.utf8".
std::string plainLocale(std::string_view locale);

}  // namespace gantry::restore
