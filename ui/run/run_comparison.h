// SPDX-License-Identifier: PostgreSQL
// Two runs held against each other: what took longer, what took less, what only one of them did.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::ui {

struct ComparedTask {
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::string object;
    /// From its first begin to its last end; empty: the run had no such task, or never began it.
    std::optional<Duration> before;
    std::optional<Duration> after;
    uint64_t bytesBefore = 0;
    uint64_t bytesAfter = 0;

    /// What it takes longer now; negative: less.
    Duration difference() const {
        return after.value_or(Duration::zero()) - before.value_or(Duration::zero());
    }
    /// Both runs had it, and the difference is more than chance.
    bool differs() const;
};

struct ComparedRun {
    std::string operation;
    std::string database;
    std::string startedAt;  ///< ISO 8601, UTC
    std::optional<events::Outcome> outcome;
    Duration took{};
    uint64_t bytes = 0;
    std::size_t workers = 0;
};

struct RunComparison {
    ComparedRun before;
    ComparedRun after;
    std::vector<ComparedTask> tasks;  ///< what takes longer now comes first
    /// Options and versions that differ: values before and after, empty where it has none.
    std::map<std::string, std::pair<std::string, std::string>> settings;
};

/// Tasks are the same if their kind and object are; several of one name count together.
RunComparison compareRuns(const events::RunState& before, const events::RunState& after);

}  // namespace gantry::ui
