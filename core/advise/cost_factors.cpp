// SPDX-License-Identifier: PostgreSQL
#include "core/advise/cost_factors.h"

namespace gantry::advise {

void CostFactors::apply(plan::TaskGraph& graph) const {
    for (plan::Task& task : graph.tasks) {
        const auto found = byKind.find(std::string(plan::toString(task.kind)));
        const double factor = found == byKind.end() ? ofOthers : found->second;
        task.cost = (task.cost - task.asleep) * factor + task.asleep;
    }
}

}  // namespace gantry::advise
