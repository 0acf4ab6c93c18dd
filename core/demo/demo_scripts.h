// SPDX-License-Identifier: PostgreSQL
// The demo database as SQL, compiled in from resources/demo.
#pragma once

#include <span>
#include <string_view>

namespace gantry::demo {

/// One file. Those of equal stage may run at the same time, each in a session of its own, after all
/// of lower stages; the stage is the number that the file's name begins with.
struct DemoScript {
    std::string_view name;
    int stage = 0;
    std::string_view sql;
};

/// By stage, then by name.
std::span<const DemoScript> demoScripts();

}  // namespace gantry::demo
