// SPDX-License-Identifier: PostgreSQL
#include "core/scratch/scratch_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/pg/client_tools.h"

namespace gantry::scratch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr std::string_view kPort = "5432";
constexpr std::string_view kSuperuser = "postgres";
constexpr auto kInitTimeout = 120s;
constexpr auto kStartTimeout = 60s;
constexpr auto kRecoveryTimeout = 600s;  // up to max_wal_size is read again after a crash
constexpr auto kStopTimeout = 20s;
constexpr std::size_t kLongestName = 32;

// Nothing here has to survive a crash; what a test or a demo wants is speed and room for many
// tables in one transaction.
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
shared_buffers = '256MB'
max_connections = 200
max_locks_per_transaction = 256
)";

bool isGoodName(std::string_view name) {
    constexpr std::string_view kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::string readText(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string lastLines(const fs::path& path, std::size_t count) {
    const std::string text = readText(path);
    std::size_t begin = text.size();
    while (begin > 0 && count > 0) {
        begin = text.rfind('\n', begin - 1);
        if (begin == std::string::npos) return text;
        --count;
    }
    return text.substr(std::min(begin + 1, text.size()));
}

/// The user that a server of ours runs as: PostgreSQL refuses root.
std::optional<UserIdentity> serverUser() {
    if (::geteuid() != 0) return std::nullopt;
    for (const char* name : {"postgres", "nobody"}) {
        if (const std::optional<UserIdentity> user = findUser(name)) return user;
    }
    throw Error(ErrorKind::Preflight,
                "PostgreSQL does not run as root, and there is neither a user \"postgres\" nor "
                "\"nobody\" to run it as",
                {}, "Start it as an ordinary user.");
}

/// The base folder must be ours alone to write to: it lies where anybody could have made it.
void prepareBase(const fs::path& base) {
    if (base.has_parent_path()) fs::create_directories(base.parent_path());
    // Root's servers run as another user, who has to get through.
    const mode_t mode = ::geteuid() == 0 ? 0711 : 0700;
    if (::mkdir(base.c_str(), mode) != 0 && errno != EEXIST) {
        throw systemError("make the folder", base.string(), errno);
    }
    struct stat facts {};
    if (::lstat(base.c_str(), &facts) != 0) throw systemError("read", base.string(), errno);
    if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 022) != 0) {
        throw Error(
            ErrorKind::Preflight, "this folder belongs to somebody else, or others may write to it",
            base.string(), "Remove it, or name another one with the variable GANTRY_SCRATCH_DIR.");
    }
}

/// An flock that is let go with its owner, at the latest with the process.
class FolderLock {
public:
    static std::optional<FolderLock> tryTake(const fs::path& folder) {
        constexpr mode_t kPrivate = 0600;
        const int fd =
            ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kPrivate);
        if (fd < 0) throw systemError("open the lock", (folder / "lock").string(), errno);
        FolderLock lock{File(fd, folder / "lock")};
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
        return lock;
    }

private:
    explicit FolderLock(File file) : file_(std::move(file)) {}
    File file_;
};

/// The server's own note of its process; 0 if it has none.
pid_t serverPid(const ScratchInfo& info) {
    const std::string text = readText(info.dataFolder() / "postmaster.pid");
    pid_t pid = 0;
    std::from_chars(text.data(), text.data() + text.size(), pid);
    return pid;
}

bool isProcessAlive(pid_t pid) {
    if (pid <= 1 || (::kill(pid, 0) != 0 && errno != EPERM)) return false;
    // Ended, but nobody takes note: in a container the first process may not care for orphans.
    const std::string facts = readText(fmt::format("/proc/{}/stat", pid));
    const std::size_t nameEnd = facts.rfind(')');
    return nameEnd == std::string::npos || !facts.substr(nameEnd).starts_with(") Z");
}

PGPing ping(const ScratchInfo& info) { return PQping(info.conninfo().c_str()); }

/// The pid file alone would be fooled by another process that got the number after a reboot.
bool isServerAlive(const ScratchInfo& info) {
    return isProcessAlive(serverPid(info)) && ping(info) != PQPING_NO_RESPONSE;
}

