// SPDX-License-Identifier: PostgreSQL
// What a server tells about itself when one looks: the test of a profile, and its page.
#pragma once

#include <QString>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/options/connection_options.h"

namespace gantry::ui {

struct DatabaseFacts {
    std::string name;
    std::string owner;
    std::optional<uint64_t> bytes;  ///< empty if this user may not look
    bool connectable = true;        ///< by this user
};

struct ServerFacts {
    std::string version;  ///< "17.11"
    std::string user;
    bool superuser = false;
    std::chrono::microseconds roundTrip{};
    std::string encryption;  ///< "TLSv1.3"; empty if there is none
    bool local = false;      ///< reached over a Unix socket
    bool standby = false;
    uint32_t connections = 0;              ///< in use
    uint32_t freeConnections = 0;          ///< for this user, besides those
    std::vector<DatabaseFacts> databases;  ///< the largest first; templates are left out
};

/// Connects and asks. Blocks; stops within 100 ms. Throws Error{Connection} or Error{Server}.
ServerFacts probeServer(const options::ConnectionOptions& connection, std::stop_token stop);

/// "round trip 0.6 ms".
QString describeRoundTrip(std::chrono::microseconds time);

/// Whether another password may help.
bool wantsPassword(const ErrorInfo& error);

/// The next step after a failed connection, for somebody in front of a window.
std::string connectionAdvice(const ErrorInfo& error);

}  // namespace gantry::ui
