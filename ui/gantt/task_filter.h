// SPDX-License-Identifier: PostgreSQL
// What a user looks for among the tasks of a run, in the words of one line.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::ui {

/// All of the words have to fit: part of a relation's name, its schema, a kind ("copy"), a state
/// ("running", "failed"), a worker ("worker:2"), a time it takes (">10s", "<1m"). Looks at a task
/// without making strings of it, since there may be a hundred thousand.
class TaskFilter {
public:
    TaskFilter() = default;
    explicit TaskFilter(const QString& words);

    /// Lets everything pass.
    bool empty() const { return words_.empty() && workers_.empty() && !longer_ && !shorter_; }
    bool passes(const events::RunState& run, const events::TaskState& task) const;

private:
    std::vector<std::string> words_;  ///< lower case
    std::vector<uint32_t> workers_;
    std::optional<Duration> longer_;
    std::optional<Duration> shorter_;
};

/// From a task's first begin to its last end; zero before it begins.
Duration timeOf(const events::RunState& run, const events::TaskState& task);

}  // namespace gantry::ui
