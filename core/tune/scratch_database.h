// SPDX-License-Identifier: PostgreSQL
// A database that a sweep makes for itself, and that is gone with it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/options/connection_options.h"
#include "core/pg/connection.h"

namespace gantry::tune {

/// What sessions of a sweep are called in pg_stat_activity.
inline constexpr std::string_view kApplication = "gantry tune";

/// Hears sentences for the user.
using Tell = std::function<void(const std::string&)>;

/// Called gantry_tune_ and a number of its own, with a comment that says what it is.
class ScratchDatabase {
public:
    /// Makes it, empty, on the server that `server` leads to; `encoding` may be empty: the
    /// server's. Throws Error{Connection, Server, Cancelled}.
    ScratchDatabase(const options::ConnectionOptions& server, const std::string& encoding,
                    Tell tell, const std::stop_token& stop);
    /// Drops it, whatever goes on in it; `tell` hears if that fails. Asks no stop token: whoever
    /// stopped the sweep wants this done all the same.
    ~ScratchDatabase();
    ScratchDatabase(const ScratchDatabase&) = delete;
    ScratchDatabase& operator=(const ScratchDatabase&) = delete;

    const std::string& name() const { return name_; }
    const options::ConnectionOptions& connection() const { return inside_; }

private:
    void drop() const;

    const Tell tell_;
    std::string name_;
    options::ConnectionOptions beside_;
    options::ConnectionOptions inside_;
};

/// Tells of databases that a killed sweep left behind, and how to drop them.
void tellLeftovers(pg::Connection& connection, const Tell& tell);

}  // namespace gantry::tune
