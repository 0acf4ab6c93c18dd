// SPDX-License-Identifier: PostgreSQL
// Which encodings let rows be read byte by byte.
#pragma once

#include <string_view>

namespace gantry::rows {

/// True if no byte of a longer character can be taken for one of ASCII, as for a tab or a
/// backslash. `encoding` is named as client_encoding shows it; false for one that is not known
/// here.
bool keepsAsciiApart(std::string_view encoding);

}  // namespace gantry::rows
