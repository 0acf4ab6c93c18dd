// SPDX-License-Identifier: PostgreSQL
#include "tests/support/cluster.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "core/base/child_process.h"

namespace gantry::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kToolTimeout = 120s;
constexpr auto kStartTimeout = 60s;
constexpr auto kStopTimeout = 60s;
constexpr int kSocketPort = 5432;
constexpr int kFlushesStatistics = 150000;  // when it is told to
constexpr std::string_view kFolderPrefix = "gantry-cluster-";

// Autovacuum would make statistics, and so plans, a matter of chance.
constexpr std::string_view kSettings = R"(
listen_addresses = ''
unix_socket_permissions = 0700
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = '4GB'
checkpoint_timeout = '30min'
shared_buffers = '64MB'
max_connections = 100
max_locks_per_transaction = 256
autovacuum = off
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] %q%a@%d '
)";

using ConnectionPointer = std::unique_ptr<PGconn, void (*)(PGconn*)>;
using ResultPointer = std::unique_ptr<PGresult, void (*)(PGresult*)>;

/// Whom the server runs as: PostgreSQL refuses root.
std::optional<UserIdentity> serverUser() {
    if (::geteuid() != 0) return std::nullopt;
    for (const char* name : {"postgres", "nobody"}) {
        if (const std::optional<UserIdentity> user = findUser(name)) return user;
    }
    throw std::runtime_error("there is neither a user postgres nor nobody to run a server as");
}

void handOver(const fs::path& folder, const std::optional<UserIdentity>& user) {
    if (user && ::chown(folder.c_str(), user->uid, user->gid) != 0) {
        throw std::runtime_error("cannot hand over " + folder.string());
    }
}

void runAsServerUser(const fs::path& program, std::vector<std::string> arguments) {
    ChildOptions options;
    options.program = program;
    options.arguments = std::move(arguments);
    options.workingFolder = "/";
    options.runAs = serverUser();
    options.removeFromEnvironment = {"PGDATA", "LC_ALL", "LANG"};
    options.parentDeathSignal = SIGKILL;
    const ChildResult result = runToEnd(options, kToolTimeout);
    if (result.status.success()) return;
    throw std::runtime_error(fmt::format("{} {}: {}{}", program.string(), result.status.describe(),
                                         result.output, result.errors));
}

/// Folders of test programs that were killed; ours carry the number of the process.
void removeLeftovers() {
    std::error_code ignored;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::temp_directory_path(), ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kFolderPrefix)) continue;
        pid_t pid = 0;
        std::from_chars(name.data() + kFolderPrefix.size(), name.data() + name.size(), pid);
        if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

