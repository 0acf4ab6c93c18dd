// SPDX-License-Identifier: PostgreSQL
// What building an index costs, by what its definition and its table's say of its columns. Pure.
#pragma once

#include <string_view>

#include "core/restore/data_sizes.h"

namespace gantry::restore {

/// Seconds on one worker of a usual machine; what matters is their proportion to each other and to
/// the other costs of a plan. `definition`: CREATE INDEX, or ALTER TABLE … ADD CONSTRAINT of a key
/// or an exclusion; `table`: its CREATE TABLE. What is missing or worded in another way is taken
/// for an index on a column of fixed length.
double indexSeconds(std::string_view definition, std::string_view table, const DataSize& rows);

}  // namespace gantry::restore
