// SPDX-License-Identifier: PostgreSQL
// Random task graphs for property tests.
#pragma once

#include <cstdint>
#include <random>

#include "core/plan/task_graph.h"

namespace gantry::test {

struct RandomGraph {
    uint32_t tasks = 50;
    uint32_t workers = 4;  ///< some tasks are pinned to one of these, or to 0
    bool pins = true;
    bool locks = true;
};

plan::TaskGraph randomGraph(const RandomGraph& shape, std::mt19937& random);

}  // namespace gantry::test
