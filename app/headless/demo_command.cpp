// SPDX-License-Identifier: PostgreSQL
// gantryctl demo: a database worth dumping, on a scratch server or where the user says.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/demo_data.h"
#include "app/headless/password.h"
#include "app/headless/quantity.h"
#include "app/headless/stop_signals.h"
#include "core/options/command.h"
#include "core/pg/connection.h"
#include "core/scratch/scratch_server.h"

namespace gantry::headless {
namespace {

using options::ConnectionOptions;
using options::OptionGroup;
using options::quoteForShell;

constexpr std::string_view kDatabase = "gantry_demo";
constexpr std::string_view kServerName = "demo";

/// One stage of the demo, its scripts shared out among threads with a session each.
class StageLoader {
public:
    StageLoader(const ConnectionOptions& connection, uint32_t jobs, std::stop_token stop)
        : connection_(connection),
          jobs_(jobs),
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
                pg::Connection::open(connection_, "gantryctl demo", ownStop_.get_token());
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
        printErr(fmt::format("  {:>2} of {}  {:<24} {}\n", done_, demoScripts().size(), script.name,
                             humanDuration(took)));
    }

    const ConnectionOptions connection_;
    const uint32_t jobs_;
    const std::stop_token stop_;
    std::stop_source ownStop_;
    std::stop_callback<std::function<void()>> onStop_;
    std::span<const DemoScript> scripts_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::exception_ptr failure_;
    std::size_t done_ = 0;
};

void fill(const ConnectionOptions& connection, uint32_t jobs, const std::stop_token& stop) {
    StageLoader loader(connection, jobs, stop);
    std::span<const DemoScript> rest = demoScripts();
    while (!rest.empty()) {
        const int stage = rest.front().stage;
        std::size_t count = 0;
        while (count < rest.size() && rest[count].stage == stage) ++count;
        loader.run(rest.first(count));
        rest = rest.subspan(count);
    }
}

/// What has been filled, in the server's own words.
std::string describeDatabase(const ConnectionOptions& connection, const std::stop_token& stop) {
    pg::Connection session = pg::Connection::open(connection, "gantryctl demo", stop);
    const pg::Result facts = session.query(
        "SELECT pg_database_size(current_database()), current_database(), "
        "(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE relkind = 'r' AND nspname NOT LIKE 'pg\\_%' "
        "AND nspname <> 'information_schema')");
    return fmt::format("Database \"{}\" holds {} in {}.\n", facts.text(0, 1),
                       humanBytes(facts.number(0, 0)), counted(facts.number(0, 2), "table"));
}

/// Refuses a server that is too old, and a database that already holds something: the demo is not
/// to be mixed into real data.
void requireFit(const ConnectionOptions& connection, const std::stop_token& stop) {
    pg::Connection session = pg::Connection::open(connection, "gantryctl demo", stop);
    constexpr int kOldestMajor = 12;  // generated columns, keys of partitioned tables
    if (session.serverMajor() < kOldestMajor) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("the demo data needs a server of version {} or later, this is {}",
                                kOldestMajor, session.serverVersionText()),
                    session.databaseName(), "Leave --dbname out to get a scratch server.");
    }
    const pg::Result tables = session.query(
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE relkind IN ('r', 'p', 'v', 'm') AND nspname NOT LIKE 'pg\\_%' "
        "AND nspname <> 'information_schema'");
    if (tables.number(0, 0) == 0) return;
    throw Error(ErrorKind::Preflight,
                fmt::format("the database holds {} already, and demo data does not belong there",
                            counted(tables.number(0, 0), "table")),
                session.databaseName(),
                "Create an empty database for it, or leave --dbname out to get a scratch server.");
}

int fillGiven(ConnectionOptions connection, uint32_t jobs, const std::stop_token& stop) {
    try {
        askPasswordIfForced(connection, stop);
        try {
            requireFit(connection, stop);
        } catch (const Error& error) {
            if (!wantsPassword(error.info(), connection) || !askPassword(connection, stop)) throw;
            requireFit(connection, stop);
        }
    } catch (const Error& error) {
        printError(error.info());
        return refusalCode(error);
    }
    fill(connection, jobs, stop);
    printOut(describeDatabase(connection, stop));
    return kClean;
}

int fillScratch(scratch::ScratchOptions server, uint32_t jobs, const std::stop_token& stop) {
    server.onStep = [](std::string_view step) { printErr(fmt::format("{} …\n", step)); };
    scratch::ScratchServer running = scratch::ScratchServer::start(server, stop);
    ConnectionOptions connection;
    connection.database = running.info().conninfo();
    pg::Connection::open(connection, "gantryctl demo", stop)
        .execute("CREATE DATABASE " + pg::quoteIdentifier(kDatabase));
    connection.database = running.info().conninfo(std::string(kDatabase));
    printErr("filling the demo database …\n");
    fill(connection, jobs, stop);
    const std::string& target = connection.database;
    std::string text = describeDatabase(connection, stop);
    text += fmt::format("It is on scratch server \"{}\" (PostgreSQL {}).\n", running.info().name,
                        running.info().version);
    text += fmt::format("  Look:  {}\n", quoteForShell({"psql", target}));
    text += fmt::format("  Dump:  {}\n", quoteForShell({"gantryctl", "dump", "-d", target, "-f",
                                                        "demo.dump", "-j", "2"}));
    text += fmt::format("  Stop:  gantryctl scratch stop {}\n", running.info().name);
    running.release();
    printOut(text);
    return kClean;
}

}  // namespace

int demoCommand(const Words& words) {
    ConnectionOptions connection;
    scratch::ScratchOptions server;
    server.name = kServerName;
    std::optional<uint32_t> jobs;
    CommandSyntax syntax;
    syntax.name = "demo";
    syntax.purpose =
        "Fills a database with demo data: on a scratch server that it starts, or, with --dbname, "
        "in an empty database of yours.";
    syntax.table = options::connectionTable(connection);
    syntax.table.push_back(options::countOption(
        OptionGroup::Speed, {"jobs", 'j', "N|auto", "fill it over N connections"}, jobs));
    syntax.table.push_back(options::textOption(
        OptionGroup::Run, {"name", 0, "NAME", "what to call the scratch server (otherwise: demo)"},
        server.name));
    syntax.table.push_back(options::pathOption(
        OptionGroup::Run, {"pg-bindir", 0, "DIR", "the folder with the server programs to use"},
        server.binFolder));
    ParsedLine line = parseCommandLine(syntax, words);
    constexpr uint32_t kMostJobs = 64;
    if (jobs && (*jobs < 1 || *jobs > kMostJobs)) {
        line.problems.push_back(
            fmt::format("--jobs: {} is out of range. Choose 1 to {}, or auto.", *jobs, kMostJobs));
    }
    const bool given = !connection.database.empty();
    if (!given &&
        (!connection.host.empty() || !connection.port.empty() || !connection.user.empty())) {
        line.problems.emplace_back(
            "--host, --port and --username need --dbname, which names an empty database.");
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    const StopSignals signals;
    const uint32_t threads = jobs.value_or(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
    if (!given) return fillScratch(std::move(server), threads, signals.token());
    return fillGiven(std::move(connection), threads, signals.token());
}

}  // namespace gantry::headless