ScratchInfo readInfo(const fs::path& folder) {
    ScratchInfo info;
    info.name = folder.filename().string();
    info.folder = folder;
    const Json facts = Json::parse(readText(folder / "server.json"), nullptr, false);
    if (facts.is_object()) {
        info.version = facts.value("version", "");
        info.binFolder = facts.value("bin_folder", "");
        info.accompanied = facts.value("accompanied", false);
    }
    if (isServerAlive(info) && !info.version.empty()) {
        info.state = ScratchState::Running;
    } else if (!FolderLock::tryTake(folder)) {
        info.state = ScratchState::Starting;
    }
    return info;
}

void removeFolder(const fs::path& folder) {
    // The marker goes last: what is half removed is still found by list and stop.
    std::error_code error;
    for (const char* part : {"data", "socket", "server.log", "server.json", "lock"}) {
        // A process that was just killed may still be finishing its last call, a file in this.
        constexpr int kMostTries = 100;
        for (int tries = 0; tries < kMostTries; ++tries) {
            fs::remove_all(folder / part, error);
            if (error != std::errc::directory_not_empty) break;
            std::this_thread::sleep_for(10ms);
        }
        if (error) throw systemError("remove", (folder / part).string(), error.value());
    }
    fs::remove(folder, error);
    if (error) throw systemError("remove", folder.string(), error.value());
}

/// Ends a server that need not be our child. At once, without a checkpoint: its files go anyway.
void endServer(const ScratchInfo& info) {
    const pid_t pid = serverPid(info);
    if (!isServerAlive(info)) return;
    for (const int signal : {SIGQUIT, SIGKILL}) {
        ::kill(pid, signal);
        const auto giveUp = std::chrono::steady_clock::now() + kStopTimeout;
        while (isProcessAlive(pid) && std::chrono::steady_clock::now() < giveUp) {
            std::this_thread::sleep_for(10ms);
        }
        if (!isProcessAlive(pid)) return;
    }
    throw Error(ErrorKind::Io, fmt::format("the server's process {} does not end", pid), info.name);
}

/// Interrupted starts and servers whose process is gone with them: nobody can want these back.
void purgeLeftovers(const fs::path& base) {
    for (const ScratchInfo& info : listServers(base)) {
        if (info.state != ScratchState::LeftBehind || info.canStartAgain()) continue;
        if (const std::optional<FolderLock> lock = FolderLock::tryTake(info.folder)) {
            endServer(info);
            removeFolder(info.folder);
        }
    }
}

fs::path makeNamedFolder(const fs::path& base, const std::string& wanted) {
    constexpr int kMostServers = 1000;
    for (int number = 1; number <= kMostServers; ++number) {
        const fs::path folder =
            base / (wanted.empty() ? fmt::format("scratch-{}", number) : wanted);
        if (::mkdir(folder.c_str(), 0700) == 0) return folder;
        if (errno != EEXIST) throw systemError("make the folder", folder.string(), errno);
        if (!wanted.empty()) {
            throw Error(ErrorKind::Preflight, "a scratch server of this name exists already",
                        wanted,
                        fmt::format("Stop it first (gantryctl scratch stop {}), or choose another "
                                    "name.",
                                    wanted));
        }
    }
    throw Error(ErrorKind::Preflight, "there are too many scratch servers", base.string(),
                "Stop some of them: gantryctl scratch stop NAME.");
}

fs::path baseFolderOf(const ScratchOptions& options) {
    return options.baseFolder.empty() ? usualBaseFolder() : options.baseFolder;
}

std::string removalHint(std::string_view name) {
    return fmt::format("\"gantryctl scratch stop {}\" removes it with all that is in it.", name);
}

/// Where a server of this name lies; throws Error{Preflight} if there is none.
fs::path findFolder(const fs::path& base, const std::string& name) {
    if (isGoodName(name) && fs::is_directory(base / name)) return base / name;
    throw Error(ErrorKind::Preflight, "there is no scratch server of this name", name,
                "\"gantryctl scratch list\" shows all of them.");
}

