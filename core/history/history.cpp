// SPDX-License-Identifier: PostgreSQL
#include "core/history/history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/events/run_log.h"
#include "core/history/run_rows.h"
#include "core/history/schema.h"

namespace gantry::history {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOpenExtension = ".jsonl";
constexpr const char* kClosedExtension = ".jsonl.zst";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

fs::path homeFolder() {
    if (const std::string home = environment("HOME"); !home.empty()) return home;
    const struct passwd* user = ::getpwuid(::geteuid());
    return user == nullptr ? "/" : user->pw_dir;
}

uint64_t inodeOf(const fs::path& file) {
    struct stat found {};
    return ::stat(file.c_str(), &found) == 0 ? static_cast<uint64_t>(found.st_ino) : 0;
}

void makeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw systemError("create the folder", folder.string(), error.value());
    fs::permissions(folder, fs::perms::owner_all, error);  // names of objects are in there
}

/// Held for a scope, among processes.
class FolderLock {
public:
    explicit FolderLock(const fs::path& folder)
        : file_(::open((folder / "history.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600),
                folder / "history.lock") {
        if (!file_.isOpen()) throw systemError("open", file_.path().string(), errno);
        ::flock(file_.descriptor(), LOCK_EX);
    }

private:
    File file_;
};

uint64_t sizeOf(const fs::path& file) {
    std::error_code error;
    const uintmax_t size = fs::file_size(file, error);
    return error ? 0 : size;
}

/// The name of a log's file without its extension; empty for other files.
std::string logName(const fs::path& file, const std::string& extension) {
    std::string name = file.filename().string();
    if (!name.ends_with(extension)) return {};
    name.resize(name.size() - extension.size());
    return name;
}

}  // namespace

fs::path usualFolder() {
    if (const std::string named = environment("GANTRY_HISTORY_DIR"); !named.empty()) return named;
    const fs::path state = environment("XDG_STATE_HOME");
    // What is not absolute is to be ignored, by the specification.
    return (state.is_absolute() ? state : homeFolder() / ".local" / "state") / "gantry";
}

History::History(fs::path folder, std::function<void(const std::string&)> tell)
    : folder_(std::move(folder)), tell_(std::move(tell)) {}

bool History::exists() const {
    std::error_code none;
    return fs::exists(folder_ / "history.db", none);
}

Database& History::database() {
    if (database_) return *database_;
    makeFolder(folder_);
    const fs::path file = folder_ / "history.db";
    inode_ = inodeOf(file);
    database_.emplace(file);
    inode_ = inodeOf(file);
    migrate(*database_);
    return *database_;
}

template <class Action>
auto History::attempt(Action action) {
    try {
        return action(database());
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Format) throw;
        setAside(error.info().message);
    }
    return action(database());
}

void History::setAside(const std::string& reason) {
    const FolderLock lock(folder_);
    database_.reset();
    const fs::path file = folder_ / "history.db";
    if (inodeOf(file) != inode_) return;  // another process has done it
    std::string time = formatIsoTime(std::chrono::system_clock::now());
    std::replace(time.begin(), time.end(), ':', '-');
    const fs::path aside = folder_ / fmt::format("history-damaged-{}.db", time);
    std::error_code error;
    fs::rename(file, aside, error);
    if (error) throw systemError("set aside", file.string(), error.value());
    for (const char* part : {"-wal", "-shm"}) {
        fs::rename(file.string() + part, aside.string() + part, error);
    }
    if (tell_) {
        tell_(
            fmt::format("the history of runs was damaged ({}): it was set aside as {}, and a new "
                        "one was begun. It is filled again from the runs' records when it is "
                        "looked at.",
                        reason, aside.string()));
    }
}

std::vector<PastRun> History::runs(const Filter& filter) {
    return attempt([&](Database& database) { return readRuns(database, filter); });
}

std::optional<PastRun> History::run(int64_t id) {
    return attempt([&](Database& database) { return readRun(database, id); });
}

std::vector<PastTask> History::tasks(int64_t run) {
    return attempt([&](Database& database) { return readTasks(database, run); });
}

std::optional<PastRun> History::latestRestore(const events::Identity& identity) {
    return attempt([&](Database& database) { return readLatestRestore(database, identity); });
}

void History::keepCalibration(const std::string& server, const std::string& takenAt,
                              const std::string& result) {
    attempt([&](Database& database) {
        database
            .prepare(
                "INSERT INTO calibration (server, taken_at, result) VALUES (?1, ?2, ?3)"
                " ON CONFLICT (server) DO UPDATE SET taken_at = ?2, result = ?3")
            .run(server, takenAt, result);
    });
}

