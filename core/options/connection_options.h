// SPDX-License-Identifier: PostgreSQL
// Which server and which database, as a user says it.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace gantry::pg {
class OneServer;
}

namespace gantry::options {

/// What is empty is left to libpq: environment, service file, pass file.
struct ConnectionOptions {
    std::string database;                 ///< -d: a name, a conninfo string or a URI
    std::string host;                     ///< -h
    std::string port;                     ///< -p
    std::string user;                     ///< -U
    std::optional<std::string> password;  ///< asked for by the front end; never shown or stored
    bool neverPrompt = false;             ///< -w
    bool forcePrompt = false;             ///< -W
    /// What keeps the sessions of a run on one server, where several are named; no option.
    std::shared_ptr<pg::OneServer> server{};
};

}  // namespace gantry::options
