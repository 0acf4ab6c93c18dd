// SPDX-License-Identifier: PostgreSQL
#include "core/advise/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/processor_load.h"
#include "core/pg/connection_room.h"
#include "core/pg/environment.h"

namespace gantry::advise {
namespace {

using SteadyTime = std::chrono::steady_clock;

constexpr uint32_t kCoresOfUnknownServer = 4;
constexpr int kRoleThatReadsFiles = 11;  // pg_read_server_files
constexpr int kRoundTrips = 5;
constexpr uint64_t kUsualWorkers = 8;  // max_worker_processes and max_parallel_workers, untouched
constexpr std::size_t kWriteBlock = std::size_t{4} << 20;
constexpr uint64_t kMostWritten = uint64_t{512} << 20;

/// Empty if the server refuses to tell.
std::optional<pg::Result> ask(pg::Connection& connection, const std::string& sql) {
    try {
        return connection.query(sql);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Server || !error.info().connectionUsable) throw;
        return std::nullopt;
    }
}

class Settings {
public:
    explicit Settings(pg::Connection& connection) {
        const auto result =
            ask(connection,
                "SELECT name, setting, coalesce(unit, ''), source FROM pg_catalog.pg_settings"
                " WHERE name IN ('max_connections', 'max_worker_processes', 'max_parallel_workers',"
                " 'max_parallel_maintenance_workers', 'shared_buffers', 'maintenance_work_mem',"
                " 'wal_level', 'data_checksums', 'hot_standby_feedback',"
                " 'max_standby_streaming_delay')");
        if (!result) return;
        for (int row = 0; row < result->rows(); ++row) {
            rows_[result->string(row, 0)] = {.value = result->string(row, 1),
                                             .unit = result->string(row, 2),
                                             .touched = result->text(row, 3) != "default"};
        }
    }

    std::string text(const char* name) const {
        const auto found = rows_.find(name);
        return found == rows_.end() ? std::string() : found->second.value;
    }
    int64_t number(const char* name) const {
        const std::string value = text(name);
        return value.empty() ? 0 : std::strtoll(value.c_str(), nullptr, 10);
    }
    uint32_t count(const char* name) const {
        return static_cast<uint32_t>(std::max<int64_t>(number(name), 0));
    }
    uint64_t bytes(const char* name) const {
        const auto found = rows_.find(name);
        if (found == rows_.end()) return 0;
        // "8kB" stands for pages, "kB" for itself.
        const int64_t unit = std::max(std::strtoll(found->second.unit.c_str(), nullptr, 10), 1LL);
        return static_cast<uint64_t>(std::max<int64_t>(number(name), 0) * unit) * 1024;
    }
    bool touched(const char* name) const {
        const auto found = rows_.find(name);
        return found != rows_.end() && found->second.touched;
    }

private:
    struct Setting {
        std::string value;
        std::string unit;
        bool touched = false;
    };
    std::map<std::string, Setting> rows_;
};

/// Files of the server's machine, through the server: for superusers and members of
/// pg_read_server_files. Empty for everybody else.
ReadText filesOfServer(pg::Connection& connection) {
    if (connection.serverMajor() < kRoleThatReadsFiles) return {};
    const auto may =
        ask(connection,
            "SELECT r.rolsuper OR (pg_catalog.pg_has_role('pg_read_server_files', 'USAGE') AND"
            " pg_catalog.has_function_privilege("
            "'pg_catalog.pg_read_file(text, bigint, bigint, boolean)', 'EXECUTE'))"
            " FROM pg_catalog.pg_roles r WHERE r.rolname = current_user");
    if (!may || may->rows() == 0 || !may->boolean(0, 0)) return {};
    return [&connection](const std::string& path) -> std::optional<std::string> {
        // Files of the kernel have no size beforehand, so that one is named.
        const auto text = ask(connection, fmt::format("SELECT pg_catalog.pg_read_file({}, 0, "
                                                      "4000000, true)",
                                                      pg::quoteLiteral(path)));
        if (!text || text->rows() == 0 || text->isNull(0, 0)) return std::nullopt;
        return text->string(0, 0);
    };
}

/// Files of this machine, as the server's process sees them.
ReadText filesOfBackend(int32_t pid) {
    return [read = filesBelow(), pid](const std::string& path) {
        constexpr std::string_view kSelf = "/proc/self/";
        if (!path.starts_with(kSelf)) return read(path);
        return read(fmt::format("/proc/{}/{}", pid, path.substr(kSelf.size())));
    };
}

void lookAtServerMachine(pg::Connection& connection, const Settings& settings,
                         Surroundings& found) {
    const ReadText read =
        found.sameMachine ? filesOfBackend(connection.backendPid()) : filesOfServer(connection);
    if (read) {
        const std::optional<Processors> processors = readProcessors(read);
        if (processors) found.serverCores = processors->usable();
        found.serverMemory = readMemory(read);
    }
    if (found.serverCores) return;
    if (found.sameMachine) {
        found.serverCores = found.localCores;
        return;
    }
    // Whoever sizes a server sets these by its cores.
    for (const char* name : {"max_parallel_workers", "max_worker_processes"}) {
        if (!settings.touched(name) || settings.count(name) == kUsualWorkers) continue;
        if (settings.count(name) == 0) continue;
        found.serverCores = settings.count(name);
        found.serverCoresDoubt = fmt::format("its {} is {}, which is usually set to its cores",
                                             name, settings.count(name));
        return;
    }
}

void lookAtLoad(pg::Connection& connection, Surroundings& found) {
    // What others do is hidden from those without pg_read_all_stats: their state is NULL then.
    // Sessions in which Gantry itself takes a look, as this one does, are none of them.
    const auto load =
        ask(connection,
            "SELECT pg_catalog.count(*) FILTER (WHERE state = 'active'),"
            " pg_catalog.count(*) FILTER (WHERE state IS NULL AND datid IS NOT NULL"
            " AND coalesce(backend_type, 'client backend') = 'client backend'),"
            " pg_catalog.count(*) FILTER (WHERE query = '<insufficient privilege>')"
            " FROM pg_catalog.pg_stat_activity WHERE pid <> pg_catalog.pg_backend_pid()"
            " AND coalesce(backend_type, 'client backend') = 'client backend'"
            " AND application_name !~ '^gantry( advise| restore: check)?$'");
    if (load && load->number(0, 1) == 0 && load->number(0, 2) == 0) {
        found.busySessions = static_cast<uint32_t>(load->number(0, 0));
    }
}

void lookAtReplication(pg::Connection& connection, const Settings& settings, Surroundings& found) {
    const auto recovery = ask(connection, "SELECT pg_catalog.pg_is_in_recovery()");
    found.standby = recovery && recovery->boolean(0, 0);
    found.standbyFeedback = settings.text("hot_standby_feedback") == "on";
    if (const int64_t ms = settings.number("max_standby_streaming_delay"); ms >= 0) {
        found.standbyPatience = static_cast<double>(ms) / 1000;
    }
    const auto lag =
        ask(connection, found.standby
                            ? "SELECT CASE WHEN pg_catalog.pg_last_wal_receive_lsn() ="
                              " pg_catalog.pg_last_wal_replay_lsn() THEN 0 ELSE extract(epoch FROM"
                              " pg_catalog.now() - pg_catalog.pg_last_xact_replay_timestamp()) END"
                            : "SELECT pg_catalog.max(extract(epoch FROM replay_lag))"
                              " FROM pg_catalog.pg_stat_replication");
    if (lag && lag->rows() > 0 && !lag->isNull(0, 0)) found.replicationLag = lag->real(0, 0);
}

double measureRoundTrip(pg::Connection& connection) {
    std::vector<double> seconds;
    for (int i = 0; i < kRoundTrips; ++i) {
        const auto begin = SteadyTime::now();
        (void)connection.query("SELECT 1");
        seconds.push_back(secondsSince(begin));
    }
    std::nth_element(seconds.begin(), seconds.begin() + kRoundTrips / 2, seconds.end());
    return seconds[kRoundTrips / 2];
}

}  // namespace