/// The programs that can run what is in the data folder: only those of its major version.
pg::Installation findProgramsFor(const ScratchInfo& info, const fs::path& namedFolder) {
    const std::string text = readText(info.dataFolder() / "PG_VERSION");
    int major = 0;
    std::from_chars(text.data(), text.data() + text.size(), major);
    if (major == 0) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("it cannot be started again: {} is not a whole data directory, its "
                                "file PG_VERSION is missing or broken",
                                info.dataFolder().string()),
                    info.name, removalHint(info.name));
    }
    std::vector<pg::Installation> found;
    if (namedFolder.empty()) found = pg::inspectFolders({info.binFolder});
    const std::vector<pg::Installation> others = pg::findInstallations(namedFolder);
    found.insert(found.end(), others.begin(), others.end());
    for (const pg::Installation& installation : found) {
        if (installation.major == major && installation.has("postgres")) return installation;
    }
    throw Error(ErrorKind::Preflight,
                fmt::format("it cannot be started again: its files are of PostgreSQL {}, and there "
                            "are no server programs of that version in {}",
                            major, namedFolder.empty() ? "any usual place" : namedFolder.string()),
                info.name,
                fmt::format("Install them, or name their folder with --pg-bindir; {}",
                            removalHint(info.name)));
}

/// PostgreSQL sees by itself that a note of its process is stale, unless that process has ended but
/// nobody took note of it. Only its parent can: us, or in a container a first process that may not.
void forgetEndedProcess(const ScratchInfo& info) {
    const pid_t pid = serverPid(info);
    if (pid <= 1) return;
    ::waitpid(pid, nullptr, WNOHANG);
    if (::kill(pid, 0) != 0 || isProcessAlive(pid)) return;
    std::error_code ignored;  // the server says what is in its way
    fs::remove(info.dataFolder() / "postmaster.pid", ignored);
    fs::remove(info.socketFolder() / fmt::format(".s.PGSQL.{}.lock", kPort), ignored);
}

void checkSocketLength(const ScratchInfo& info) {
    const std::string socket = (info.socketFolder() / fmt::format(".s.PGSQL.{}", kPort)).string();
    if (socket.size() < sizeof(sockaddr_un::sun_path)) return;
    throw Error(ErrorKind::Preflight, "this path is too long for a socket", socket,
                "Name a shorter folder with the variable GANTRY_SCRATCH_DIR.");
}

}  // namespace

std::string_view toString(ScratchState state) {
    switch (state) {
        case ScratchState::Starting:
            return "starting";
        case ScratchState::Running:
            return "running";
        case ScratchState::LeftBehind:
            return "left behind";
    }
    return "";
}

std::string ScratchInfo::conninfo(const std::string& database) const {
    std::string host = "'";
    for (const char c : socketFolder().string()) {
        if (c == '\'' || c == '\\') host += '\\';
        host += c;
    }
    host += '\'';
    if (socketFolder().string().find_first_of(" '\\") == std::string::npos) {
        host = socketFolder().string();
    }
    return fmt::format("host={} port={} user={} dbname={}", host, kPort, kSuperuser, database);
}

struct ScratchServer::State {
    ScratchInfo info;
    std::optional<FolderLock> lock;
    std::optional<UserIdentity> user;
    std::optional<ChildProcess> process;
    bool again = false;  ///< its files are older than us, and not ours to remove
    bool released = false;

    ~State() {
        if (released || info.folder.empty()) return;
        try {
            if (process) {
                // With a checkpoint only where the files are kept.
                process->signal(again ? SIGINT : SIGQUIT);
                if (!process->waitFor(kStopTimeout)) process->end(Duration::zero());
            }
            if (!again) removeFolder(info.folder);
        } catch (const Error&) {
            // What is still there shows in the list, and stopping it says why.
        }
    }

    void makeFolders();
    void makeCluster(const pg::Installation& installation, std::stop_token stop);
    void writeSettings(const std::vector<std::string>& further);
    void launch(const pg::Installation& installation, std::stop_token stop);
    void writeFacts(const pg::Installation& installation);
};

void ScratchServer::State::makeFolders() {
    fs::create_directory(info.socketFolder());
    fs::create_directory(info.dataFolder());
    for (const fs::path& folder : {info.socketFolder(), info.dataFolder(), info.folder}) {
        fs::permissions(folder, fs::perms::owner_all);
        if (user && ::chown(folder.c_str(), user->uid, user->gid) != 0) {
            throw systemError("hand over the folder", folder.string(), errno);
        }
    }
}

