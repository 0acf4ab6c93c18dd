// SPDX-License-Identifier: PostgreSQL
// A database worth dumping: on a scratch server, or where the user says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/options/connection_options.h"
#include "core/scratch/scratch_server.h"

namespace gantry::demo {

inline constexpr std::string_view kDatabase = "gantry_demo";
inline constexpr std::string_view kServerName = "demo";

/// A script that is through.
struct Step {
    std::string_view name;
    std::size_t done = 0;
    std::size_t all = 0;
    Duration took{};
};
/// Called by one thread at a time.
using OnStep = std::function<void(const Step&)>;

/// Refuses a server that is too old, and a database that already holds something: the demo is not
/// to be mixed into real data. Throws Error{Preflight}.
void requireFit(const options::ConnectionOptions& connection, const std::stop_token& stop);

/// Fills an empty database over up to `jobs` connections. Throws the first error, Error{Cancelled}
/// on stop; what has been filled by then stays.
void fill(const options::ConnectionOptions& connection, uint32_t jobs, const OnStep& onStep,
          const std::stop_token& stop);

/// Starts a scratch server with the demo database on it. One of that name which was left behind is
/// started again, and filled only if the demo database is not there; what is there stays. If it
/// throws, nothing is left of a new server, and an older one is left behind as it was.
scratch::ScratchServer startFilled(const scratch::ScratchOptions& server, uint32_t jobs,
                                   const OnStep& onStep, const std::stop_token& stop);

/// Whether the demo database is on a scratch server that runs, and whole.
bool isFilled(const scratch::ScratchInfo& server, const std::stop_token& stop);
/// Fills one that runs, from the beginning: what an interrupted filling left goes. Throws like
/// fill(), and Error{Server} while somebody else is at it.
void fillUp(const scratch::ScratchInfo& server, uint32_t jobs,
            const std::function<void(std::string_view)>& onText, const OnStep& onStep,
            const std::stop_token& stop);

struct Size {
    std::string database;
    uint64_t bytes = 0;
    uint64_t tables = 0;
};
Size measure(const options::ConnectionOptions& connection, const std::stop_token& stop);

/// As many sessions as fill it quickest on this machine.
uint32_t usualJobs();

}  // namespace gantry::demo
