// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_comparison.h"

#include <algorithm>
#include <utility>

#include "ui/gantt/task_filter.h"

namespace gantry::ui {
namespace {

using events::RunState;
using events::TaskState;

using Key = std::pair<plan::TaskKind, std::string>;
using Settings = std::map<std::string, std::string>;

ComparedRun summaryOf(const RunState& run) {
    ComparedRun summary;
    if (run.started()) {
        summary.operation = run.started()->operation;
        summary.database = run.started()->database;
        summary.startedAt = run.started()->startedAt;
    }
    if (run.finished()) summary.outcome = run.finished()->outcome;
    summary.took = run.now();
    summary.bytes = run.bytesDone();
    summary.workers = run.workers().size() - run.workers().count(WorkerId{0});
    return summary;
}

void add(std::optional<Duration>& time, uint64_t& bytes, const RunState& run,
         const TaskState& task) {
    if (task.spans.empty()) return;
    time = time.value_or(Duration::zero()) + timeOf(run, task);
    bytes += task.bytes;
}

Settings settingsOf(const RunState& run) {
    if (!run.started()) return {};
    Settings settings = run.started()->options;
    for (const auto& [name, version] : run.started()->versions) settings[name] = version;
    return settings;
}

}  // namespace

bool ComparedTask::differs() const {
    constexpr Duration kLeast{100'000};
    constexpr int kLeastPart = 20;
    if (!before || !after) return false;
    const Duration change = std::chrono::abs(difference());
    return change >= kLeast && change * kLeastPart >= *before;
}

RunComparison compareRuns(const RunState& before, const RunState& after) {
    RunComparison comparison{
        .before = summaryOf(before), .after = summaryOf(after), .tasks = {}, .settings = {}};
    std::map<Key, ComparedTask> tasks;
    const auto taskOf = [&tasks](const TaskState& task) -> ComparedTask& {
        // What is completed has another name in each run.
        const bool named = task.kind != plan::TaskKind::Finish;
        ComparedTask& compared = tasks[{task.kind, named ? task.object : std::string()}];
        compared.kind = task.kind;
        compared.object = task.object;
        return compared;
    };
    for (const auto& [id, task] : before.tasks()) {
        ComparedTask& compared = taskOf(task);
        add(compared.before, compared.bytesBefore, before, task);
    }
    for (const auto& [id, task] : after.tasks()) {
        ComparedTask& compared = taskOf(task);
        add(compared.after, compared.bytesAfter, after, task);
    }
    for (auto& [key, task] : tasks) {
        if (task.before || task.after) comparison.tasks.push_back(std::move(task));
    }
    std::stable_sort(comparison.tasks.begin(), comparison.tasks.end(),
                     [](const ComparedTask& a, const ComparedTask& b) {
                         return a.difference() > b.difference();
                     });
    const Settings was = settingsOf(before);
    const Settings is = settingsOf(after);
    const auto valueIn = [](const Settings& settings, const std::string& name) {
        const auto found = settings.find(name);
        return found == settings.end() ? std::string() : found->second;
    };
    for (const Settings* settings : {&was, &is}) {
        for (const auto& [name, value] : *settings) {
            const std::pair values(valueIn(was, name), valueIn(is, name));
            if (values.first != values.second) comparison.settings[name] = values;
        }
    }
    return comparison;
}

}  // namespace gantry::ui