void ScratchServer::State::makeCluster(const pg::Installation& installation, std::stop_token stop) {
    ChildOptions options;
    options.program = installation.tools.at("initdb");
    options.arguments = {"-D",         info.dataFolder().string(),
                         "-U",         std::string(kSuperuser),
                         "-A",         "trust",
                         "-E",         "UTF8",
                         "--locale=C", "--no-sync"};
    options.workingFolder = info.folder;
    options.removeFromEnvironment = {"PGDATA", "LC_ALL", "LANG"};
    options.runAs = user;
    options.group = ChildOptions::Group::Own;
    options.parentDeathSignal = SIGTERM;
    const ChildResult result = runToEnd(options, kInitTimeout, stop);
    if (!result.status.success()) {
        throw Error(ErrorKind::Io,
                    fmt::format("initdb {}: {}", result.status.describe(), result.errors),
                    options.program.string());
    }
}

void ScratchServer::State::writeSettings(const std::vector<std::string>& further) {
    const fs::path path = info.dataFolder() / "postgresql.conf";
    std::ofstream file(path, std::ios::app);
    std::string socketFolder;
    for (const char c : info.socketFolder().string()) {
        if (c == '\'') socketFolder += '\'';
        socketFolder += c;
    }
    file << kSettings << "port = " << kPort << "\nunix_socket_directories = '" << socketFolder
         << "'\n";
    for (const std::string& line : further) file << line << '\n';
    file.close();
    if (!file) throw Error(ErrorKind::Io, "cannot write the settings", path.string());
}

void ScratchServer::State::launch(const pg::Installation& installation, std::stop_token stop) {
    ChildOptions options;
    options.program = installation.tools.at("postgres");
    options.arguments = {"-D", info.dataFolder().string()};
    options.workingFolder = info.folder;
    options.removeFromEnvironment = {"PGDATA", "PGPORT", "PGOPTIONS"};
    options.logFile = info.logFile();
    options.runAs = user;
    // Away from the terminal: Ctrl-C there is meant for us, not for the server.
    options.group = info.accompanied ? ChildOptions::Group::Own : ChildOptions::Group::OwnSession;
    options.parentDeathSignal = info.accompanied ? SIGQUIT : 0;
    process.emplace(ChildProcess::start(options));

    const auto giveUp =
        std::chrono::steady_clock::now() + (again ? kRecoveryTimeout : kStartTimeout);
    constexpr std::size_t kLinesShown = 5;
    while (ping(info) != PQPING_OK) {
        if (const auto status = process->waitFor(50ms, stop)) {
            throw Error(ErrorKind::Io,
                        fmt::format("the server {} while starting; the end of its log: {}",
                                    status->describe(), lastLines(info.logFile(), kLinesShown)),
                        options.program.string());
        }
        if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        if (std::chrono::steady_clock::now() > giveUp) {
            throw Error(ErrorKind::Io,
                        fmt::format("the server does not accept connections; the end of its log: "
                                    "{}",
                                    lastLines(info.logFile(), kLinesShown)),
                        options.program.string());
        }
    }
}

void ScratchServer::State::writeFacts(const pg::Installation& installation) {
    info.state = ScratchState::Running;
    info.version = installation.version;
    info.binFolder = installation.binFolder.string();
    const Json facts{{"version", info.version},
                     {"bin_folder", info.binFolder},
                     {"accompanied", info.accompanied}};
    std::ofstream file(info.folder / "server.json");
    file << facts.dump() << '\n';
    file.close();
    if (!file) {
        throw Error(ErrorKind::Io, "cannot write", (info.folder / "server.json").string());
    }
}

ScratchServer::ScratchServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
ScratchServer::ScratchServer(ScratchServer&&) noexcept = default;
ScratchServer& ScratchServer::operator=(ScratchServer&&) noexcept = default;
ScratchServer::~ScratchServer() = default;

const ScratchInfo& ScratchServer::info() const { return state_->info; }

bool ScratchServer::startedAgain() const { return state_->again; }

void ScratchServer::release() {
    state_->process->detach();
    state_->released = true;
    state_->lock.reset();
}

