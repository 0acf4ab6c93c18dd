// SPDX-License-Identifier: PostgreSQL
// Versions from which on a server can do what more than one part of the engine asks of it.
#pragma once

namespace gantry::pg {

inline constexpr int kTidRangeScans = 14;   ///< reads a range of pages without the whole table
inline constexpr int kZstdEverywhere = 16;  ///< its pg_restore reads zstd

}  // namespace gantry::pg
