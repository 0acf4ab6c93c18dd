// SPDX-License-Identifier: PostgreSQL
// Two runs side by side: which task became slower.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/history/past_run.h"

namespace gantry::history {

/// The same work in both runs: tasks of one kind on one object, however many there are.
struct TaskChange {
    struct Side {
        Duration busy{};  ///< of all workers together
        uint64_t bytes = 0;
    };
    std::string kind;
    std::string object;
    std::optional<Side> before;  ///< empty: that run did not do it
    std::optional<Side> after;

    Duration difference() const {
        return (after ? after->busy : Duration()) - (before ? before->busy : Duration());
    }
};

/// The largest difference first, whichever way it goes. Tasks that no run began are left out.
std::vector<TaskChange> compareTasks(const std::vector<PastTask>& before,
                                     const std::vector<PastTask>& after);

/// Options whose values differ, by name: before, after; empty where one was not given.
struct OptionChange {
    std::string name;
    std::string before;
    std::string after;
};
std::vector<OptionChange> compareOptions(const PastRun& before, const PastRun& after);

}  // namespace gantry::history