ScratchServer ScratchServer::start(const ScratchOptions& options, std::stop_token stop) {
    const auto step = [&options](std::string_view text) {
        if (options.onStep) options.onStep(text);
    };
    if (!options.name.empty() && !isGoodName(options.name)) {
        throw Error(ErrorKind::Preflight, "this is not a name for a scratch server", options.name,
                    "Use letters, digits, - and _, at most 32.");
    }
    const fs::path base = baseFolderOf(options);
    if (!options.name.empty() && fs::is_directory(base / options.name) &&
        readInfo(base / options.name).canStartAgain()) {
        return startAgain(options, std::move(stop));
    }
    const std::vector<pg::Installation> installations = pg::findInstallations(options.binFolder);
    const pg::Installation& installation = pg::newestServer(installations);
    auto state = std::make_unique<State>();
    state->user = serverUser();
    prepareBase(base);
    purgeLeftovers(base);

    state->info.folder = makeNamedFolder(base, options.name);
    state->info.name = state->info.folder.filename().string();
    state->info.accompanied = options.accompany;
    state->lock = FolderLock::tryTake(state->info.folder);
    checkSocketLength(state->info);
    state->makeFolders();
    step(fmt::format("making the files of a PostgreSQL {} server", installation.version));
    state->makeCluster(installation, stop);
    state->writeSettings(options.settings);
    step("starting it");
    state->launch(installation, stop);
    state->writeFacts(installation);
    return ScratchServer(std::move(state));
}

ScratchServer ScratchServer::startAgain(const ScratchOptions& options, std::stop_token stop) {
    const fs::path base = baseFolderOf(options);
    const fs::path folder = findFolder(base, options.name);
    prepareBase(base);
    auto state = std::make_unique<State>();
    state->again = true;
    state->info = readInfo(folder);
    if (state->info.state == ScratchState::LeftBehind && !state->info.canStartAgain()) {
        throw Error(ErrorKind::Preflight,
                    "it cannot be started again: it never came up, or was to end with the process "
                    "that started it",
                    options.name, removalHint(options.name));
    }
    if (state->info.state == ScratchState::LeftBehind) state->lock = FolderLock::tryTake(folder);
    // Another process may have been quicker.
    if (!state->lock || isServerAlive(state->info)) {
        throw Error(ErrorKind::Preflight, "this scratch server runs already, or is just starting",
                    options.name, "\"gantryctl scratch list\" shows how to reach it.");
    }
    state->user = serverUser();
    const pg::Installation installation = findProgramsFor(state->info, options.binFolder);
    forgetEndedProcess(state->info);
    // server.json stays as it is: half written, it would make this look like a failed start.
    state->info.accompanied = options.accompany;
    if (options.onStep) {
        options.onStep(fmt::format("starting \"{}\", which was left behind, again", options.name));
    }
    try {
        state->launch(installation, std::move(stop));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        throw Error(error.kind(),
                    fmt::format("it cannot be started again: {}", error.info().message),
                    options.name,
                    fmt::format("See {} for more; {}", state->info.logFile().string(),
                                removalHint(options.name)));
    }
    state->info.state = ScratchState::Running;
    state->info.version = installation.version;
    state->info.binFolder = installation.binFolder.string();
    return ScratchServer(std::move(state));
}

fs::path usualBaseFolder() {
    const char* named = std::getenv("GANTRY_SCRATCH_DIR");
    if (named != nullptr && *named != '\0') return fs::absolute(named);
    // Not /tmp, which may live in memory.
    return fmt::format("/var/tmp/gantry-{}", ::geteuid());
}

std::vector<ScratchInfo> listServers(const fs::path& baseFolder) {
    const fs::path base = baseFolder.empty() ? usualBaseFolder() : baseFolder;
    std::vector<ScratchInfo> servers;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(base, error)) {
        if (!entry.is_directory(error) || !isGoodName(entry.path().filename().string())) continue;
        servers.push_back(readInfo(entry.path()));
    }
    std::sort(servers.begin(), servers.end(),
              [](const ScratchInfo& a, const ScratchInfo& b) { return a.name < b.name; });
    return servers;
}

void stopServer(const std::string& name, const fs::path& baseFolder) {
    const fs::path base = baseFolder.empty() ? usualBaseFolder() : baseFolder;
    const fs::path folder = findFolder(base, name);
    const ScratchInfo info = readInfo(folder);
    if (info.state == ScratchState::Starting) {
        throw Error(ErrorKind::Preflight, "this scratch server is just being started", name,
                    "Stop it when it is up, or press Ctrl-C where it is being started.");
    }
    endServer(info);
    removeFolder(folder);
}

}  // namespace gantry::scratch