fs::path makeFolder(const std::string& prefix, const std::optional<UserIdentity>& user) {
    std::string pattern = (fs::temp_directory_path() / (prefix + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    handOver(pattern, user);
    return pattern;
}

/// The data folder of a fresh cluster, made once and then copied. Test programs that race for it
/// each make one; the first to finish wins.
fs::path templateFor(const ServerPrograms& programs, const ClusterOptions& options) {
    const std::size_t place = std::hash<std::string>{}(fs::canonical(programs.binFolder).string());
    const fs::path finished = fs::temp_directory_path() /
                              fmt::format("gantry-template-{}-{}-{}-{}-{:x}", ::geteuid(),
                                          programs.major, options.encoding, options.locale, place);
    if (fs::exists(finished / "PG_VERSION")) return finished;
    const fs::path work = makeFolder("gantry-initdb-", serverUser());
    runAsServerUser(programs.tool("initdb"),
                    {"-D", work.string(), "-U", "postgres", "-A", "trust", "-E", options.encoding,
                     "--locale=" + options.locale, "--no-sync"});
    std::error_code error;
    fs::rename(work, finished, error);
    if (error) fs::remove_all(work);
    return finished;
}

/// Free at this moment; whoever takes it in between makes the start fail, and another be tried.
int freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound = ::bind(fd, generic, size) == 0 && ::getsockname(fd, generic, &size) == 0;
    ::close(fd);
    if (!bound) throw std::runtime_error("no free port on 127.0.0.1");
    return ntohs(address.sin_port);
}

/// For a conninfo string.
std::string quoteValue(const std::string& value) {
    std::string quoted = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

ClusterOptions optionsFor(int major) {
    ClusterOptions options;
    options.major = major;
    return options;
}

std::string readText(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

ResultPointer run(const std::string& conninfo, const std::string& sql) {
    const ConnectionPointer connection(PQconnectdb(conninfo.c_str()), PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK) {
        throw std::runtime_error(PQerrorMessage(connection.get()));
    }
    PQsetNoticeProcessor(
        connection.get(), [](void*, const char*) {}, nullptr);
    ResultPointer result(PQexec(connection.get(), sql.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        throw std::runtime_error(fmt::format("{}{}", PQerrorMessage(connection.get()), sql));
    }
    // A session tells the statistics when it ends, which is after who used it has gone on.
    if (PQserverVersion(connection.get()) >= kFlushesStatistics) {
        PQclear(PQexec(connection.get(), "SELECT pg_catalog.pg_stat_force_next_flush()"));
    }
    return result;
}

}  // namespace

struct Cluster::State {
    ClusterOptions options;
    ServerPrograms programs;
    fs::path folder;
    fs::path dataFolder;
    int port = kSocketPort;
    std::optional<ChildProcess> process;

    ~State() {
        if (process) {
            process->signal(SIGQUIT);
            if (!process->waitFor(kStopTimeout)) process->signal(SIGKILL);
            process.reset();
        }
        std::error_code ignored;
        if (!folder.empty()) fs::remove_all(folder, ignored);
    }

    std::string conninfo(const std::string& host, const std::string& database) const {
        return fmt::format("host={} port={} user=postgres dbname={}", host, port,
                           quoteValue(database));
    }
    void write(const std::vector<std::string>& lines) const {
        std::ofstream file(dataFolder / "postgresql.conf", std::ios::app);
        for (const std::string& line : lines) file << line << '\n';
        file.close();
        if (!file) throw std::runtime_error("cannot write postgresql.conf");
    }
    /// False if it ended at once, for instance because somebody has the port.
    bool launch();
};

bool Cluster::State::launch() {
    if (options.tcp) {
        port = freePort();
        write({"listen_addresses = '127.0.0.1'", fmt::format("port = {}", port)});
    }
    ChildOptions child;
    child.program = programs.tool("postgres");
    child.arguments = {"-D", dataFolder.string()};
    child.workingFolder = folder;
    child.removeFromEnvironment = {"PGDATA", "PGPORT", "PGOPTIONS"};
    child.logFile = folder / "server.log";
    child.runAs = serverUser();
    child.group = ChildOptions::Group::Own;
    child.parentDeathSignal = SIGQUIT;
    process.emplace(ChildProcess::start(child));

    const std::string target = conninfo(folder.string(), "postgres");
    const auto giveUp = std::chrono::steady_clock::now() + kStartTimeout;
    while (PQping(target.c_str()) != PQPING_OK) {
        if (process->waitFor(5ms)) {
            process.reset();
            return false;
        }
        if (std::chrono::steady_clock::now() > giveUp) {
            throw std::runtime_error("the server does not accept connections: " +
                                     readText(folder / "server.log"));
        }
    }
    return true;
}

Cluster::Cluster(int major) : Cluster(optionsFor(major)) {}

Cluster::Cluster(ClusterOptions options) : state_(std::make_unique<State>()) {
    State& state = *state_;
    state.options = std::move(options);
    state.programs = state.options.major != 0 ? requireServer(state.options.major) : newestServer();
    const fs::path model = templateFor(state.programs, state.options);
    removeLeftovers();
    state.folder = makeFolder(fmt::format("{}{}-", kFolderPrefix, ::getpid()), serverUser());
    state.dataFolder = state.folder / "data";
    runAsServerUser("cp", {"-a", model.string(), state.dataFolder.string()});
    std::vector<std::string> lines{
        std::string(kSettings), fmt::format("port = {}", kSocketPort),
        fmt::format("unix_socket_directories = '{}'", state.folder.string())};
    lines.insert(lines.end(), state.options.settings.begin(), state.options.settings.end());
    state.write(lines);
    if (state.options.start) start();
}

Cluster::~Cluster() = default;

int Cluster::major() const { return state_->programs.major; }
const ServerPrograms& Cluster::programs() const { return state_->programs; }
const fs::path& Cluster::dataFolder() const { return state_->dataFolder; }
const fs::path& Cluster::socketFolder() const { return state_->folder; }
int Cluster::port() const { return state_->port; }

std::string Cluster::conninfo(const std::string& database) const {
    return state_->conninfo(state_->folder.string(), database);
}

std::string Cluster::tcpConninfo(const std::string& database) const {
    if (!state_->options.tcp) throw std::runtime_error("this cluster has no TCP port");
    return state_->conninfo("127.0.0.1", database);
}

options::ConnectionOptions Cluster::connection(const std::string& database) const {
    options::ConnectionOptions connection;
    connection.database = database;
    connection.host = state_->folder.string();
    connection.port = std::to_string(state_->port);
    connection.user = "postgres";
    return connection;
}

std::map<std::string, std::string> Cluster::environment(const std::string& database) const {
    return {{"PGHOST", state_->folder.string()},
            {"PGPORT", std::to_string(state_->port)},
            {"PGUSER", "postgres"},
            {"PGDATABASE", database}};
}

void Cluster::execute(const std::string& sql, const std::string& database) const {
    run(conninfo(database), sql);
}

Rows Cluster::rows(const std::string& sql, const std::string& database) const {
    const ResultPointer result = run(conninfo(database), sql);
    Rows rows(static_cast<std::size_t>(PQntuples(result.get())));
    for (int row = 0; row < PQntuples(result.get()); ++row) {
        for (int column = 0; column < PQnfields(result.get()); ++column) {
            std::optional<std::string>& field =
                rows[static_cast<std::size_t>(row)].emplace_back(std::nullopt);
            if (PQgetisnull(result.get(), row, column) == 1) continue;
            field.emplace(PQgetvalue(result.get(), row, column),
                          static_cast<std::size_t>(PQgetlength(result.get(), row, column)));
        }
    }
    return rows;
}

std::string Cluster::value(const std::string& sql, const std::string& database) const {
    const Rows all = rows(sql, database);
    if (all.size() != 1 || all[0].size() != 1) {
        throw std::runtime_error(fmt::format("{} rows instead of one field: {}", all.size(), sql));
    }
    return all[0][0].value_or("");
}

void Cluster::createDatabase(const std::string& name, const std::string& extra) const {
    std::string quoted;
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    execute(fmt::format("CREATE DATABASE \"{}\" TEMPLATE template0 {}", quoted, extra));
}

void Cluster::start() {
    if (state_->process) return;
    constexpr int kAttempts = 5;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        if (state_->launch()) return;
        if (!state_->options.tcp) break;
    }
    throw std::runtime_error("the server does not start: " + log());
}

void Cluster::stop(StopMode mode) {
    if (!state_->process) return;
    state_->process->signal(mode == StopMode::Fast ? SIGINT : SIGQUIT);
    if (!state_->process->waitFor(kStopTimeout)) {
        throw std::runtime_error("the server does not stop: " + log());
    }
    state_->process.reset();
}

void Cluster::restart(StopMode mode) {
    stop(mode);
    start();
}

void Cluster::configure(const std::vector<std::string>& lines) {
    const char* const loadedAt = "SELECT pg_conf_load_time()";
    const std::string before = state_->process ? value(loadedAt) : "";
    state_->write(lines);
    if (!state_->process) return;
    execute("SELECT pg_reload_conf()");
    while (value(loadedAt) == before) std::this_thread::sleep_for(5ms);
}

pid_t Cluster::pid() const { return state_->process ? state_->process->pid() : 0; }

std::string Cluster::log() const { return readText(state_->folder / "server.log"); }

}  // namespace gantry::test
