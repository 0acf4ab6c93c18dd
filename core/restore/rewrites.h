// SPDX-License-Identifier: PostgreSQL
// Constraints in two steps instead of one, so that workers need not wait for each other.
#pragma once

#include <optional>
#include <string>

namespace gantry::restore {

/// ALTER TABLE … ADD CONSTRAINT … PRIMARY KEY or UNIQUE, as two statements with the same outcome.
struct KeyInTwoSteps {
    std::string index;       ///< its name as an identifier, without the schema
    std::string buildIndex;  ///< CREATE UNIQUE INDEX …;
    std::string attach;  ///< ALTER TABLE … ADD CONSTRAINT … USING INDEX …; and what follows
};

/// `definition` as pg_dump words it. Empty for what has no such form: exclusion constraints,
/// WITHOUT OVERLAPS, or wording that is not known here.
std::optional<KeyInTwoSteps> splitKey(const std::string& definition);

/// ALTER TABLE … ADD CONSTRAINT … FOREIGN KEY likewise.
struct ForeignKeyInTwoSteps {
    std::string add;       ///< … NOT VALID;
    std::string validate;  ///< ALTER TABLE … VALIDATE CONSTRAINT …;
    std::string drop;      ///< takes it away if it does not hold
};

/// Empty for one that is NOT VALID in the archive already, or worded in an unknown way.
std::optional<ForeignKeyInTwoSteps> splitForeignKey(const std::string& definition);

}  // namespace gantry::restore
