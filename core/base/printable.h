// SPDX-License-Identifier: PostgreSQL
// Names that cannot play tricks on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace gantry {

/// Control characters, which object names may hold, replaced by "?".
std::string printable(std::string_view text);

}  // namespace gantry
