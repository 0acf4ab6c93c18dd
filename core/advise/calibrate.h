// SPDX-License-Identifier: PostgreSQL
// Measures what a server and this machine do in a second, in a few seconds and without harm.
//
//   1. answers     how long the server takes for nothing
//   2. reading     ranges of real tables, chosen at random by size, over 1, 2, 4, … connections, as
//                  long as more of them bring more
//   3. codecs      on the rows of the first connection
//   4. writing     a nameless file beside the destination, if there is one
//
// Sessions are read-only and wait for no lock: a table that is locked, or that we may not read, is
// left out. Nothing stays behind, neither rows nor files nor sessions.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>

#include "core/advise/calibration.h"
#include "core/options/connection_options.h"

namespace gantry::advise {

struct CalibrationRequest {
    options::ConnectionOptions connection;
    std::filesystem::path destination{};  ///< of an archive; empty: writing is not measured
    double seconds = 10;                  ///< after which it ends, whatever is still to be measured
};

/// Blocks for no longer than that. `onStep` hears what is measured next. Throws Error{Connection,
/// Server, Io, Cancelled}; that time runs out is no error.
Calibration calibrate(const CalibrationRequest& request, std::stop_token stop,
                      const std::function<void(std::string_view)>& onStep = {});

}  // namespace gantry::advise
