// SPDX-License-Identifier: PostgreSQL
#include "core/history/compare.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/plan/task_graph.h"

namespace gantry::history {

std::vector<TaskChange> compareTasks(const std::vector<PastTask>& before,
                                     const std::vector<PastTask>& after) {
    const std::string finish(plan::toString(plan::TaskKind::Finish));
    std::map<std::pair<std::string, std::string>, TaskChange> byWork;
    const auto gather = [&](const std::vector<PastTask>& tasks,
                            std::optional<TaskChange::Side> TaskChange::*member) {
        for (const PastTask& task : tasks) {
            if (task.spans == 0) continue;
            // What is completed has another name in each run.
            TaskChange& change =
                byWork[{task.kind, task.kind == finish ? std::string() : task.object}];
            change.kind = task.kind;
            change.object = task.object;
            std::optional<TaskChange::Side>& side = change.*member;
            if (!side) side = TaskChange::Side{};
            side->busy += task.busy;
            side->bytes += task.bytes;
        }
    };
    gather(before, &TaskChange::before);
    gather(after, &TaskChange::after);
    std::vector<TaskChange> changes;
    for (auto& [work, change] : byWork) changes.push_back(std::move(change));
    std::stable_sort(changes.begin(), changes.end(), [](const TaskChange& a, const TaskChange& b) {
        return std::chrono::abs(a.difference()) > std::chrono::abs(b.difference());
    });
    return changes;
}

std::vector<OptionChange> compareOptions(const PastRun& before, const PastRun& after) {
    std::set<std::string> names;
    for (const PastRun* run : {&before, &after}) {
        for (const auto& [name, value] : run->options) names.insert(name);
    }
    const auto valueIn = [](const PastRun& run, const std::string& name) {
        const auto found = run.options.find(name);
        if (found == run.options.end()) return std::string();
        return found->second.empty() ? std::string("yes") : found->second;
    };
    std::vector<OptionChange> changes;
    for (const std::string& name : names) {
        OptionChange change{name, valueIn(before, name), valueIn(after, name)};
        if (change.before != change.after) changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace gantry::history