std::optional<std::string> History::calibration(const std::string& server) {
    return attempt([&](Database& database) -> std::optional<std::string> {
        Statement statement = database.prepare("SELECT result FROM calibration WHERE server = ?1");
        statement.bind(server);
        if (!statement.step()) return std::nullopt;
        return statement.text(0);
    });
}

int64_t History::add(const std::string& log, const events::RunStarted& started) {
    return attempt([&](Database& database) { return insertRun(database, log, started); });
}

void History::identify(int64_t run, const events::Identity& identity) {
    attempt([&](Database& database) { updateIdentity(database, run, identity); });
}

void History::finish(int64_t run, const events::RunState& state) {
    attempt([&](Database& database) { updateOutcome(database, run, state); });
}

fs::path History::openLog(const std::string& log) const {
    return logFolder() / (log + kOpenExtension);
}

fs::path History::closedLog(const std::string& log) const {
    return logFolder() / (log + kClosedExtension);
}

fs::path History::logOf(const PastRun& run) const {
    // It may be compressed between two looks.
    for (const fs::path& file : {closedLog(run.log), openLog(run.log), closedLog(run.log)}) {
        if (fs::exists(file)) return file;
    }
    throw Error(ErrorKind::Preflight, fmt::format("the record of run {} is gone", run.id),
                closedLog(run.log).string());
}

uint64_t History::logBytes(const PastRun& run) const {
    return sizeOf(closedLog(run.log)) + sizeOf(openLog(run.log));
}

void History::compress(const std::string& log) {
    events::compressRunLog(openLog(log), closedLog(log));
    std::error_code ignored;
    fs::remove(openLog(log), ignored);
}

void History::settleLog(const std::string& log) {
    const bool open = fs::exists(openLog(log));
    const fs::path file = open ? openLog(log) : closedLog(log);
    if (open && events::isBeingWritten(file)) return;
    const std::optional<PastRun> known =
        attempt([&](Database& database) { return readRunOfLog(database, log); });
    if (!known || known->status == Status::Running) {
        events::RunState state;
        std::optional<events::Identity> identity;
        for (const events::Event& event : events::readRunLog(file)) {
            state.apply(event);
            if (const auto* found = std::get_if<events::Identity>(&event.payload)) {
                identity = *found;
            }
        }
        if (!state.started()) return;
        const int64_t id = known ? known->id : add(log, *state.started());
        if (identity) identify(id, *identity);
        finish(id, state);
    }
    if (open) compress(log);
}

void History::settle(const std::stop_token& stop) {
    std::set<std::string> logs;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(logFolder(), none)) {
        for (const char* extension : {kOpenExtension, kClosedExtension}) {
            const std::string name = logName(entry.path(), extension);
            if (!name.empty()) logs.insert(name);
        }
    }
    std::vector<PastRun> gone;
    for (const PastRun& run : runs()) {
        if (run.status != Status::Running) {
            if (!fs::exists(openLog(run.log))) logs.erase(run.log);
        } else if (!logs.contains(run.log)) {
            gone.push_back(run);
        }
    }
    for (const std::string& log : logs) {
        if (stop.stop_requested()) return;
        try {
            settleLog(log);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Format) throw;
        }
    }
    for (const PastRun& run : gone) {
        if (!fs::exists(openLog(run.log))) finish(run.id, {});
    }
}

void History::remove(const PastRun& run, Pruned& pruned) {
    pruned.bytes += logBytes(run);
    pruned.logs.push_back(openLog(run.log));
    ++pruned.runs;
    std::error_code ignored;
    fs::remove(openLog(run.log), ignored);
    fs::remove(closedLog(run.log), ignored);
    attempt([&](Database& database) { deleteRun(database, run.id); });
}

Pruned History::remove(const std::vector<int64_t>& ids) {
    settle();
    Pruned pruned;
    for (const int64_t id : ids) {
        const std::optional<PastRun> found = run(id);
        if (found && found->status != Status::Running) remove(*found, pruned);
    }
    return pruned;
}

Pruned History::prune(const PruneRule& rule) {
    settle();
    Pruned pruned;
    uint64_t kept = 0;
    for (const PastRun& run : runs()) {  // the last one first
        kept += logBytes(run);
        const bool old = !rule.before.empty() && run.startedAt < rule.before;
        const bool beyond = rule.keepBytes && kept > *rule.keepBytes;
        if (run.status == Status::Running || (!old && !beyond)) continue;
        remove(run, pruned);
    }
    if (pruned.runs > 0) {
        attempt([](Database& database) {
            database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        });
    }
    return pruned;
}

}  // namespace gantry::history
