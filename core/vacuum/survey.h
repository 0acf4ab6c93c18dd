// SPDX-License-Identifier: PostgreSQL
// Goes through the databases that a run is about, and reads what matters of each.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/options/vacuum_options.h"
#include "core/pg/connection.h"
#include "core/vacuum/facts.h"
#include "core/vacuum/horizon.h"
#include "core/vacuum/sessions.h"

namespace gantry::vacuum {

/// A database that could not be looked at, and why.
struct Refused {
    std::string database;
    ErrorInfo error;
};

struct Surveyed {
    Survey survey;
    std::vector<Refused> refused;        ///< with --all
    std::vector<ClosedDatabase> closed;  ///< the same
    /// How to reach survey.databases, in their order; passwords as they were used.
    std::vector<options::ConnectionOptions> connections;
    /// Who is furthest behind of those that keep rows from being removed; of a thorough survey.
    std::optional<HorizonHolder> heldBack;
    std::string serverVersion;                       ///< "15.4 (Debian …)"
    std::string endpoint;                            ///< the database, or the server with --all
    std::map<std::string, std::string> environment;  ///< as pg::describeEnvironment(), of a run
};

/// `thorough`: also what a plan weighs and a page shows, of which a vacuum as told needs nothing:
/// widths, times, who keeps rows from being removed. `sessions`, if given, gets the session that
/// looked, and while it looks those that the run's other workers will need. Throws
/// Error{Preflight} for a standby, for options that the server is too old for and for names that
/// are not there; Error{Connection}.
Surveyed surveyAll(const options::VacuumOptions& options, bool thorough,
                   const std::stop_token& stop, Sessions* sessions = nullptr);

}  // namespace gantry::vacuum
