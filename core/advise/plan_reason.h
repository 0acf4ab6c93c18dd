// SPDX-License-Identifier: PostgreSQL
// Why no more jobs than the advised number, where a plan of tasks decides: for restores and
// vacuums.
#pragma once

#include <string>

#include "core/advise/curve.h"
#include "core/advise/prediction.h"
#include "core/advise/surroundings.h"

namespace gantry::advise {

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

/// Points that a curve for this server needs.
uint32_t pointsFor(const Surroundings& where);

}  // namespace gantry::advise
