// SPDX-License-Identifier: PostgreSQL
// Runs programs to their end and keeps what they say: PostgreSQL's own, and gantryctl.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gantry::test {

struct ToolResult {
    int exitCode = 0;  ///< 128 + number of the signal that ended it
    std::string output;
    std::string errors;

    /// All that is worth knowing when a test fails.
    std::string describe() const;
};

/// What gantryctl ends with; part of its contract with scripts.
inline constexpr int kRefused = 2;
inline constexpr int kFailed = 3;
inline constexpr int kCancelled = 130;

/// Runs argv[0] with standard input empty and both outputs kept whole. The environment is ours
/// without libpq's variables and in the C locale, then what `environment` adds. Throws
/// std::runtime_error if it does not end in time; it is killed then.
ToolResult runTool(const std::vector<std::string>& argv,
                   const std::map<std::string, std::string>& environment = {},
                   std::chrono::seconds timeout = std::chrono::seconds(300));

/// The same for a program that must succeed: throws std::runtime_error with its words if not, else
/// returns its standard output.
std::string runToolOk(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment = {});

}  // namespace gantry::test
