// SPDX-License-Identifier: PostgreSQL
// psql's name patterns ("sales.*", "\"Odd\".t?") as the regular expressions that the server
// matches. The language is described under "Patterns" in psql's manual; pg_dump's -n, -t and kin
// use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gantry::pg {

struct NamePattern {
    /// Up to three dot-separated parts, each as an anchored regular expression: ^(…)$.
    std::optional<std::string> database;  ///< the literal name, not an expression
    std::optional<std::string> schema;
    std::string name;
};

/// Throws Error{Usage} for more dotted names than the kind of object takes (`maxParts`: 2 for
/// schemas, 3 for relations).
NamePattern parseNamePattern(std::string_view text, int maxParts);

/// The condition "schema-and-name match", with `nameColumn`, `schemaColumn` and, for patterns
/// without a schema, `visibility` (an SQL condition, may be empty). `serverVersion` as
/// PQserverVersion.
std::string matchCondition(const NamePattern& pattern, std::string_view schemaColumn,
                           std::string_view nameColumn, std::string_view visibility,
                           int serverVersion);

}  // namespace gantry::pg
