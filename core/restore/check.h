// SPDX-License-Identifier: PostgreSQL
// What a restore would meet, without restoring anything.
#pragma once

#include <stop_token>
#include <vector>

#include "core/options/restore_options.h"
#include "core/restore/preflight.h"

namespace gantry::restore {

/// Reads the archive's table of contents, or the script to its end, connects, looks; changes
/// nothing. Blockers first. Blocks the calling thread. What keeps it from looking at all (no such
/// file, no server) throws Error.
std::vector<Finding> check(const options::RestoreOptions& options, std::stop_token stop);

}  // namespace gantry::restore
