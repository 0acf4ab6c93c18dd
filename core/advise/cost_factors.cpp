// SPDX-License-Identifier: PostgreSQL
#include "core/advise/cost_factors.h"

#include <cmath>

namespace gantry::advise {

void CostFactors::apply(plan::TaskGraph& graph) const {
    if (byKind.empty()) return;
    double logarithms = 0;
    for (const auto& [kind, factor] : byKind) logarithms += std::log(factor);
    const double usual = std::exp(logarithms / static_cast<double>(byKind.size()));
    for (plan::Task& task : graph.tasks) {
        const auto found = byKind.find(std::string(plan::toString(task.kind)));
        task.cost *= found == byKind.end() ? usual : found->second;
    }
}

}  // namespace gantry::advise
