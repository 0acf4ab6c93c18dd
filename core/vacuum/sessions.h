// SPDX-License-Identifier: PostgreSQL
// The sessions of a run, of which none is opened twice: what has looked goes on to work, and what
// has worked looks at the outcome.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/sync.h"
#include "core/options/connection_options.h"
#include "core/pg/connection.h"

namespace gantry::vacuum {

/// A session as all of a run are, by pg::setUpMaintenance().
pg::Connection openSession(const options::ConnectionOptions& options, std::string_view application,
                           const std::stop_token& stop);

/// What a worker's session is called in pg_stat_activity.
std::string workerName(uint32_t worker);

/// Those that nobody uses at the moment. Thread-safe, but for close() and closeSurplus(), which are
/// the run's own thread's to call.
class Sessions {
public:
    /// Opens those of this database that workers from the third to the last will need, in the
    /// background, one after the other, until somebody says enough(): two look before. Those that
    /// the server refuses are done without.
    void openAhead(const options::ConnectionOptions& options, uint32_t database, uint32_t workers,
                   const std::stop_token& stop);
    void enough();

    /// Of Survey::databases; empty if there is none.
    std::optional<pg::Connection> take(uint32_t database);
    /// One that works, in no transaction.
    void give(uint32_t database, pg::Connection connection);
    /// In the background: a server process takes a processor for milliseconds to end, and might
    /// take that of whoever told it to.
    void close(pg::Connection connection);
    /// All that nobody uses but one for each database.
    void closeSurplus();

private:
    Mutex mutex_;
    std::multimap<uint32_t, pg::Connection> idle_ GUARDED_BY(mutex_);
    std::jthread opener_;
    std::vector<std::jthread> closers_;
};

}  // namespace gantry::vacuum
