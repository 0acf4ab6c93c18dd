// SPDX-License-Identifier: PostgreSQL
// The servers that a connection string names, one after the other. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gantry::pg {

/// libpq's parameters of these names: lists with commas, or empty if they are not given.
struct HostList {
    std::string host;
    std::string hostaddr;
    std::string port;  ///< a single one is that of all hosts

    /// Those behind the host that is tried now, by what PQhost() and PQport() say of it. Empty if
    /// there are none, or none that could be said instead of the whole list.
    std::optional<HostList> behind(std::string_view triedHost, std::string_view triedPort) const;

    bool operator==(const HostList&) const = default;
};

}  // namespace gantry::pg
