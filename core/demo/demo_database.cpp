// SPDX-License-Identifier: PostgreSQL
#include "core/demo/demo_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/demo/demo_scripts.h"
#include "core/pg/connection.h"
#include "core/pg/one_server.h"

namespace gantry::demo {
namespace {

using options::ConnectionOptions;

constexpr std::string_view kApplication = "gantry demo";
/// The demo database has its name once it is whole, so that one found later needs no filling.
constexpr std::string_view kUnfinished = "gantry_demo_unfinished";

/// One stage of the demo, its scripts shared out among threads with a session each.
class StageLoader {
public:
    StageLoader(const ConnectionOptions& connection, uint32_t jobs, const OnStep& onStep,
                std::stop_token stop)
        : connection_(connection),
          jobs_(jobs),
          onStep_(onStep),
          stop_(std::move(stop)),
          onStop_(stop_, [this] { ownStop_.request_stop(); }) {}

    /// Throws the first error; the other sessions are stopped then.
    void run(std::span<const DemoScript> scripts) {
        scripts_ = scripts;
        next_ = 0;
        {
            std::vector<std::jthread> threads;
            const std::size_t count = std::min<std::size_t>(jobs_, scripts.size());
            for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
        }
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void work() {
        try {
            pg::Connection session =
                pg::Connection::open(connection_, kApplication, ownStop_.get_token());
            for (std::size_t at = next_++; at < scripts_.size(); at = next_++) {
                const auto begin = std::chrono::steady_clock::now();
                session.execute(std::string(scripts_[at].sql));
                tell(scripts_[at], std::chrono::duration_cast<Duration>(
                                       std::chrono::steady_clock::now() - begin));
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            ownStop_.request_stop();
        }
    }
    void tell(const DemoScript& script, Duration took) {
        const std::lock_guard lock(mutex_);
        ++done_;
        if (onStep_) onStep_({script.name, done_, demoScripts().size(), took});
    }

    const ConnectionOptions connection_;
    const uint32_t jobs_;
    const OnStep& onStep_;
    const std::stop_token stop_;
    std::stop_source ownStop_;
    std::stop_callback<std::function<void()>> onStop_;
    std::span<const DemoScript> scripts_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::exception_ptr failure_;
    std::size_t done_ = 0;
};

pg::Connection openMaintenance(const scratch::ScratchInfo& server, const std::stop_token& stop) {
    ConnectionOptions connection;
    connection.database = server.conninfo();
    return pg::Connection::open(connection, kApplication, stop);
}

std::string tables(uint64_t count) {
    return fmt::format("{} table{}", count, count == 1 ? "" : "s");
}

}  // namespace

void requireFit(const ConnectionOptions& connection, const std::stop_token& stop) {
    pg::Connection session = pg::Connection::open(connection, kApplication, stop);
    constexpr int kOldestMajor = 12;  // generated columns, keys of partitioned tables
    if (session.serverMajor() < kOldestMajor) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("the demo data needs a server of version {} or later, this is {}",
                                kOldestMajor, session.serverVersionText()),
                    session.databaseName(), "Leave --dbname out to get a scratch server.");
    }
    const pg::Result found = session.query(
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE relkind IN ('r', 'p', 'v', 'm') AND nspname NOT LIKE 'pg\\_%' "
        "AND nspname <> 'information_schema'");
    if (found.number(0, 0) == 0) return;
    throw Error(ErrorKind::Preflight,
                fmt::format("the database holds {} already, and demo data does not belong there",
                            tables(found.number(0, 0))),
                session.databaseName(),
                "Create an empty database for it, or leave --dbname out to get a scratch server.");
}

void fill(const ConnectionOptions& connection, uint32_t jobs, const OnStep& onStep,
          const std::stop_token& stop) {
    StageLoader loader(pg::onOneServer(connection), jobs, onStep, stop);
    std::span<const DemoScript> rest = demoScripts();
    while (!rest.empty()) {
        const int stage = rest.front().stage;
        std::size_t count = 0;
        while (count < rest.size() && rest[count].stage == stage) ++count;
        loader.run(rest.first(count));
        rest = rest.subspan(count);
    }
}

bool isFilled(const scratch::ScratchInfo& server, const std::stop_token& stop) {
    pg::Connection session = openMaintenance(server, stop);
    return session
               .query("SELECT count(*) FROM pg_database WHERE datname = " +
                      pg::quoteLiteral(kDatabase))
               .number(0, 0) != 0;
}

void fillUp(const scratch::ScratchInfo& server, uint32_t jobs,
            const std::function<void(std::string_view)>& onText, const OnStep& onStep,
            const std::stop_token& stop) {
    pg::Connection session = openMaintenance(server, stop);
    const std::string unfinished = pg::quoteIdentifier(kUnfinished);
    session.execute("DROP DATABASE IF EXISTS " + unfinished);
    session.execute("CREATE DATABASE " + unfinished);
    if (onText) onText("filling the demo database");
    ConnectionOptions connection;
    connection.database = server.conninfo(std::string(kUnfinished));
    fill(connection, jobs, onStep, stop);
    session.execute("ALTER DATABASE " + unfinished + " RENAME TO " +
                    pg::quoteIdentifier(kDatabase));
}

scratch::ScratchServer startFilled(const scratch::ScratchOptions& server, uint32_t jobs,
                                   const OnStep& onStep, const std::stop_token& stop) {
    scratch::ScratchServer running = scratch::ScratchServer::start(server, stop);
    if (!isFilled(running.info(), stop)) fillUp(running.info(), jobs, server.onStep, onStep, stop);
    return running;
}

Size measure(const ConnectionOptions& connection, const std::stop_token& stop) {
    pg::Connection session = pg::Connection::open(connection, kApplication, stop);
    const pg::Result facts = session.query(
        "SELECT current_database(), pg_database_size(current_database()), "
        "(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE relkind = 'r' AND nspname NOT LIKE 'pg\\_%' "
        "AND nspname <> 'information_schema')");
    return {facts.string(0, 0), facts.number(0, 1), facts.number(0, 2)};
}

uint32_t usualJobs() {
    constexpr uint32_t kMost = 8;
    return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

}  // namespace gantry::demo
