// SPDX-License-Identifier: PostgreSQL
#include "core/pg/relation_size.h"

#include <fmt/format.h>

namespace gantry::pg {

std::string sizeWithoutWaiting(std::string_view alias, std::string_view owner) {
    return fmt::format(
        "CASE WHEN {0}.oid IS NULL THEN 0 WHEN {0}.oid IN (SELECT relation FROM taken)"
        " OR {1}.oid IN (SELECT relation FROM taken) THEN {0}.relpages::pg_catalog.int8"
        " * pg_catalog.current_setting('block_size')::pg_catalog.int8"
        " ELSE coalesce(pg_catalog.pg_relation_size({0}.oid), 0) END",
        alias, owner);
}

}  // namespace gantry::pg
