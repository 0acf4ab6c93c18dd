// SPDX-License-Identifier: PostgreSQL
#include "core/pg/environment.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/base/processor_load.h"

namespace gantry::pg {
namespace {

std::string machineName() {
    constexpr std::size_t kLongest = 256;
    std::array<char, kLongest> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : std::string();
}

}  // namespace

std::string systemIdentifier(Connection& connection) {
    try {
        return connection.query("SELECT system_identifier FROM pg_catalog.pg_control_system()")
            .string(0, 0);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Server) throw;
        return {};
    }
}

std::map<std::string, std::string> describeEnvironment(Connection& connection) {
    return {{"server", connection.server()},
            {"cluster", systemIdentifier(connection)},
            {"user", connection.query("SELECT session_user").string(0, 0)},
            {"machine", machineName()},
            {"processors", std::to_string(usableProcessors())}};
}

bool runsHere(Connection& connection) {
    if (!std::filesystem::exists("/proc/self/comm")) return connection.isLocal();
    std::ifstream name("/proc/" + std::to_string(connection.backendPid()) + "/comm");
    std::string command;
    return std::getline(name, command) && command.starts_with("postgres");
}

bool sharesMachine(Connection& connection) { return connection.isLocal() || runsHere(connection); }

}  // namespace gantry::pg
