// SPDX-License-Identifier: PostgreSQL
// What a server older than an archive's does not know: left out, worded in another way, or at least
// said beforehand. Pure.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/restore/selection.h"

namespace gantry::restore {

struct Gated {
    std::string what;    ///< a sentence that names the objects
    std::string remedy;  ///< may be empty
    bool fails = false;  ///< nothing could be done: the statements will fail
};

struct ServerGates {
    std::vector<Gated> gated;
    std::deque<archive::TocEntry> reworded;  ///< the choice points to these
};

/// Takes out of `choice` what servers of this major version do not take, and replaces entries that
/// can be worded so that they do.
ServerGates gateFor(int serverMajor, Choice& choice);

/// "18.1 (Debian …)" is 18, "9.6.24" is 9; 0 if it says nothing.
int majorOf(const std::optional<std::string>& version);

}  // namespace gantry::restore
