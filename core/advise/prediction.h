// SPDX-License-Identifier: PostgreSQL
// The time that a plan takes over each number of workers: the scheduler itself in virtual time,
// held against what processors, network and disk can do at most. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/advise/curve.h"
#include "core/plan/simulator.h"

namespace gantry::advise {

inline constexpr double kMoment = 0.3;        ///< seconds: nothing to gain where all takes less
inline constexpr double kGain = 0.97;         ///< less time than this is a gain
inline constexpr uint32_t kFewestPoints = 4;  ///< of a curve
inline constexpr uint32_t kMostPoints = 128;

/// Seconds that the work needs of one resource at least, however it is shared out.
struct Demand {
    double seconds = 0;
    Limit limit = Limit::Connections;
};

struct Prediction {
    /// The plan for so many workers.
    std::function<plan::TaskGraph(uint32_t jobs)> plan;
    std::vector<Demand> demands;
    std::optional<plan::Weights> weights{};  ///< as SimulationSettings
    double beginning = 0;                    ///< seconds before anything goes on
    double perConnection = 0;                ///< seconds that each further one adds
    bool coarse = false;  ///< a rough curve will do: 1, 2, 3, 4, 6, 8, 12, … jobs
};

/// One point of the curve, also beyond its end.
CurvePoint predict(const Prediction& prediction, uint32_t jobs);

/// Points for 1 to `mostPoints` jobs: each number up to 32, beyond that every eighth; of a
/// plan of very many tasks as of a coarse one. The knee lies within `advisable`, what there is room
/// for is `room`.
Curve predictCurve(const Prediction& prediction, uint32_t mostPoints, uint32_t room,
                   uint32_t advisable);

/// Seconds of one worker for all tasks.
double workOf(const plan::TaskGraph& graph);

/// The tasks that wait for each other and take longest together, first to last; a single one if
/// nothing waits.
std::vector<TaskId> longestChain(const plan::TaskGraph& graph, uint32_t workers);

/// The point behind the knee, which tells why no more is advised; the last one if there is none.
const CurvePoint& beyondKnee(const Curve& curve);

}  // namespace gantry::advise
