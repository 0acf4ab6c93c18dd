// SPDX-License-Identifier: PostgreSQL
// A step as the statement that the server's version understands, and what it does not. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/options/vacuum_options.h"
#include "core/options/validate.h"
#include "core/vacuum/vacuum_plan.h"

namespace gantry::vacuum {

/// What these options ask for that the server does not know yet: each with the version that does.
std::vector<options::Problem> serverGates(const options::VacuumOptions& options, int serverMajor);

/// VERBOSE tells what became of a table and its indexes, and sends messages for each. Of small
/// tables that share a statement the statistics tell enough, where those are up to date at once.
bool isVerbose(const Step& step, int serverMajor);

/// Of a step that does something; without a semicolon.
std::string statementOf(const Step& step, const Survey& survey,
                        const options::VacuumOptions& options, const Proposals& proposals);

/// What the session is told before, as one or several SET statements; may be empty.
std::string settingsFor(const Step& step, const Proposals& proposals);

}  // namespace gantry::vacuum
