// SPDX-License-Identifier: PostgreSQL
#include "tests/server/dump/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "tests/server/dump/round_trip.h"

namespace gantry::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kRowBytes = 1600;
constexpr int kGate = 7;  // an advisory lock
constexpr auto kLongestRun = 120s;
constexpr auto kCancelTime = 2s;

ChildOptions inBackground(const std::vector<std::string>& argv,
                          const std::map<std::string, std::string>& environment,
                          const fs::path& folder) {
    ChildOptions options;
    options.program = "/bin/sh";
    options.arguments = {"-c", "out=$1; err=$2; shift 2; exec \"$@\" >\"$out\" 2>\"$err\"", "sh",
                         (folder / "output").string(), (folder / "errors").string()};
    options.arguments.insert(options.arguments.end(), argv.begin(), argv.end());
    options.removeFromEnvironment = {"PGHOST",     "PGPORT",    "PGUSER",    "PGDATABASE",
                                     "PGPASSWORD", "PGSERVICE", "PGAPPNAME", "PGCONNECT_TIMEOUT"};
    options.environment = environment;
    options.environment.try_emplace("LC_ALL", "C");
    options.parentDeathSignal = SIGKILL;
    options.group = ChildOptions::Group::Own;
    return options;
}

}  // namespace

std::string readText(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const Cluster& sharedCluster() {
    static const Cluster cluster;
    return cluster;
}

std::string freshDatabase(const Cluster& cluster) {
    static int count = 0;
    const std::string name = fmt::format("faults_{}", ++count);
    cluster.createDatabase(name);
    return name;
}

void makeReader(const Cluster& cluster) {
    if (cluster.rows("SELECT FROM pg_roles WHERE rolname = 'reader'").empty()) {
        cluster.execute("CREATE ROLE reader LOGIN");
    }
}

std::vector<std::string> dumpCommand(const Cluster& cluster, const std::string& database,
                                     const fs::path& output, const std::vector<std::string>& more) {
    std::vector<std::string> words{gantryctl().string(),
                                   "dump",
                                   "--no-progress",
                                   "--no-sync",
                                   "--pg-bindir",
                                   clientToolsFor(cluster.major()).binFolder.string(),
                                   "-h",
                                   cluster.socketFolder().string(),
                                   "-p",
                                   std::to_string(cluster.port()),
                                   "-U",
                                   "postgres",
                                   "-d",
                                   database,
                                   "-f",
                                   output.string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

ToolResult runDumpTool(const Cluster& cluster, const std::string& database, const fs::path& output,
                       const std::vector<std::string>& more) {
    return runTool(dumpCommand(cluster, database, output, more), {}, kLongestRun);
}

BackgroundTool::BackgroundTool(const std::vector<std::string>& argv,
                               const std::map<std::string, std::string>& environment)
    : child_(ChildProcess::start(inBackground(argv, environment, folder_.path()))) {}

ToolResult BackgroundTool::wait() {
    const std::optional<ExitStatus> status = child_.waitFor(kLongestRun);
    if (!status) throw std::runtime_error("the program does not end: " + errorsSoFar());
    constexpr int kSignalBase = 128;
    return {status->signal != 0 ? kSignalBase + status->signal : status->code,
            readText(folder_ / "output"), errorsSoFar()};
}

std::string BackgroundTool::errorsSoFar() const { return readText(folder_ / "errors"); }

void waitUntil(const std::string& what, const std::function<bool()>& condition,
               std::chrono::seconds patience) {
    const auto giveUp = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > giveUp) {
            throw std::runtime_error("waited in vain: " + what);
        }
        std::this_thread::sleep_for(5ms);
    }
}

std::vector<int> dumpSessions(const Cluster& cluster, const std::string& like) {
    std::vector<int> pids;
    for (const auto& row : cluster.rows(
             fmt::format("SELECT pid FROM pg_stat_activity WHERE application_name LIKE '{}'"
                         " ORDER BY application_name, pid",
                         like))) {
        pids.push_back(std::stoi(row[0].value()));
    }
    return pids;
}

bool sessionsEnd(const Cluster& cluster) {
    const auto giveUp = std::chrono::steady_clock::now() + kCancelTime;
    while (!dumpSessions(cluster).empty()) {
        if (std::chrono::steady_clock::now() > giveUp) return false;
        std::this_thread::sleep_for(10ms);
    }
    return true;
}

std::vector<std::string> namesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

GatedDatabase::GatedDatabase(const Cluster& cluster, int megabytes, int gateRow)
    : name_(freshDatabase(cluster)) {
    makeReader(cluster);
    cluster.execute(fmt::format(R"(
        CREATE FUNCTION pass(row_number int) RETURNS boolean STABLE LANGUAGE plpgsql AS $$
        BEGIN
            IF row_number = {0} THEN
                WHILE NOT pg_try_advisory_lock_shared({1}) LOOP
                    PERFORM pg_sleep(0.01);
                END LOOP;
                PERFORM pg_advisory_unlock_shared({1});
            END IF;
            RETURN true;
        END $$;
        CREATE TABLE big (id int, amount numeric, filler text);
        INSERT INTO big SELECT i, i / 7.0, repeat(md5(i::text), {2} / 32)
            FROM generate_series(1, {3}) i;
        CREATE TABLE small (id int);
        INSERT INTO small SELECT generate_series(1, 10);
        ALTER TABLE big ENABLE ROW LEVEL SECURITY;
        CREATE POLICY gate ON big USING (pass(id));
        GRANT SELECT ON big, small TO reader;
        ANALYZE)",
                                gateRow, kGate, kRowBytes, megabytes * 1'000'000 / kRowBytes),
                    name_);
}

std::vector<std::string> GatedDatabase::options(const std::vector<std::string>& more) {
    std::vector<std::string> words{"-U", "reader", "--enable-row-security"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void endSession(const Cluster& cluster, int pid) {
    cluster.execute(fmt::format("SELECT pg_terminate_backend({})", pid));
    waitUntil("the end of a session", [&] {
        return cluster.value(
                   fmt::format("SELECT count(*) FROM pg_stat_activity WHERE pid = {}", pid)) == "0";
    });
}

Gate::Gate(const Cluster& cluster, const std::string& database)
    : cluster_(cluster),
      keeper_(pg::Connection::open(cluster.connection(database), "gate keeper", {})) {
    keeper_->execute(fmt::format("SELECT pg_advisory_lock({})", kGate));
}

int Gate::waitForArrival(const std::string& like) const {
    int pid = 0;
    waitUntil("a session at the gate", [&] {
        const Rows rows = cluster_.rows(
            fmt::format("SELECT pid FROM pg_stat_activity WHERE application_name LIKE '{}'"
                        " AND wait_event = 'PgSleep'",
                        like));
        if (!rows.empty()) pid = std::stoi(rows[0][0].value());
        return pid != 0;
    });
    return pid;
}

std::string contentOf(const Cluster& cluster, const std::string& database) {
    return cluster.value(
        "SELECT (SELECT count(*) || ' rows, ' || md5(string_agg(md5(b::text), '' ORDER BY id))"
        " FROM big b) || '; ' || (SELECT string_agg(id::text, ' ' ORDER BY id) FROM small)",
        database);
}

std::string restoredContent(const Cluster& cluster, const fs::path& archive,
                            const std::string& database) {
    const archive::Format format =
        archive.extension() == ".sql" ? archive::Format::Plain : archive::Format::Directory;
    restore(cluster, database, archive, format, clientToolsFor(cluster.major()));
    return contentOf(cluster, database);
}

}  // namespace gantry::test
