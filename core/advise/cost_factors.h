// SPDX-License-Identifier: PostgreSQL
// How far a plan's estimates are from what tasks took in past runs on the same server.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/plan/task_graph.h"

namespace gantry::advise {

struct CostFactors {
    std::map<std::string, double> byKind;  ///< seconds that came of one estimated, as toString()
    double ofOthers = 1;                   ///< that of all tasks together, for kinds never met
    uint32_t runs = 0;                     ///< that this is known from; 0: estimates as they are

    bool measured() const { return runs > 0; }
    void apply(plan::TaskGraph& graph) const;
};

}  // namespace gantry::advise
