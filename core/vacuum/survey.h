// SPDX-License-Identifier: PostgreSQL
// Goes through the databases that a run is about, and reads what matters of each.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/options/vacuum_options.h"
#include "core/pg/connection.h"
#include "core/vacuum/facts.h"

namespace gantry::vacuum {

/// A database that could not be looked at, and why.
struct Refused {
    std::string database;
    ErrorInfo error;
};

struct Surveyed {
    Survey survey;
    std::vector<Refused> refused;  ///< with --all
    /// How to reach survey.databases, in their order; passwords as they were used.
    std::vector<options::ConnectionOptions> connections;
    std::string serverVersion;  ///< "15.4 (Debian …)"
    std::string endpoint;       ///< the database, or the server with --all
};

/// `widths`: also what tells waste. Throws Error{Preflight} for a standby, for options that the
/// server is too old for and for names that are not there; Error{Connection}.
Surveyed surveyAll(const options::VacuumOptions& options, bool widths, const std::stop_token& stop);

/// A session as all of a run are: without time limits, its messages in English if we may.
pg::Connection openSession(const options::ConnectionOptions& options, std::string_view application,
                           const std::stop_token& stop);

}  // namespace gantry::vacuum
