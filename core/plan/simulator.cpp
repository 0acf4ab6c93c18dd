// SPDX-License-Identifier: PostgreSQL
#include "core/plan/simulator.h"

#include <algorithm>
#include <queue>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/plan/lower_bound.h"

namespace gantry::plan {
namespace {

double shareOfCost(const Task& task, const Assignment& assignment) {
    if (!task.division || task.division->units == 0) return costOf(task);
    return costOf(task) * static_cast<double>(assignment.end - assignment.begin) /
           static_cast<double>(task.division->units);
}

class Run {
public:
    Run(TaskGraph graph, SimulationSettings settings)
        : scheduler_(std::move(graph), settings.workers, settings.headStarts.value_or(0)),
          settings_(std::move(settings)) {
        for (uint32_t worker = 0; worker <= std::max(settings_.workers, 1U); ++worker) {
            idle_.insert(WorkerId{worker});
        }
    }

    Simulation toEnd() {
        handOut();
        while (!running_.empty()) {
            const double now = running_.top().first;
            // All that ends at one time ends before anybody asks for more.
            while (!running_.empty() && running_.top().first <= now) {
                const SimulatedSpan& span = result_.spans[running_.top().second];
                running_.pop();
                scheduler_.finished(span.assignment);
                idle_.insert(span.worker);
            }
            now_ = now;
            handOut();
        }
        if (const auto task = scheduler_.stuckOn()) {
            throw Error(ErrorKind::Internal, "no worker is there that may take it",
                        scheduler_.graph()[*task].object);
        }
        result_.makespan = now_;
        return std::move(result_);
    }

private:
    using Ending = std::pair<double, std::size_t>;  ///< when, and which span

    void handOut() {
        for (auto worker = idle_.begin(); worker != idle_.end();) {
            const auto assignment = scheduler_.next(*worker);
            if (!assignment) {
                ++worker;
                continue;
            }
            const Task& task = scheduler_.graph()[assignment->task];
            const double duration = settings_.duration ? settings_.duration(task, *assignment)
                                                       : shareOfCost(task, *assignment);
            running_.emplace(now_ + duration, result_.spans.size());
            result_.spans.push_back({*assignment, *worker, now_, now_ + duration});
            result_.busy += duration;
            worker = idle_.erase(worker);
        }
    }

    Scheduler scheduler_;
    SimulationSettings settings_;
    std::set<WorkerId> idle_;
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running_;
    double now_ = 0;
    Simulation result_;
};

/// Of more tasks than this few are so long that it would matter.
constexpr std::size_t kMostTasks = 200;
constexpr uint32_t kMostHeadStarts = 4;
/// What is gained by estimates has to be more than their noise.
constexpr double kWorthwhile = 0.99;

}  // namespace

uint32_t bestHeadStarts(const TaskGraph& graph, uint32_t workers) {
    const auto isDivided = [](const Task& task) { return task.division.has_value(); };
    if (workers < 2 || graph.tasks.size() > kMostTasks ||
        std::none_of(graph.tasks.begin(), graph.tasks.end(), isDivided)) {
        return 0;
    }
    const auto makespan = [&](uint32_t starts) {
        return Run(graph, {.workers = workers, .headStarts = starts, .duration = {}})
            .toEnd()
            .makespan;
    };
    const double enough = lowerBound(graph, workers).seconds / kWorthwhile;
    uint32_t best = 0;
    double soonest = makespan(0);
    for (uint32_t starts = 1; starts <= kMostHeadStarts && soonest > enough; ++starts) {
        const double seconds = makespan(starts);
        if (seconds >= soonest * kWorthwhile) continue;
        soonest = seconds;
        best = starts;
    }
    return best;
}

Simulation simulate(TaskGraph graph, SimulationSettings settings) {
    if (!settings.headStarts) settings.headStarts = bestHeadStarts(graph, settings.workers);
    return Run(std::move(graph), std::move(settings)).toEnd();
}

}  // namespace gantry::plan
