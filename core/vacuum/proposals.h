// SPDX-License-Identifier: PostgreSQL
// How many tables at a time, how many helpers for their indexes, how much memory: what suits this
// server and these tables, and why. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/options/vacuum_options.h"
#include "core/vacuum/facts.h"

namespace gantry::vacuum {

struct Proposals {
    uint32_t jobs = 1;
    std::string jobsWhy{};  ///< empty: as the options say
    /// Bytes; 0: no limit; empty: the server knows no such thing, or the run has no use for it.
    std::optional<uint64_t> ring;
    std::string ringWhy;
    std::optional<uint64_t> memory;  ///< maintenance_work_mem; empty: the server's own
    std::string memoryWhy;
    bool sessionsRead = false;  ///< for themselves, where they vacuum
};

/// What the options say is not proposed but taken.
Proposals propose(const Survey& survey, const options::VacuumOptions& options);

/// Whether sessions read for themselves, with so many at work.
bool sessionsShouldRead(const Survey& survey, uint32_t atWork);

/// Passes over its indexes that a table needs with so much memory; at least 1 if it has dead rows.
uint32_t indexPasses(const TableFacts& table, uint64_t memory, int serverMajor);

/// Indexes that helpers may take: large enough, and cleaned in one go by their kind.
uint32_t sharedIndexes(const TableFacts& table, const ServerFacts& server);

/// Helpers for a table that takes `seconds` alone, of a run that takes `allSeconds` on one worker.
/// Tables go side by side as long as there are enough of them; one that would be left at the end
/// with idle workers and processors around it gets these.
uint32_t proposeHelpers(const TableFacts& table, const ServerFacts& server, double seconds,
                        double allSeconds, uint32_t jobs);

}  // namespace gantry::vacuum
