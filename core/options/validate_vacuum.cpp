// SPDX-License-Identifier: PostgreSQL
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "core/options/problem_collector.h"
#include "core/options/validate.h"

namespace gantry::options {
namespace {

constexpr uint32_t kMaxParallel = 1024;  // of max_parallel_maintenance_workers
constexpr uint64_t kKilobyte = 1024;
constexpr uint64_t kSmallestRing = 128 * kKilobyte;
constexpr uint64_t kLargestRing = uint64_t{16} << 30;
constexpr int kLongestDelay = 100;
constexpr int kHighestCost = 10000;

template <class Number>
void checkRange(std::optional<Number> value, Number least, Number most, std::string name,
                std::string_view otherwise, Collector& found) {
    if (!value || (*value >= least && *value <= most)) return;
    found.error({std::move(name)}, fmt::format("{} is out of range", *value),
                fmt::format("Choose {} to {}{}.", least, most, otherwise));
}

/// What has no meaning where tables are only analyzed, or only indexes rebuilt.
void checkAlone(const VacuumOptions& o, Collector& found) {
    const VacuumWork& w = o.work;
    const std::array<std::pair<bool, const char*>, 9> vacuums{
        {{w.full, "full"},
         {w.freeze, "freeze"},
         {w.disablePageSkipping, "disable-page-skipping"},
         {w.noIndexCleanup, "no-index-cleanup"},
         {w.forceIndexCleanup, "force-index-cleanup"},
         {w.noTruncate, "no-truncate"},
         {w.noProcessMain, "no-process-main"},
         {w.noProcessToast, "no-process-toast"},
         {o.parallel.has_value(), "parallel"}}};
    const char* analyzes = w.analyzeInStages ? "analyze-in-stages" : "analyze-only";
    for (const auto& [given, name] : vacuums) {
        found.exclusive(given && w.analyzesAlone(), name, analyzes,
                        "it concerns a vacuum, and none takes place");
        found.exclusive(given && w.reindexConcurrently, name, "reindex-concurrently",
                        "it concerns a vacuum, and none takes place");
    }
    // vacuumdb takes what has no effect, and scripts carry it along.
    if (w.analyzeOnly && w.analyzeInStages) {
        found.warning({"analyze-only"}, "the stages of --analyze-in-stages are nothing else",
                      "Leave it out.");
    }
    found.exclusive(w.reindexConcurrently && w.analyzesAlone(), "reindex-concurrently", analyzes,
                    "rebuilding indexes is a run of its own");
    found.exclusive(w.reindexConcurrently && w.analyze, "reindex-concurrently", "analyze",
                    "rebuilding indexes is a run of its own");
    found.exclusive(w.reindexConcurrently && w.skipLocked, "reindex-concurrently", "skip-locked",
                    "the server can only wait for a lock that it needs to rebuild an index");
}

void checkFull(const VacuumOptions& o, Collector& found) {
    const VacuumWork& w = o.work;
    if (!w.full) return;
    const std::string whole = "a table that is written anew is written whole";
    found.exclusive(o.parallel.has_value(), "full", "parallel",
                    "it builds indexes anew instead of cleaning them");
    for (const auto& [given, name] : {std::pair(w.noIndexCleanup, "no-index-cleanup"),
                                      std::pair(w.forceIndexCleanup, "force-index-cleanup")}) {
        if (!given) continue;
        found.warning({name}, "--full builds all indexes anew, whatever this says",
                      "Leave it out.");
    }
    found.exclusive(w.disablePageSkipping, "full", "disable-page-skipping", whole);
    found.exclusive(w.noProcessToast, "full", "no-process-toast", whole);
    found.exclusive(!o.bufferUsageLimit.empty() && !w.analyze, "full", "buffer-usage-limit",
                    "it does not go through a limited part of the cache");
}

void checkSelection(const VacuumOptions& o, Collector& found) {
    const VacuumSelection& s = o.selection;
    found.exclusive(!s.tables.empty() && !s.schemas.empty(), "table", "schema",
                    "each names the tables");
    found.exclusive(!s.tables.empty() && !s.excludeSchemas.empty(), "table", "exclude-schema",
                    "a table that is named is not left out");
    found.exclusive(!s.schemas.empty() && !s.excludeSchemas.empty(), "schema", "exclude-schema",
                    "what is not in the named schemas is left out anyway");
    constexpr int kMostAge = 2147483647;
    checkRange(s.minXidAge, 1, kMostAge, "min-xid-age", "", found);
    checkRange(s.minMxidAge, 1, kMostAge, "min-mxid-age", "", found);
    if (s.missingStatsOnly && !o.work.analyzesAlone()) {
        found.error({"missing-stats-only"}, "it says which tables are analyzed, and none is",
                    "Add --analyze-only or --analyze-in-stages.");
    }
    const bool analyzes = o.work.analyze || o.work.analyzesAlone();
    for (const std::string& table : s.tables) {
        if (table.find('(') == std::string::npos || analyzes) continue;
        found.error({"table"}, fmt::format("\"{}\" names columns, and nothing is analyzed", table),
                    "Add --analyze or --analyze-only, or leave the columns out.");
    }
}

void checkMemory(const VacuumOptions& o, Collector& found) {
    if (!o.bufferUsageLimit.empty()) {
        const auto bytes = parseMemory(o.bufferUsageLimit);
        if (!bytes || (*bytes != 0 && (*bytes < kSmallestRing || *bytes > kLargestRing))) {
            found.error(
                {"buffer-usage-limit"},
                fmt::format("\"{}\" is no amount between 128 kB and 16 GB", o.bufferUsageLimit),
                "Give one, as in 256MB, or 0 for no limit.");
        }
    }
    if (!o.maintenanceWorkMem.empty()) {
        const auto bytes = parseMemory(o.maintenanceWorkMem);
        if (!bytes || *bytes < kKilobyte * kKilobyte) {
            found.error({"maintenance-work-mem"},
                        fmt::format("\"{}\" is no amount of at least 1 MB", o.maintenanceWorkMem),
                        "Give one, as in 512MB.");
        }
    }
}

void checkDatabases(const VacuumOptions& o, Collector& found) {
    if (!o.allDatabases && !o.maintenanceDatabase.empty()) {
        found.warning({"maintenance-db"}, "only a run over --all databases begins there",
                      "Add --all, or leave it out.");
    }
    // A connection string says more than a name, and vacuumdb takes that too.
    const bool nameAlone = !o.connection.database.empty() &&
                           o.connection.database.find('=') == std::string::npos &&
                           o.connection.database.find("://") == std::string::npos;
    found.exclusive(o.allDatabases && nameAlone, "all", "dbname",
                    "one names all databases, the other one of them");
}

}  // namespace

std::optional<Duration> parseDuration(std::string_view text) {
    struct Unit {
        std::string_view name;
        int64_t seconds;
    };
    constexpr std::array<Unit, 9> kUnits{{{"s", 1},
                                          {"sec", 1},
                                          {"m", 60},
                                          {"min", 60},
                                          {"h", 3600},
                                          {"hours", 3600},
                                          {"hour", 3600},
                                          {"d", 86400},
                                          {"", 0}}};
    constexpr int64_t kMost = int64_t{365} * 86400;
    int64_t all = 0;
    while (!text.empty()) {
        int64_t count = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (error != std::errc() || count < 0 || count > kMost) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        const std::string_view unit =
            text.substr(0, std::min(text.find_first_of("0123456789 "), text.size()));
        const Unit* found = nullptr;
        for (const Unit& known : kUnits) {
            if (known.name == unit && known.seconds > 0) found = &known;
        }
        if (found == nullptr) return std::nullopt;
        text.remove_prefix(unit.size());
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        all += count * found->seconds;
        if (all > kMost) return std::nullopt;
    }
    if (all == 0) return std::nullopt;
    return std::chrono::seconds(all);
}

std::optional<uint64_t> parseMemory(std::string_view text) {
    struct Unit {
        std::string_view name;
        uint64_t bytes;
    };
    constexpr std::array<Unit, 6> kUnits{{{"B", 1},
                                          {"", kKilobyte},
                                          {"kB", kKilobyte},
                                          {"MB", uint64_t{1} << 20},
                                          {"GB", uint64_t{1} << 30},
                                          {"TB", uint64_t{1} << 40}}};
    constexpr uint64_t kMost = uint64_t{1} << 50;
    uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    for (const Unit& unit : kUnits) {
        if (unit.name != text) continue;
        if (count > kMost / unit.bytes) return std::nullopt;
        return count * unit.bytes;
    }
    return std::nullopt;
}

std::vector<Problem> validate(const VacuumOptions& options) {
    Collector found;
    checkJobs(options.jobs, found);
    checkRange(options.parallel, 0U, kMaxParallel, "parallel", ", or auto", found);
    checkRange(options.costDelay, 0, kLongestDelay, "cost-delay", "", found);
    checkRange(options.costLimit, 1, kHighestCost, "cost-limit", "", found);
    checkDatabases(options, found);
    checkSelection(options, found);
    checkAlone(options, found);
    checkFull(options, found);
    checkMemory(options, found);
    found.exclusive(options.work.noIndexCleanup && options.work.forceIndexCleanup,
                    "no-index-cleanup", "force-index-cleanup", "they contradict each other");
    if (!options.plan.empty() && !options.plansItself()) {
        found.error({"plan"}, fmt::format("\"{}\" is no plan", options.plan),
                    "Give --plan=auto, or leave it out.");
    }
    for (const auto& [given, name] :
         {std::pair(options.work.analyzesAlone(), "analyze-only"),
          std::pair(options.work.reindexConcurrently, "reindex-concurrently")}) {
        found.exclusive(options.plansItself() && given, "plan", name,
                        "the plan itself says what is done to a table");
    }
    if (!options.budget.empty() && !parseDuration(options.budget)) {
        found.error({"for"}, fmt::format("\"{}\" is no time", options.budget),
                    "Give one, as in 2h, 45min or 1h30m.");
    }
    found.exclusive(options.connection.neverPrompt && options.connection.forcePrompt, "no-password",
                    "password", "they contradict each other");
    return found.take();
}

}  // namespace gantry::options
