// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/sessions.h"

#include <fmt/format.h>

#include <utility>

#include "core/pg/session.h"

namespace gantry::vacuum {

pg::Connection openSession(const options::ConnectionOptions& options, std::string_view application,
                           const std::stop_token& stop) {
    pg::Connection connection = pg::Connection::open(options, application, stop);
    pg::setUpMaintenance(connection);
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

void Sessions::close(pg::Connection connection) {
    closers_.emplace_back([ended = std::move(connection)]() mutable {
        const pg::Connection closed = std::move(ended);
    });
}

void Sessions::closeSurplus() {
    std::vector<pg::Connection> surplus;
    {
        const MutexLock lock(mutex_);
        std::optional<uint32_t> before;
        for (auto session = idle_.begin(); session != idle_.end();) {
            if (std::exchange(before, session->first) == session->first) {
                surplus.push_back(std::move(session->second));
                session = idle_.erase(session);
            } else {
                ++session;
            }
        }
    }
    for (pg::Connection& session : surplus) close(std::move(session));
}

}  // namespace gantry::vacuum
