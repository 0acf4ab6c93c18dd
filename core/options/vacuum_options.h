// SPDX-License-Identifier: PostgreSQL
// Everything that a vacuum run can be told. Spelling and meaning are vacuumdb's where it has the
// option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/options/connection_options.h"

namespace gantry::options {

/// Which tables. Names are plain names as in SQL, not patterns.
struct VacuumSelection {
    std::vector<std::string> tables;          ///< -t: "name" or "name(column, …)"
    std::vector<std::string> schemas;         ///< -n
    std::vector<std::string> excludeSchemas;  ///< -N
    std::optional<int> minXidAge;
    std::optional<int> minMxidAge;
    bool missingStatsOnly = false;
};

/// What is done to them. A set flag means the option was given.
struct VacuumWork {
    bool analyze = false;          ///< -z: after the vacuum
    bool analyzeOnly = false;      ///< -Z
    bool analyzeInStages = false;  ///< three times, ever more thoroughly
    bool full = false;             ///< -f
    bool freeze = false;           ///< -F
    bool reindexConcurrently = false;
    bool skipLocked = false;
    bool noIndexCleanup = false;
    bool forceIndexCleanup = false;
    bool noTruncate = false;
    bool noProcessMain = false;
    bool noProcessToast = false;
    bool disablePageSkipping = false;

    bool analyzesAlone() const { return analyzeOnly || analyzeInStages; }
};

struct VacuumOptions {
    ConnectionOptions connection;
    bool allDatabases = false;         ///< -a
    std::string maintenanceDatabase;   ///< --maintenance-db: to connect to first, with -a
    std::optional<uint32_t> jobs;      ///< -j: tables at a time; empty: auto
    std::optional<uint32_t> parallel;  ///< -P: index workers of each; empty: as the plan advises
    VacuumSelection selection;
    VacuumWork work;
    std::string plan;                ///< --plan: "auto", or empty: all chosen tables alike
    std::string bufferUsageLimit;    ///< as the server reads it; empty: as the plan advises
    std::string maintenanceWorkMem;  ///< the same
    std::string budget;              ///< --for: "2h", "1h30m", "45min"; empty: no end
    std::optional<int> costDelay;    ///< --cost-delay: milliseconds; empty: the server's
    std::optional<int> costLimit;    ///< --cost-limit
    bool dryRun = false;             ///< plan only
    bool echo = false;               ///< -e: each statement is told as it is sent

    bool plansItself() const { return plan == "auto"; }
};

/// "90s", "45min", "2h", "1h30m", "1d". Empty if it is none of these, or zero.
std::optional<Duration> parseDuration(std::string_view text);

/// "256MB", "1 GB", "2048" (kB): bytes. Empty if it is no amount of memory.
std::optional<uint64_t> parseMemory(std::string_view text);

}  // namespace gantry::options
