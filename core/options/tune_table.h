// SPDX-License-Identifier: PostgreSQL
// The option table of a sweep: every option once, in the order in which help shows it.
#pragma once

#include <vector>

#include "core/options/option.h"
#include "core/options/tune_options.h"

namespace gantry::options {

/// Rows bound to `target`, which must outlive them.
std::vector<Option> tuneTable(TuneOptions& target);

}  // namespace gantry::options