double Surroundings::serverCoresLeft() const {
    const double cores = serverCores.value_or(kCoresOfUnknownServer);
    return std::max(1.0, cores - busySessions.value_or(0));
}

double Surroundings::sharedCoresLeft() const {
    const uint32_t cores = std::max(localCores, serverCores.value_or(localCores));
    return std::max(1.0, static_cast<double>(cores) - busySessions.value_or(0));
}

Surroundings collectSurroundings(pg::Connection& connection) {
    Surroundings found;
    found.serverMajor = connection.serverMajor();
    found.serverVersion = connection.serverVersionText();
    found.processors = readProcessors(filesBelow()).value_or(Processors{});
    found.localCores = usableProcessors();
    found.memory = readMemory(filesBelow());
    found.sameMachine = pg::runsHere(connection);
    found.server = connection.server();
    found.database = connection.databaseName();
    found.cluster = pg::systemIdentifier(connection);
    found.roundTrip = measureRoundTrip(connection);
    found.freeConnections = pg::connectionsLeft(connection);

    const Settings settings(connection);
    found.maxConnections = settings.count("max_connections");
    found.maxWorkerProcesses = settings.count("max_worker_processes");
    // Helpers are among the workers of parallel queries, and these among all.
    found.mostHelpers =
        std::min({settings.count("max_parallel_maintenance_workers"),
                  settings.count("max_parallel_workers"), found.maxWorkerProcesses});
    found.sharedBuffers = settings.bytes("shared_buffers");
    found.maintenanceWorkMem = settings.bytes("maintenance_work_mem");
    found.walLevel = settings.text("wal_level");
    found.checksums = settings.text("data_checksums") == "on";
    lookAtServerMachine(connection, settings, found);
    lookAtLoad(connection, found);
    lookAtReplication(connection, settings, found);
    return found;
}

Destination lookAtDestination(const std::filesystem::path& path) {
    std::filesystem::path folder = std::filesystem::absolute(path);
    std::error_code none;
    while (!std::filesystem::is_directory(folder, none) && folder.has_relative_path()) {
        folder = folder.parent_path();
    }
    folder = std::filesystem::weakly_canonical(folder, none);
    return {.folder = folder,
            .freeBytes = freeSpace(folder),
            .fileSystem = fileSystemOf(folder.string(), filesBelow())};
}

double measureWriteRate(const std::filesystem::path& folder, double seconds,
                        const std::stop_token& stop) {
    std::vector<uint64_t> noise(kWriteBlock / sizeof(uint64_t));
    uint64_t state = 0x9e3779b97f4a7c15;
    for (uint64_t& word : noise) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        word = state;
    }
    File file = File::createAnonymous(folder);
    const auto begin = SteadyTime::now();
    uint64_t written = 0;
    // Half of the time for what waits in memory to reach the disk.
    while (secondsSince(begin) < seconds / 2 && written < kMostWritten) {
        if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        file.writeAt(written, std::as_bytes(std::span(noise)));
        file.startWriteback(written, kWriteBlock);
        written += kWriteBlock;
    }
    file.sync();
    return static_cast<double>(written) / std::max(secondsSince(begin), 1e-6);
}

}  // namespace gantry::advise
