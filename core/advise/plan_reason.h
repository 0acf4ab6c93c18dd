// SPDX-License-Identifier: PostgreSQL
// What the advice on restores and vacuums has in common: both are a plan of tasks, whose costs past
// runs on the server tell, and both say why no more jobs than the advised number.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/advise/cost_factors.h"
#include "core/advise/curve.h"
#include "core/advise/prediction.h"
#include "core/advise/surroundings.h"

namespace gantry::advise {

/// A run that is a plan of tasks. References live as long as it.
struct PlannedRun {
    const Surroundings& where;
    const CostFactors& factors;
    std::function<plan::TaskGraph(uint32_t jobs)> plan;  ///< with costs of a usual machine
    uint32_t beside = 0;                                 ///< connections that it needs for itself
    bool oneConnection = false;                          ///< however many there are

    /// With the costs of this server. Of what it demands nothing is in it yet.
    Prediction prediction() const;
    Curve curve(Prediction prediction, bool coarse) const;
    /// ", by what the last 3 restores on this server took"; empty if it is known from none.
    std::string learnt(std::string_view runsThere) const;
};

struct PlanReason {
    const Surroundings& where;
    const Prediction& prediction;
    const Curve& curve;
    uint32_t beside = 0;  ///< connections that the run needs for itself
};

/// A clause with the figure that decided.
std::string reasonFor(const PlanReason& question);

/// The knees with estimates a good deal less and more than assumed, and of a server whose cores are
/// in doubt with half and twice of them; empty where nothing is in doubt.
std::string jobsRange(const Surroundings& where, const Curve& curve,
                      const std::function<Curve(const Surroundings&)>& curveWith);

/// What a number of jobs beyond the advised one would harm; empty: nothing.
std::string roomWarning(const Surroundings& where, const Curve& curve, uint32_t beside);

}  // namespace gantry::advise
