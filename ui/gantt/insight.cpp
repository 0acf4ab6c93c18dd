// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/insight.h"

#include <algorithm>

#include "core/report/critical_path.h"
#include "core/report/held_up.h"
#include "core/report/what_if.h"

namespace gantry::ui {

RunInsight insightInto(const events::RunState& run) {
    RunInsight insight;
    insight.at = run.now();
    insight.critical = report::criticalSpans(run, report::criticalPath(run));
    insight.use = report::utilizationOf(run);
    for (const report::WorkerUse& worker : insight.use.workers) {
        insight.busy[worker.worker] = worker.busyShare();
    }
    insight.workers = static_cast<uint32_t>(std::max<std::size_t>(insight.use.workers.size(), 1));
    insight.lowerBound = report::lowerBoundOf(run, insight.workers);
    if (run.finished() && !run.finished()->cameToItsEnd()) insight.lowerBound.reset();
    if (!run.finished() && insight.lowerBound) {
        // What is left is estimated twice; no bound lies beyond the end that is foretold.
        if (const auto left = run.timeLeft()) {
            insight.lowerBound = std::min(*insight.lowerBound, run.now() + *left);
        }
        // Estimates that time has overtaken bound nothing.
        if (*insight.lowerBound < run.now()) insight.lowerBound.reset();
    }
    insight.firstWait = report::heldUp(run).within(
        Duration::zero(), run.spans().empty() ? run.now() : run.spans().front().begin);
    insight.longest = report::longestTask(run);
    return insight;
}

}  // namespace gantry::ui
