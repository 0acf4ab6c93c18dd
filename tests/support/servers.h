// SPDX-License-Identifier: PostgreSQL
// Which PostgreSQL servers and client programs there are to test with. scripts/test-servers fetches
// those that the system does not have.
//
// Looked for as FOLDER/<major>/bin, in this order; the first place that has a major version wins:
//   $GANTRY_TEST_SERVERS_DIR, if it is set, else
//   /var/cache/gantry/postgres and $XDG_CACHE_HOME/gantry/postgres (~/.cache/gantry/postgres)
//   /usr/lib/postgresql
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gantry::test {

struct ServerPrograms {
    int major = 0;  ///< 10 and later
    std::filesystem::path binFolder;
    bool hasClientTools = false;  ///< pg_dump, pg_restore, psql

    std::filesystem::path tool(const std::string& name) const { return binFolder / name; }
};

/// All that are installed, oldest first. Throws std::runtime_error if one of those that
/// $GANTRY_REQUIRE_SERVERS lists ("15 16 18") is missing: there no test may skip.
std::vector<ServerPrograms> installedServers();

/// Their major versions, to generate test cases from.
std::vector<int> installedMajors();

std::optional<ServerPrograms> findServer(int major);

/// Skips the running test case if this version is missing, which the requirement makes a failure.
ServerPrograms requireServer(int major);
/// Likewise, but with client programs too. Some old versions are to be had without.
ServerPrograms requireClientTools(int major);
/// The newest that has client programs.
ServerPrograms newestServer();

/// The gantryctl of this build.
std::filesystem::path gantryctl();

}  // namespace gantry::test
