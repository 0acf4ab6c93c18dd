// SPDX-License-Identifier: PostgreSQL
#include "tests/support/servers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace gantry::test {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestMajor = 10;
constexpr int kNewestMajor = 30;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<fs::path> placesToLook() {
    std::vector<fs::path> places;
    if (const std::string named = environment("GANTRY_TEST_SERVERS_DIR"); !named.empty()) {
        places.emplace_back(named);
    } else {
        places.emplace_back("/var/cache/gantry/postgres");
        fs::path cache = environment("XDG_CACHE_HOME");
        if (cache.empty()) cache = fs::path(environment("HOME")) / ".cache";
        places.push_back(cache / "gantry/postgres");
    }
    places.emplace_back("/usr/lib/postgresql");
    return places;
}

bool canRun(const fs::path& program) { return ::access(program.c_str(), X_OK) == 0; }

std::optional<ServerPrograms> lookFor(int major, const std::vector<fs::path>& places) {
    for (const fs::path& place : places) {
        ServerPrograms programs{major, place / std::to_string(major) / "bin", false};
        if (!canRun(programs.tool("postgres")) || !canRun(programs.tool("initdb"))) continue;
        programs.hasClientTools = canRun(programs.tool("pg_dump")) &&
                                  canRun(programs.tool("pg_restore")) &&
                                  canRun(programs.tool("psql"));
        return programs;
    }
    return std::nullopt;
}

bool isRequired(int major) {
    std::istringstream list(environment("GANTRY_REQUIRE_SERVERS"));
    for (int number = 0; list >> number;) {
        if (number == major) return true;
    }
    return false;
}

}  // namespace

std::vector<ServerPrograms> installedServers() {
    const std::vector<fs::path> places = placesToLook();
    std::vector<ServerPrograms> found;
    for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
        if (std::optional<ServerPrograms> programs = lookFor(major, places)) {
            found.push_back(std::move(*programs));
        } else if (isRequired(major)) {
            throw std::runtime_error(fmt::format(
                "PostgreSQL {} is required by GANTRY_REQUIRE_SERVERS and not installed; "
                "scripts/test-servers {} fetches it",
                major, major));
        }
    }
    return found;
}

std::vector<int> installedMajors() {
    std::vector<int> majors;
    for (const ServerPrograms& programs : installedServers()) majors.push_back(programs.major);
    return majors;
}

std::optional<ServerPrograms> findServer(int major) { return lookFor(major, placesToLook()); }

ServerPrograms requireServer(int major) {
    const std::optional<ServerPrograms> programs = findServer(major);
    if (!programs && isRequired(major)) FAIL("PostgreSQL " << major << " is required and missing");
    if (!programs) SKIP("PostgreSQL " << major << " is not installed");
    return *programs;
}

ServerPrograms requireClientTools(int major) {
    ServerPrograms programs = requireServer(major);
    if (!programs.hasClientTools) SKIP("PostgreSQL " << major << " has no client programs here");
    return programs;
}

ServerPrograms newestServer() {
    const std::vector<ServerPrograms> servers = installedServers();
    for (auto server = servers.rbegin(); server != servers.rend(); ++server) {
        if (server->hasClientTools) return *server;
    }
    throw std::runtime_error("no PostgreSQL server with client programs is installed");
}

fs::path gantryctl() { return fs::path(GANTRY_TEST_BIN_FOLDER) / "gantryctl"; }

}  // namespace gantry::test
