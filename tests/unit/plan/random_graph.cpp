// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/plan/random_graph.h"

#include <fmt/format.h>

namespace gantry::test {
namespace {

uint32_t below(uint32_t limit, std::mt19937& random) {
    return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
}

}  // namespace

plan::TaskGraph randomGraph(const RandomGraph& shape, std::mt19937& random) {
    plan::TaskGraph graph;
    for (uint32_t i = 0; i < shape.tasks; ++i) {
        plan::Task task;
        task.object = fmt::format("task {}", i);
        task.cost = static_cast<double>(below(1000, random)) / 100;
        if (below(3, random) == 0) {
            const uint64_t least = below(20, random);  // none at all is to be survived
            task.division = plan::Division{.units = 1 + below(300, random),
                                           .minUnits = least,
                                           .maxUnits = least + below(60, random),
                                           .shared = below(3, random) == 0};
        }
        for (uint32_t edges = below(3, random); edges > 0 && i > 0; --edges) {
            task.after.push_back(TaskId{below(i, random)});
        }
        if (shape.pins && below(8, random) == 0) {
            task.pinnedTo = WorkerId{below(shape.workers + 1, random)};
        }
        for (uint32_t keys = below(3, random); shape.locks && keys > 0; --keys) {
            task.locks.push_back({.key = below(6, random),
                                  .mode = plan::LockMode{static_cast<uint8_t>(
                                      below(static_cast<uint32_t>(plan::kLockModes), random))}});
        }
        graph.add(std::move(task));
    }
    return graph;
}

}  // namespace gantry::test
