// SPDX-License-Identifier: PostgreSQL
#include "core/advise/prediction.h"

#include <algorithm>
#include <optional>

#include "core/plan/lower_bound.h"

namespace gantry::advise {
namespace {

constexpr uint32_t kEveryNumber = 32;
constexpr uint32_t kStepBeyond = 8;
constexpr std::size_t kManyTasks = 5000;
constexpr double kMostOfIt = 0.8;

Limit limitOfPath(const plan::TaskGraph& graph, uint32_t jobs, double seconds) {
    for (const TaskId id : longestChain(graph, jobs)) {
        const plan::Task& task = graph[id];
        const double least = plan::shortestTime(task, task.pinnedTo ? 1 : jobs);
        if (least < seconds * kMostOfIt) continue;
        if (task.kind == plan::TaskKind::Schema) return Limit::Definitions;
        return Limit::LongestTable;
    }
    return Limit::LongestChain;
}

Limit limitOf(const plan::TaskGraph& graph, uint32_t jobs, const plan::LowerBound& bound) {
    switch (bound.cause) {
        case plan::LowerBound::Cause::Work:
            return Limit::Connections;
        case plan::LowerBound::Cause::Lock:
            return Limit::Locks;
        case plan::LowerBound::Cause::Worker:
            return Limit::Definitions;
        case plan::LowerBound::Cause::Path:
            break;
    }
    return limitOfPath(graph, jobs, bound.seconds);
}

/// 1, 2, 3, 4, 6, 8, 12, 16, …
uint32_t nextCoarse(uint32_t jobs) {
    if (jobs == 1) return 2;
    const bool power = (jobs & (jobs - 1)) == 0;
    return power ? jobs + jobs / 2 : jobs + jobs / 3;
}

CurvePoint predict(const Prediction& prediction, const plan::TaskGraph& graph, uint32_t jobs) {
    const plan::LowerBound order = plan::lowerBound(graph, jobs);
    const double simulated =
        plan::simulate(graph, {.workers = jobs, .weights = prediction.weights, .duration = {}})
            .makespan;
    Demand most;
    for (const Demand& demand : prediction.demands) {
        if (demand.seconds > most.seconds) most = demand;
    }
    CurvePoint point;
    point.jobs = jobs;
    point.lowerBound = std::max(order.seconds, most.seconds);
    point.seconds = std::max(simulated, most.seconds) + prediction.beginning +
                    prediction.perConnection * static_cast<double>(jobs);
    point.limit = most.seconds >= simulated ? most.limit : limitOf(graph, jobs, order);
    return point;
}

}  // namespace

double workOf(const plan::TaskGraph& graph) {
    double seconds = 0;
    for (const plan::Task& task : graph.tasks) seconds += plan::costOf(task);
    return seconds;
}

CurvePoint predict(const Prediction& prediction, uint32_t jobs) {
    return predict(prediction, prediction.plan(jobs), jobs);
}

Curve predictCurve(const Prediction& prediction, uint32_t mostPoints, uint32_t room,
                   uint32_t advisable) {
    Curve curve;
    curve.mostJobs = std::max(room, 1U);
    const uint32_t end = std::max(mostPoints, 1U);
    for (uint32_t jobs = 1; jobs <= end;) {
        const plan::TaskGraph graph = prediction.plan(jobs);
        curve.points.push_back(predict(prediction, graph, jobs));
        if (jobs == end) break;
        const bool coarse = prediction.coarse || graph.tasks.size() > kManyTasks;
        const uint32_t next = coarse                ? nextCoarse(jobs)
                              : jobs < kEveryNumber ? jobs + 1
                                                    : jobs + kStepBeyond;
        jobs = std::min(next, end);
    }
    // Where all is done in a moment there is nothing to gain.
    curve.findKnee(curve.points.front().seconds < kMoment ? 1 : advisable);
    return curve;
}

std::vector<TaskId> longestChain(const plan::TaskGraph& graph, uint32_t workers) {
    // Edges of a plan may point anywhere; tasks are taken once all before them are.
    std::vector<std::vector<uint32_t>> successors(graph.tasks.size());
    std::vector<std::size_t> unmet(graph.tasks.size());
    std::vector<double> begin(graph.tasks.size());
    std::vector<std::optional<uint32_t>> previous(graph.tasks.size());
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < graph.tasks.size(); ++i) {
        unmet[i] = graph.tasks[i].after.size();
        for (const TaskId before : graph.tasks[i].after) successors[before.value].push_back(i);
        if (unmet[i] == 0) ready.push_back(i);
    }
    std::optional<uint32_t> last;
    double longest = -1;
    while (!ready.empty()) {
        const uint32_t id = ready.back();
        ready.pop_back();
        const plan::Task& task = graph.tasks[id];
        const double end = begin[id] + plan::shortestTime(task, task.pinnedTo ? 1 : workers);
        if (end > longest) {
            longest = end;
            last = id;
        }
        for (const uint32_t successor : successors[id]) {
            if (end >= begin[successor]) {
                begin[successor] = end;
                previous[successor] = id;
            }
            if (--unmet[successor] == 0) ready.push_back(successor);
        }
    }
    std::vector<TaskId> chain;
    for (std::optional<uint32_t> at = last; at; at = previous[*at]) chain.push_back(TaskId{*at});
    std::reverse(chain.begin(), chain.end());
    return chain;
}

const CurvePoint& beyondKnee(const Curve& curve) {
    const auto found = std::find_if(curve.points.begin(), curve.points.end(),
                                    [&](const CurvePoint& p) { return p.jobs > curve.knee; });
    return found == curve.points.end() ? curve.points.back() : *found;
}

}  // namespace gantry::advise
