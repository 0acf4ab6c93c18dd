// SPDX-License-Identifier: PostgreSQL
// Who keeps deleted rows from being removed, since they may still be seen there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/pg/connection.h"

namespace gantry::vacuum {

/// A transaction, a prepared one, a replication slot or a standby.
struct HorizonHolder {
    std::string who;    ///< "session 4711 (postgres, idle in transaction: …), begun 2:10:00 ago,"
    uint64_t xids = 0;  ///< so many transactions behind
    double seconds = 0;  ///< since it began; 0: unknown

    /// In the way for so long that it is worth telling before a vacuum begins.
    bool isOld(uint64_t freezeMaxAge) const;
};

/// The one furthest behind of those that matter to tables of the connection's database; `catalogs`:
/// or to its catalogs alone. An unprivileged user sees nothing of others' sessions. Throws
/// Error{Server}.
std::optional<HorizonHolder> whoHoldsBack(pg::Connection& connection, bool catalogs);

}  // namespace gantry::vacuum
