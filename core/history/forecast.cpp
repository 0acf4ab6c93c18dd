// SPDX-License-Identifier: PostgreSQL
#include "core/history/forecast.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/archive/nowhere_writer.h"
#include "core/base/error.h"
#include "core/report/what_if.h"

namespace gantry::history {
namespace {

constexpr std::size_t kMostRuns = 3;
constexpr std::size_t kMostLookedAt = 200;
constexpr std::size_t kMostTasks = 20'000;
constexpr double kLeastBasisMs = 200;
/// What was so much less work by its plan was mostly what every run costs.
constexpr double kMostStretch = 20;
constexpr uint64_t kChunkBytes = uint64_t{16} << 20;

using Ratios = std::map<std::string, double>;  // milliseconds that came of one estimated, by kind

std::string valueOf(const std::map<std::string, std::string>& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string() : found->second;
}

bool sameServer(const PastRun& run, const std::string& cluster, const std::string& server) {
    return cluster.empty() || run.cluster.empty() ? run.server == server : run.cluster == cluster;
}

/// A dump to nowhere is spared the disk.
bool toNowhere(const std::map<std::string, std::string>& options) {
    return archive::isNowhere(valueOf(options, "file"));
}

/// What changes the work itself, beyond what is in the plan; what is not said does not matter.
bool sameWork(const PastRun& run, const events::RunStarted& started) {
    if (toNowhere(run.options) != toNowhere(started.options)) return false;
    for (const char* name : {"format", "compress"}) {
        const std::string wanted = valueOf(started.options, name);
        if (!wanted.empty() && valueOf(run.options, name) != wanted) return false;
    }
    if (run.operation != started.operation) return false;
    if (run.operation != "vacuum") return true;
    // What is given or not makes another work of a vacuum; of the others the plan tells.
    for (const char* name : {"full", "freeze", "analyze", "analyze-only", "analyze-in-stages",
                             "reindex-concurrently", "plan", "cost-delay", "cost-limit"}) {
        const auto past = run.options.find(name);
        const auto wanted = started.options.find(name);
        if ((past == run.options.end()) != (wanted == started.options.end())) return false;
        if (past != run.options.end() && past->second != wanted->second) return false;
    }
    return true;
}

double estimatedMs(const Experience& past) {
    double sum = 0;
    for (const PastTask& task : past.tasks) sum += task.estimatedMs;
    return sum;
}

using Sums = std::map<std::string, std::pair<double, double>>;  // took and estimated, by kind

Sums sumsOf(const std::vector<Experience>& experience) {
    Sums sums;
    for (const Experience& past : experience) {
        for (const PastTask& task : past.tasks) {
            if (task.status != "done" || task.estimatedMs <= 0) continue;
            auto& [took, estimated] = sums[task.kind];
            took += static_cast<double>(task.busy.count()) / 1000;
            estimated += task.estimatedMs;
        }
    }
    return sums;
}

Ratios ratiosOf(const std::vector<Experience>& experience) {
    Ratios ratios;
    for (const auto& [kind, sum] : sumsOf(experience)) ratios[kind] = sum.first / sum.second;
    return ratios;
}

/// A task of a plan, wherever that is from.
struct Piece {
    std::string kind;
    double ms = 0;
    uint64_t bytes = 0;
    bool divisible = false;
    std::vector<TaskId> after;
};

/// Seconds; 0 for what cannot be simulated.
double simulated(const std::string& operation, const std::map<uint32_t, Piece>& pieces,
                 uint32_t workers, const Ratios& ratios) {
    plan::TaskGraph graph;
    std::map<uint32_t, TaskId> numbers;
    const std::string schema(plan::toString(plan::TaskKind::Schema));
    for (const auto& [id, piece] : pieces) {
        plan::Task task;
        const auto ratio = ratios.find(piece.kind);
        task.cost = piece.ms / 1000 * (ratio == ratios.end() ? 1 : ratio->second);
        if (piece.divisible) {
            task.division =
                plan::Division{.units = std::max<uint64_t>(piece.bytes / kChunkBytes, workers)};
        }
        if (operation == "dump" && piece.kind == schema) task.pinnedTo = WorkerId{0};
        for (const TaskId before : piece.after) {
            // A plan's edges point backwards.
            const auto found = before.value < id ? numbers.find(before.value) : numbers.end();
            if (found != numbers.end()) task.after.push_back(found->second);
        }
        numbers[id] = graph.add(std::move(task));
    }
    if (graph.tasks.empty() || workers == 0) return 0;
    return plan::simulate(
               std::move(graph),
               {.workers = workers, .weights = report::weightsOf(operation), .duration = {}})
        .makespan;
}

double simulated(const Experience& past, const Ratios& ratios) {
    std::map<uint32_t, Piece> pieces;
    for (const PastTask& task : past.tasks) {
        if (task.status == "withdrawn") continue;
        pieces[task.task] = {.kind = task.kind,
                             .ms = task.estimatedMs,
                             .bytes = task.estimatedBytes,
                             .divisible = task.divisible,
                             .after = task.after};
    }
    return simulated(past.run.operation, pieces, past.run.workers, ratios);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::vector<Experience> experienceFor(History& history, const events::RunStarted& started,
                                      Duration shortest) {
    const std::string cluster = valueOf(started.environment, "cluster");
    const std::string server = valueOf(started.environment, "server");
    std::vector<PastRun> fit;
    for (PastRun& run : history.runs({.operation = started.operation, .most = kMostLookedAt})) {
        if (run.cameToItsEnd() && run.worked() >= shortest && sameServer(run, cluster, server) &&
            sameWork(run, started)) {
            fit.push_back(std::move(run));
        }
    }
    const auto likeness = [&](const PastRun& run) {
        return (run.database == started.database ? 2 : 0) +
               (run.workers == started.workers ? 1 : 0);
    };
    std::stable_sort(fit.begin(), fit.end(),
                     [&](const PastRun& a, const PastRun& b) { return likeness(a) > likeness(b); });
    std::vector<Experience> found;
    const int best = fit.empty() ? 0 : likeness(fit.front());
    for (PastRun& run : fit) {
        if (found.size() == kMostRuns || likeness(run) < best) break;
        std::vector<PastTask> tasks = history.tasks(run.id);
        found.push_back({std::move(run), std::move(tasks)});
    }
    return found;
}

std::optional<events::Forecast> forecast(const events::RunStarted& started,
                                         const events::Plan& plan,
                                         const std::vector<Experience>& experience) {
    if (experience.empty() || plan.tasks.size() > kMostTasks) return std::nullopt;
    const Ratios ratios = ratiosOf(experience);
    double wanted = 0;
    for (const events::PlannedTask& task : plan.tasks) wanted += task.estimatedMs;
    std::vector<double> corrections;
    for (const Experience& past : experience) {
        const double basis = estimatedMs(past);
        if (past.tasks.size() > kMostTasks || basis <= 0 || basis * kMostStretch < wanted ||
            past.run.wasDisturbed()) {
            continue;
        }
        const double made = simulated(past, ratios);
        if (made > 0) corrections.push_back(secondsOf(past.run.worked()) / made);
    }
    if (corrections.empty()) return std::nullopt;
    std::map<uint32_t, Piece> pieces;
    for (const events::PlannedTask& task : plan.tasks) {
        pieces[task.task.value] = {.kind = std::string(plan::toString(task.kind)),
                                   .ms = task.estimatedMs,
                                   .bytes = task.estimatedBytes,
                                   .divisible = task.divisible,
                                   .after = task.after};
    }
    const double made = simulated(started.operation, pieces, started.workers, ratios);
    if (made <= 0) return std::nullopt;
    return events::Forecast{.ms = made * median(corrections) * 1000,
                            .runs = static_cast<uint32_t>(corrections.size())};
}

CostRatios costRatios(const std::vector<Experience>& experience) {
    CostRatios ratios;
    double took = 0;
    double estimated = 0;
    for (const auto& [kind, sum] : sumsOf(experience)) {
        // Of a moment's work most is what each statement costs, however little it has to do.
        if (sum.second < kLeastBasisMs) continue;
        ratios.byKind[kind] = sum.first / sum.second;
        took += sum.first;
        estimated += sum.second;
    }
    if (took > 0 && estimated > 0) ratios.all = took / estimated;
    return ratios;
}

}  // namespace gantry::history
