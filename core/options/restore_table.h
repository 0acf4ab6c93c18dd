// SPDX-License-Identifier: PostgreSQL
// The option table of a restore: every option once, in the order in which help shows it.
#pragma once

#include <vector>

#include "core/options/dump_table.h"
#include "core/options/option.h"
#include "core/options/restore_options.h"

namespace gantry::options {

/// Rows bound to `target`, which must outlive them. The archive's path is an operand, not a row.
std::vector<Option> restoreTable(RestoreOptions& target);

const std::vector<UnsupportedOption>& unsupportedRestoreOptions();

}  // namespace gantry::options
