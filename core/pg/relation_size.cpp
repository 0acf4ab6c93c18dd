// SPDX-License-Identifier: PostgreSQL
#include "core/pg/relation_size.h"

#include <fmt/format.h>

namespace gantry::pg {

std::string sizeWithoutWaiting(std::string_view alias, std::string_view owner) {
    const auto isTaken = [](std::string_view one) {
        return fmt::format("{}.oid IN (SELECT relation FROM taken)", one);
    };
    return fmt::format(
        "CASE WHEN {0}.oid IS NULL THEN 0 WHEN {1} THEN {0}.relpages::pg_catalog.int8"
        " * pg_catalog.current_setting('block_size')::pg_catalog.int8"
        " ELSE coalesce(pg_catalog.pg_relation_size({0}.oid), 0) END",
        alias, alias == owner ? isTaken(alias) : isTaken(alias) + " OR " + isTaken(owner));
}

}  // namespace gantry::pg
