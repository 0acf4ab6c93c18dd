// SPDX-License-Identifier: PostgreSQL
// Identifiers as pg_dump prints them: quoted only where the grammar asks for it.
#pragma once

#include <string>
#include <string_view>

namespace gantry::archive {

/// `name` bare if it is lower-case and no word that the server's grammar keeps for itself, else in
/// double quotes.
std::string formatIdentifier(std::string_view name);

/// `name` in double quotes in any case.
std::string quotedIdentifier(std::string_view name);

}  // namespace gantry::archive
