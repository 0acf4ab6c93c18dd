// SPDX-License-Identifier: PostgreSQL
#include "core/advise/plan_reason.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/advise/wording.h"

namespace gantry::advise {
namespace {

constexpr double kWorthNaming = 0.05;
constexpr double kSecondsPerConnection = 0.01;
constexpr double kBeginningRoundTrips = 20;
constexpr std::size_t kMostNamed = 4;

std::string nameOf(const plan::Task& task) {
    switch (task.kind) {
        case plan::TaskKind::TableData:
            return "rows of " + task.object;
        case plan::TaskKind::Index:
        case plan::TaskKind::Constraint:
        case plan::TaskKind::ForeignKey:
        case plan::TaskKind::Vacuum:
        case plan::TaskKind::VacuumFull:
        case plan::TaskKind::Analyze:
            return fmt::format("{} {}", plan::toString(task.kind), task.object);
        default:
            return task.object;
    }
}

/// "rows of public.audit, then index public.audit_pkey".
std::string chainText(const plan::TaskGraph& graph, uint32_t jobs, double& seconds) {
    const std::vector<TaskId> chain = longestChain(graph, jobs);
    seconds = 0;
    for (const TaskId id : chain) seconds += plan::shortestTime(graph[id], jobs);
    std::vector<std::string> names;
    for (const TaskId id : chain) {
        if (plan::shortestTime(graph[id], jobs) < seconds * kWorthNaming) continue;
        if (names.size() < kMostNamed) names.push_back(nameOf(graph[id]));
    }
    return fmt::format("{}", fmt::join(names, ", then "));
}

std::string coresBusy(const PlanReason& question, const plan::TaskGraph& graph) {
    const Surroundings& where = question.where;
    if (!where.serverCores) return serverCoresText(where);
    const std::string cores = where.sameMachine ? "this machine's " + coresText(*where.serverCores)
                                                : serverCoresText(where);
    std::string text = fmt::format("{} are busy then, as the work is {} for one of them", cores,
                                   secondsText(workOf(graph)));
    if (where.busySessions.value_or(0) > 0) {
        text += fmt::format(", and other sessions keep {} busy",
                            coresText(std::min(*where.busySessions, *where.serverCores)));
    }
    return text;
}

}  // namespace

Prediction PlannedRun::prediction() const {
    Prediction prediction;
    prediction.plan = [*this](uint32_t jobs) {
        plan::TaskGraph graph = plan(jobs);
        factors.apply(graph);
        // Distance is part of what past runs took.
        if (!factors.measured()) {
            for (plan::Task& task : graph.tasks) task.cost += where.roundTrip;
        }
        return graph;
    };
    prediction.beginning = kBeginningRoundTrips * where.roundTrip;
    prediction.perConnection = kSecondsPerConnection;
    return prediction;
}

Curve PlannedRun::curve(Prediction prediction, bool coarse) const {
    prediction.coarse = coarse;
    const uint32_t points = oneConnection
                                ? 1
                                : std::clamp(2 * static_cast<uint32_t>(where.serverCoresLeft()),
                                             kFewestPoints, kMostPoints);
    const uint32_t room = std::clamp(where.freeConnections, 1 + beside, points + beside) - beside;
    Curve curve = predictCurve(prediction, points, room, politeJobs(where.freeConnections, beside));
    curve.measured = factors.measured();
    return curve;
}

std::string PlannedRun::learnt(std::string_view runsThere) const {
    if (factors.runs == 0) return {};
    if (factors.runs == 1) return fmt::format(", by what the last {} took", runsThere);
    const std::size_t word = std::min(runsThere.find(' '), runsThere.size());
    return fmt::format(", by what the last {} {}s{} took", factors.runs, runsThere.substr(0, word),
                       runsThere.substr(word));
}

std::string reasonFor(const PlanReason& question) {
    const Curve& curve = question.curve;
    const Surroundings& where = question.where;
    if (curve.at(1).seconds < kMoment) {
        return "one connection does all of it in a moment, so that more gain little";
    }
    const CurvePoint& beyond = beyondKnee(curve);
    const bool wouldGain =
        beyond.jobs > curve.knee && beyond.seconds < curve.at(curve.knee).seconds * kGain;
    if (wouldGain && curve.knee >= politeJobs(where.freeConnections, question.beside)) {
        std::string text =
            fmt::format("the server has room for {} more connection{}", where.freeConnections,
                        where.freeConnections == 1 ? "" : "s");
        if (question.beside > 0)
            text += fmt::format(", of which the run needs {}", question.beside);
        return where.freeConnections > question.beside + 1 ? text + ", and one is left to others"
                                                           : text;
    }
    const plan::TaskGraph graph = question.prediction.plan(beyond.jobs);
    double seconds = 0;
    switch (beyond.limit) {
        case Limit::ServerCpu:
        case Limit::SharedCpu:
            return coresBusy(question, graph);
        case Limit::LongestTable: {
            const std::string name = chainText(graph, beyond.jobs, seconds);
            return fmt::format("{} alone takes about {}, however many work beside it", name,
                               secondsText(seconds));
        }
        case Limit::LongestChain: {
            const std::string names = chainText(graph, beyond.jobs, seconds);
            return fmt::format(
                "{} take about {} one after the other, however many work beside them", names,
                secondsText(seconds));
        }
        case Limit::Locks:
            return "more would wait: what takes longest is done to one table, one thing at a time";
        case Limit::Definitions:
            return "definitions are made one after the other";
        case Limit::LocalCpu:
            return fmt::format("{} are busy then", localCoresText(where));
        case Limit::Network:
            return "the way to the server is full then";
        case Limit::Disk:
            return "the disk is busy then";
        case Limit::Connections:
            break;
    }
    return fmt::format("the work, {} for one connection, is shared out evenly among up to {}",
                       secondsText(curve.at(1).seconds), curve.knee);
}

std::string jobsRange(const Surroundings& where, const Curve& curve,
                      const std::function<Curve(const Surroundings&)>& curveWith) {
    if (where.sameMachine || (where.serverCores && where.serverCoresDoubt.empty())) return {};
    uint32_t low = curve.knee;
    uint32_t high = curve.knee;
    const auto cores = static_cast<uint32_t>(where.serverCoresLeft());
    for (const uint32_t possible : {std::max(cores / 2, 1U), 2 * cores}) {
        Surroundings other = where;
        other.serverCores = possible + where.busySessions.value_or(0);
        const uint32_t knee = curveWith(other).knee;
        low = std::min(low, knee);
        high = std::max(high, knee);
    }
    return rangeText(low, high);
}

std::string roomWarning(const Surroundings& where, const Curve& curve, uint32_t beside) {
    if (where.freeConnections < 1 + beside) {
        return fmt::format("It needs {} connections beside the first: it will be refused.",
                           1 + beside);
    }
    if (curve.mostJobs > curve.knee && curve.mostJobs < curve.points.back().jobs) {
        return fmt::format("{} would leave no connection to anybody else.", curve.mostJobs);
    }
    return {};
}

}  // namespace gantry::advise
