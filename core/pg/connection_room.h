// SPDX-License-Identifier: PostgreSQL
// How many more connections a server has room for.
#pragma once

#include <cstdint>

#include "core/pg/connection.h"

namespace gantry::pg {

/// Besides this one, by the limits of the server, of the role and of the database; others may take
/// them meanwhile. A role that may not see who is connected counts nobody. Throws Error{Server}.
uint32_t connectionsLeft(Connection& connection);

}  // namespace gantry::pg
