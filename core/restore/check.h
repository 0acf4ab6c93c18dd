// SPDX-License-Identifier: PostgreSQL
// What a restore would meet, without restoring anything.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/options/restore_options.h"
#include "core/restore/preflight.h"

namespace gantry::restore {

/// Reads the archive's table of contents, or the script to its end, connects, looks; changes
/// nothing. Blockers first. Blocks the calling thread. What keeps it from looking at all (no such
/// file, no server) throws Error.
std::vector<Finding> check(const options::RestoreOptions& options, std::stop_token stop);

/// What there is now of what a restore will destroy.
struct Doomed {
    uint64_t tables = 0;  ///< materialized views counted in
    uint64_t bytes = 0;   ///< on disk, with indexes; as the catalog remembers them where locked
};
/// With --clean what the choice drops, with --refresh all of the database. Blocks and throws as
/// check().
Doomed whatIsDoomed(const options::RestoreOptions& options, const std::stop_token& stop);

}  // namespace gantry::restore
