// SPDX-License-Identifier: PostgreSQL
// What a choice of an archive's entries takes for granted on the server. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/restore_options.h"
#include "core/restore/data_sizes.h"
#include "core/restore/selection.h"

namespace gantry::restore {

struct ArchiveNeeds {
    /// A name, and the objects that cannot be without it, for people, in the archive's order.
    using ByName = std::map<std::string, std::vector<std::string>>;

    ByName owners;
    ByName grantees;  ///< also of policies and user mappings
    ByName schemas;   ///< that objects stand in and the choice does not bring along
    ByName extensions;
    std::map<std::string, std::string> extensionVersions;  ///< where the archive says one
    ByName tablespaces;
    ByName accessMethods;  ///< of tables, that the archive does not bring along
    ByName collations;     ///< of pg_catalog, by name
    ByName libcLocales;    ///< of collations and of the database that --create makes
    ByName icuObjects;     ///< under the one name "icu"
    std::vector<std::string> superuserObjects;
    bool disablesTriggers = false;  ///< which is a superuser's, too
    std::vector<std::string> newSchemas;
    std::vector<std::string> newRelations;  ///< "schema.name" of what is created
    std::vector<std::string> filledTables;  ///< whose rows come without their definition
    std::string encoding;                   ///< of the archive; empty if it does not say it
    std::string database;                   ///< that --create makes; else empty
    uint64_t bytes = 0;                     ///< of rows and large objects
    bool isScript = false;                  ///< plain SQL: no option changes what it does
};

ArchiveNeeds needsOf(const Choice& choice, const DataSizes& sizes, const archive::Toc& toc,
                     const options::RestoreOptions& options);

/// "1 object (a)", "7 objects (a, b, c, d, e and 2 more)".
std::string nameObjects(const std::vector<std::string>& names, std::string_view one = "object",
                        std::string_view many = "objects");

/// The roles that GRANT, REVOKE, ALTER DEFAULT PRIVILEGES, CREATE POLICY, CREATE USER MAPPING,
/// ALTER ROLE, ALTER … OWNER TO or SET SESSION AUTHORIZATION name in these statements.
std::vector<std::string> rolesNamedIn(std::string_view statements);

}  // namespace gantry::restore
