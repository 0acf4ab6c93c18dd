// SPDX-License-Identifier: PostgreSQL
// The option table of a vacuum run: every option once, in the order in which help shows it.
#pragma once

#include <vector>

#include "core/options/dump_table.h"
#include "core/options/option.h"
#include "core/options/vacuum_options.h"

namespace gantry::options {

/// Rows bound to `target`, which must outlive them.
std::vector<Option> vacuumTable(VacuumOptions& target);

/// True if vacuumdb has no such option.
bool isOnlyOurs(std::string_view vacuumOption);

}  // namespace gantry::options
