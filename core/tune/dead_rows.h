// SPDX-License-Identifier: PostgreSQL
// Dead rows for a vacuum to clean up, in a database of our own.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/options/connection_options.h"
#include "core/pg/connection.h"

namespace gantry::tune {

/// One thread at a time. Throws Error{Connection, Server, Cancelled}.
class DeadRows {
public:
    /// Makes the database fit for it: no foreign keys and no triggers, which would do more than is
    /// asked for, and no autovacuum, which would come first.
    DeadRows(const options::ConnectionOptions& database, const std::stop_token& stop);

    /// Replaces the rows on every tenth page of each table, each time others, so that heap and
    /// indexes have as many dead ones as the last time.
    void make(const std::stop_token& stop);

private:
    const options::ConnectionOptions database_;
    std::vector<std::string> statements_;  ///< one a table, with {} for which of the ten
    int round_ = 0;
};

}  // namespace gantry::tune
