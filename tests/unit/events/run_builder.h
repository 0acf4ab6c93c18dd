// SPDX-License-Identifier: PostgreSQL
// A run told in few words, for tests of what is folded from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/events/run_state.h"

namespace gantry::test {

/// Each call is an event at `now`, which the test moves on.
class RunBuilder {
public:
    explicit RunBuilder(uint32_t workers = 1);

    void plan(uint32_t task, uint64_t bytes, bool divisible = false);
    void planMs(uint32_t task, double ms, plan::TaskKind kind = plan::TaskKind::Index);
    void withdraw(uint32_t task);
    void start(uint32_t task, uint32_t worker = 1, uint64_t bytes = 0,
               std::optional<uint32_t> chunk = {}, double share = 0);
    void progress(uint32_t task, uint64_t bytes, std::optional<uint32_t> chunk = {});
    void finish(uint32_t task, uint64_t bytes, std::optional<uint32_t> chunk = {},
                bool whole = true);
    void fail(uint32_t task, bool retried, std::optional<uint32_t> chunk = {});
    void idle(uint32_t worker, events::IdleCause cause, std::string on = {});
    void end(events::Outcome outcome);
    void post(events::Payload payload);

    const events::TaskState& task(uint32_t id) const { return state.tasks().at(TaskId{id}); }

    Duration now{};
    events::RunState state;
    std::vector<events::Event> events;  ///< that it is folded from
};

}  // namespace gantry::test
