// SPDX-License-Identifier: PostgreSQL
// What libpq takes from a connection string, a service and the environment for one connection.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pg/host_list.h"

struct pg_conn;

namespace gantry::pg {

struct Parameter {
    std::string keyword;
    std::string value;                     ///< empty if it has none
    std::optional<std::string> byDefault;  ///< what is compiled into libpq
    std::string variable;                  ///< of the environment, that is read; empty if none is
    bool secret = false;
};

class Parameters {
public:
    explicit Parameters(pg_conn* connection);

    std::vector<Parameter>::const_iterator begin() const { return all_.begin(); }
    std::vector<Parameter>::const_iterator end() const { return all_.end(); }
    /// Empty also if libpq does not know the keyword.
    std::string_view operator[](std::string_view keyword) const;

    /// How long each host may take to answer; a minute if there is no limit.
    std::chrono::seconds connectTimeout() const;
    /// In the order in which they are tried, each once; empty where libpq has an order of its own
    /// or comes back to hosts that it has passed over.
    HostList hosts() const;

private:
    std::vector<Parameter> all_;
};

}  // namespace gantry::pg
