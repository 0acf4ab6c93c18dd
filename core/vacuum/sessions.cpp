// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/sessions.h"

#include <fmt/format.h>

#include <utility>

#include "core/pg/session.h"

namespace gantry::vacuum {

void setUpSession(pg::Connection& connection) {
    pg::liftTimeLimits(connection);
    pg::compileNothing(connection);
    if (connection.query("SHOW lc_messages").text(0, 0) != "C") {
        try {
            connection.execute("SET lc_messages = 'C'");
        } catch (const Error& error) {
            // Only superusers may; progress is told without messages too.
            if (!error.info().connectionUsable) throw;
        }
    }
}

pg::Connection openSession(const options::ConnectionOptions& options, std::string_view application,
                           const std::stop_token& stop) {
    pg::Connection connection = pg::Connection::open(options, application, stop);
    setUpSession(connection);
    return connection;
}

std::string workerName(uint32_t worker) { return fmt::format("gantry vacuum: worker {}", worker); }

void Sessions::openAhead(const options::ConnectionOptions& options, uint32_t database,
                         uint32_t workers, const std::stop_token& stop) {
    if (workers < 3) return;
    opener_ = std::jthread([this, options, database, workers, stop](const std::stop_token& enough) {
        try {
            for (uint32_t worker = 3; worker <= workers && !enough.stop_requested(); ++worker) {
                give(database, openSession(options, workerName(worker), stop));
            }
        } catch (const Error&) {
            // Who needs it will be told why there is none.
        }
    });
}

void Sessions::enough() { opener_.request_stop(); }

std::optional<pg::Connection> Sessions::take(uint32_t database) {
    const MutexLock lock(mutex_);
    auto found = idle_.extract(database);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
}

void Sessions::give(uint32_t database, pg::Connection connection) {
    const MutexLock lock(mutex_);
    idle_.emplace(database, std::move(connection));
}

void Sessions::keepOne() {
    const MutexLock lock(mutex_);
    std::erase_if(idle_, [before = std::optional<uint32_t>()](const auto& session) mutable {
        return std::exchange(before, session.first) == session.first;
    });
}

std::vector<pg::Connection> Sessions::takeAll() {
    const MutexLock lock(mutex_);
    std::vector<pg::Connection> all;
    for (auto& [database, connection] : idle_) all.push_back(std::move(connection));
    idle_.clear();
    return all;
}

}  // namespace gantry::vacuum
