// SPDX-License-Identifier: PostgreSQL
// Events as JSON Lines: one object a line, "t_ms" since the start, "type" in snake case.
#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/event.h"

namespace gantry::events {

/// One line without its newline; valid UTF-8 whatever names the database has (bytes that are not
/// are replaced).
std::string toJson(const Event& event);

/// Empty for a type that this version does not know: files of newer versions stay readable. Unknown
/// fields are skipped, missing ones keep their defaults. Throws Error{Format} for anything else.
std::optional<Event> fromJson(std::string_view line);

/// A recorded run. Throws Error{Format} with the line's number; a last line that was cut off is
/// left out, since a killed run leaves one.
std::vector<Event> readEvents(std::istream& lines);

}  // namespace gantry::events
