// SPDX-License-Identifier: PostgreSQL
#include "core/plan/simulator.h"

#include <algorithm>
#include <map>
#include <queue>
#include <random>
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
        : scheduler_(std::move(graph), settings.workers, settings.weights.value_or(Weights{})),
          settings_(std::move(settings)) {
        for (uint32_t worker = 0; worker <= std::max(settings_.workers, 1U); ++worker) {
            idle_.insert(WorkerId{worker});
        }
    }

    Simulation toEnd() {
        handOut();
        while (const auto next = nextEnding()) {
            now_ = std::max(now_, *next);
            // All that ends at one time ends before anybody asks for more.
            while (!running_.empty() && running_.top().first <= now_) {
                const std::size_t span = running_.top().second;
                running_.pop();
                finish(span);
            }
            for (auto source = sources_.begin(); source != sources_.end();) {
                if (source->second.emptyAt() > now_) {
                    ++source;
                    continue;
                }
                for (const std::size_t span : source->second.spans) finish(span);
                drained_.insert(source->first);
                source = sources_.erase(source);
            }
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

    /// What the chunks of a shared task draw from.
    struct Source {
        double left = 0;   ///< seconds of one worker
        double since = 0;  ///< when so much was left
        std::vector<std::size_t> spans;

        double emptyAt() const { return since + left / static_cast<double>(spans.size()); }
    };

    std::optional<double> nextEnding() const {
        std::optional<double> next;
        if (!running_.empty()) next = running_.top().first;
        for (const auto& [task, source] : sources_) {
            next = std::min(next.value_or(source.emptyAt()), source.emptyAt());
        }
        return next;
    }

    void finish(std::size_t index) {
        SimulatedSpan& span = result_.spans[index];
        span.end = now_;
        result_.busy += span.end - span.begin;
        scheduler_.finished(span.assignment);
        idle_.insert(span.worker);
    }

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
            if (settings_.until && now_ + duration > *settings_.until) {
                result_.givenUp.push_back(assignment->task);
                scheduler_.givenUp(*assignment);
                worker = idle_.begin();  // what waited for it is for anybody
                continue;
            }
            const std::size_t span = result_.spans.size();
            result_.spans.push_back({*assignment, *worker, now_, now_});
            if (drained_.contains(assignment->task)) {
                running_.emplace(now_, span);
            } else if (task.division && task.division->shared) {
                draw(*assignment, duration, span);
            } else {
                running_.emplace(now_ + duration, span);
            }
            worker = idle_.erase(worker);
        }
    }

    void draw(const Assignment& assignment, double duration, std::size_t span) {
        const auto [found, first] = sources_.try_emplace(assignment.task);
        Source& source = found->second;
        if (first) {
            const Division& division = *scheduler_.graph()[assignment.task].division;
            const uint64_t units = std::max<uint64_t>(assignment.end - assignment.begin, 1);
            source.left =
                duration * static_cast<double>(division.units) / static_cast<double>(units);
        } else {
            source.left -= (now_ - source.since) * static_cast<double>(source.spans.size());
            source.left = std::max(source.left, 0.0);
        }
        source.since = now_;
        source.spans.push_back(span);
    }

    Scheduler scheduler_;
    SimulationSettings settings_;
    std::set<WorkerId> idle_;
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running_;
    std::map<TaskId, Source> sources_;
    std::set<TaskId> drained_;
    double now_ = 0;
    Simulation result_;
};

/// Of more tasks than this few are so long that it would matter.
constexpr std::size_t kMostTasks = 200;
/// What is gained by estimates has to be more than their noise.
constexpr double kWorthwhile = 0.99;
/// So that the search takes no more than a tenth of the run.
constexpr double kSpansPerSecond = 500e3;

/// What tells the work on one table from that on others.
std::optional<uint64_t> tableOf(const Task& task) {
    return task.locks.empty() ? std::nullopt : std::optional(task.locks.front().key);
}

/// Gives some tasks other weights, often all of a table the same: it comes sooner or later then.
void vary(Weights& weights, const TaskGraph& graph, std::minstd_rand& random) {
    constexpr std::size_t kMostChanges = 4;
    constexpr double kStep = 0.5;
    constexpr std::size_t kSteps = 6;
    constexpr std::size_t kOneAlone = 2;  // of so many changes
    const auto below = [&random](std::size_t limit) { return random() % limit; };
    for (std::size_t changes = 1 + below(kMostChanges); changes > 0; --changes) {
        const double weight = kStep * static_cast<double>(1 + below(kSteps));
        const std::size_t task = below(weights.size());
        weights[task] = weight;
        const auto table = tableOf(graph.tasks[task]);
        if (!table || below(kOneAlone) == 0) continue;
        for (std::size_t other = 0; other < weights.size(); ++other) {
            if (tableOf(graph.tasks[other]) == table) weights[other] = weight;
        }
    }
}

/// By how much a step may make the run longer, as a share of it: at first somewhat, so that the
/// search does not end where every single step would, in the end not at all.
/// (Dueck and Scheuer, "Threshold Accepting", 1990)
double slackOf(std::size_t attempt, std::size_t attempts, std::minstd_rand& random) {
    constexpr double kMost = 0.005;
    const double left = 1.0 - static_cast<double>(attempt) / static_cast<double>(attempts);
    const double chance =
        static_cast<double>(random()) / static_cast<double>(std::minstd_rand::max());
    return kMost * left * chance;
}

}  // namespace

Weights bestWeights(const TaskGraph& graph, uint32_t workers, std::size_t effort) {
    if (workers < 2 || graph.tasks.size() > kMostTasks) return {};
    const auto run = [&](const Weights& weights) {
        return Run(graph, {.workers = workers, .weights = weights, .duration = {}}).toEnd();
    };
    const Simulation byRule = run({});
    const double enough = lowerBound(graph, workers).seconds / kWorthwhile;
    const double most = std::min(byRule.makespan * kSpansPerSecond, static_cast<double>(effort));
    const auto attempts = static_cast<std::size_t>(most) / (byRule.spans.size() + 1);
    double soonest = byRule.makespan;
    double before = soonest;
    Weights best(graph.tasks.size(), 1.0);
    Weights weights = best;
    std::minstd_rand random;  // the same numbers each time
    for (std::size_t attempt = 0; attempt < attempts && soonest > enough; ++attempt) {
        Weights other = weights;
        vary(other, graph, random);
        const double seconds = run(other).makespan;
        if (seconds > before + slackOf(attempt, attempts, random) * byRule.makespan) continue;
        before = seconds;
        weights = std::move(other);
        if (seconds >= soonest) continue;
        soonest = seconds;
        best = weights;
    }
    return soonest < byRule.makespan * kWorthwhile ? best : Weights{};
}

Simulation simulate(TaskGraph graph, SimulationSettings settings) {
    if (!settings.weights) settings.weights = bestWeights(graph, settings.workers, kQuickSearch);
    return Run(std::move(graph), std::move(settings)).toEnd();
}

}  // namespace gantry::plan
