// SPDX-License-Identifier: PostgreSQL
// Gathers the problems of an option struct, for the validations of all kinds of runs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/options/validate.h"

namespace gantry::options {

class Collector {
public:
    using Names = std::vector<std::string>;

    void error(Names options, std::string message, std::string wayOut) {
        problems_.push_back(
            {ProblemSeverity::Error, std::move(options), std::move(message), std::move(wayOut)});
    }
    void warning(Names options, std::string message, std::string wayOut) {
        problems_.push_back(
            {ProblemSeverity::Warning, std::move(options), std::move(message), std::move(wayOut)});
    }
    /// Two options of which only one can be given.
    void exclusive(bool both, std::string first, std::string second, std::string reason) {
        if (!both) return;
        std::string wayOut = fmt::format("Give --{} or --{}.", first, second);
        error({std::move(first), std::move(second)}, std::move(reason), std::move(wayOut));
    }
    /// Errors before warnings.
    std::vector<Problem> take() {
        std::stable_sort(
            problems_.begin(), problems_.end(),
            [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
        return std::move(problems_);
    }

private:
    std::vector<Problem> problems_;
};

inline void checkJobs(const std::optional<uint32_t>& jobs, Collector& found) {
    constexpr uint32_t kMost = 512;
    if (!jobs || (*jobs >= 1 && *jobs <= kMost)) return;
    found.error({"jobs"}, fmt::format("{} is out of range", *jobs),
                fmt::format("Choose 1 to {}, or auto.", kMost));
}

/// What dump and restore have in common in choosing parts.
template <typename Parts>
void checkParts(const Parts& c, Collector& found) {
    found.exclusive(c.schemaOnly && c.dataOnly, "schema-only", "data-only",
                    "each leaves out what the other asks for");
    found.exclusive(c.schemaOnly && c.statisticsOnly, "schema-only", "statistics-only",
                    "each leaves out what the other asks for");
    found.exclusive(c.dataOnly && c.statisticsOnly, "data-only", "statistics-only",
                    "each leaves out what the other asks for");
    found.exclusive(c.dataOnly && c.noData, "data-only", "no-data", "nothing would be left");
    found.exclusive(c.schemaOnly && c.noSchema, "schema-only", "no-schema",
                    "nothing would be left");
    found.exclusive(c.statisticsOnly && c.noStatistics, "statistics-only", "no-statistics",
                    "nothing would be left");
    found.exclusive(c.statistics && c.noStatistics, "statistics", "no-statistics",
                    "they contradict each other");
    found.exclusive(c.dataOnly && c.statistics, "data-only", "statistics",
                    "data alone has no statistics");
    found.exclusive(c.schemaOnly && c.statistics, "schema-only", "statistics",
                    "definitions alone have no statistics");
    for (const std::string& section : c.sections) {
        if (section == "pre-data" || section == "data" || section == "post-data") continue;
        found.error({"section"}, fmt::format("\"{}\" is not a section", section),
                    "Choose pre-data, data or post-data.");
    }
}

}  // namespace gantry::options
