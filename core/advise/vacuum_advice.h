// SPDX-License-Identifier: PostgreSQL
// How long a vacuum will take with each number of tables at a time, and which settings to take.
//
// Pure: facts in, figures and sentences out. The curve comes from the vacuum's own plan in virtual
// time; as long as no vacuum of this server was recorded, costs are those of a usual machine.
#pragma once

#include "core/advise/cost_factors.h"
#include "core/advise/curve.h"
#include "core/advise/surroundings.h"
#include "core/options/vacuum_options.h"
#include "core/vacuum/facts.h"

namespace gantry::advise {

struct VacuumQuestion {
    vacuum::Survey survey;
    options::VacuumOptions options;  ///< what is to be done; `jobs` is left out of account
    Surroundings surroundings;
    CostFactors factors;
};

/// Recommends "jobs", "parallel", "buffer-usage-limit" and "maintenance-work-mem".
Advice adviseVacuum(const VacuumQuestion& question);
CurvePoint predictVacuum(const VacuumQuestion& question, uint32_t jobs);

}  // namespace gantry::advise
