// SPDX-License-Identifier: PostgreSQL
#include "core/report/what_if.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/clock.h"
#include "core/plan/lower_bound.h"
#include "core/report/held_up.h"

namespace gantry::report {
namespace {

using events::RunState;
using events::SpanState;
using events::TaskState;

/// How finely a task whose chunks we have seen may be cut again: about as finely as it was.
constexpr uint64_t kUnitsPerChunk = 4;

struct Measured {
    Duration work{};
    uint64_t chunks = 0;
    bool coordinatorOnly = true;
};

Measured measureTask(const RunState& run, const TaskState& task) {
    Measured measured;
    for (const std::size_t index : task.spans) {
        const SpanState& span = run.spans()[index];
        if (span.error || !span.end) continue;
        measured.work += *span.end - span.begin - span.waited;
        measured.coordinatorOnly &= span.worker.value == 0;
        ++measured.chunks;
    }
    return measured;
}

/// Of what is under way, as far as bytes tell.
double shareDone(const SpanState& span) {
    if (span.end) return 1;
    if (span.estimatedBytes == 0) return 0;
    return std::min(static_cast<double>(span.bytes) / static_cast<double>(span.estimatedBytes),
                    1.0);
}

/// Of this machine's time while the run went on and was not held up; empty where nobody looked.
std::optional<double> shareOfProcessors(const RunState& run, const HeldUp& held) {
    double sum = 0;
    std::size_t count = 0;
    for (const events::LoadState& state : run.loads()) {
        if (!state.load.processors || held.covers(state.at)) continue;
        sum += *state.load.processors;
        ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
}

uint32_t mostAtOnce(const RunState& run) {
    std::vector<std::pair<Duration, int>> changes;
    for (const SpanState& span : run.spans()) {
        if (span.worker.value == 0 || span.end.value_or(run.now()) == span.begin) continue;
        changes.emplace_back(span.begin, 1);
        changes.emplace_back(span.end.value_or(run.now()), -1);
    }
    std::sort(changes.begin(), changes.end());  // an end comes before a begin at the same time
    int working = 0;
    int most = 1;
    for (const auto& [at, change] : changes) most = std::max(most, working += change);
    return static_cast<uint32_t>(most);
}

}  // namespace

std::optional<plan::Weights> weightsOf(std::string_view operation) {
    if (operation == "vacuum") return plan::Weights{};
    return std::nullopt;
}

MeasuredRun measure(const RunState& run) {
    MeasuredRun result;
    if (run.started()) result.weights = weightsOf(run.started()->operation);
    std::map<TaskId, TaskId> numbers;
    Duration begin = run.now();
    Duration end{};
    for (const SpanState& span : run.spans()) {
        begin = std::min(begin, span.begin);
        end = std::max(end, span.end.value_or(run.now()));
    }
    for (const auto& [id, state] : run.tasks()) {
        const Measured measured = measureTask(run, state);
        if (measured.chunks == 0) continue;
        plan::Task task;
        task.kind = state.kind;
        task.object = state.object;
        task.cost = secondsOf(measured.work);
        if (state.divisible || measured.chunks > 1) {
            task.division = plan::Division{.units = measured.chunks * kUnitsPerChunk};
        }
        if (measured.coordinatorOnly) task.pinnedTo = WorkerId{0};
        task.locks = state.locks;
        for (const TaskId before : state.after) {
            // A plan's edges point backwards; a damaged log might draw a circle.
            const auto found = before < id ? numbers.find(before) : numbers.end();
            if (found != numbers.end()) task.after.push_back(found->second);
        }
        numbers[id] = result.graph.add(std::move(task));
    }
    result.workers = std::max(mostAtOnce(run), 1U);
    const HeldUp held = heldUp(run);
    result.processors = shareOfProcessors(run, held);
    result.seconds = std::max(secondsOf(end - begin - held.within(begin, end)), 0.0);
    return result;
}

std::optional<Duration> lowerBoundOf(const RunState& run, uint32_t workers) {
    double estimated = 0;  // milliseconds, of what is done
    Duration took{};
    for (const SpanState& span : run.spans()) {
        if (span.error || span.weight <= 0) continue;
        const double done = shareDone(span);
        if (done <= 0) continue;
        estimated += span.weight * done;
        took += span.end.value_or(run.now()) - span.begin - span.waited;
    }
    if (estimated <= 0 || took <= Duration::zero()) return std::nullopt;
    const double secondsPerMs = secondsOf(took) / estimated;
    plan::TaskGraph graph;
    std::map<TaskId, TaskId> numbers;
    for (const auto& [id, state] : run.tasks()) {
        if (state.status == events::TaskStatus::Withdrawn) continue;
        const Measured measured = measureTask(run, state);
        plan::Task task;
        task.cost = state.status == events::TaskStatus::Done ? secondsOf(measured.work)
                                                             : state.weight * secondsPerMs;
        task.cost = std::max(task.cost, secondsOf(measured.work));
        if (state.divisible) {
            task.division = plan::Division{.units = std::max<uint64_t>(measured.chunks, workers) *
                                                    kUnitsPerChunk};
        }
        if (measured.chunks > 0 && measured.coordinatorOnly) task.pinnedTo = WorkerId{0};
        task.locks = state.locks;
        for (const TaskId before : state.after) {
            const auto found = before < id ? numbers.find(before) : numbers.end();
            if (found != numbers.end()) task.after.push_back(found->second);
        }
        numbers[id] = graph.add(std::move(task));
    }
    const double bound = plan::lowerBound(graph, workers).seconds;
    return run.spans().front().begin + Duration(std::llround(bound * 1e6));
}

std::vector<Outlook> whatIf(const MeasuredRun& run, uint32_t most, std::stop_token stop) {
    std::vector<Outlook> outlooks;
    if (run.graph.tasks.empty() || run.seconds <= 0) return outlooks;
    const auto simulated = [&](uint32_t workers) {
        return plan::simulate(run.graph,
                              {.workers = workers, .weights = run.weights, .duration = nullptr})
            .makespan;
    };
    const double asItWas = simulated(run.workers);
    const double correction = asItWas > 0 ? run.seconds / asItWas : 1;
    const double processorTime = run.seconds * run.processors.value_or(0);
    const uint32_t fewest = run.processors >= kProcessorsFull ? run.workers : 1;
    for (uint32_t workers = fewest; workers <= most && !stop.stop_requested(); ++workers) {
        const double bound = plan::lowerBound(run.graph, workers).seconds;
        outlooks.push_back({.workers = workers,
                            .seconds = std::max(simulated(workers) * correction, processorTime),
                            .lowerBound = std::max(bound, processorTime)});
    }
    return outlooks;
}

}  // namespace gantry::report
