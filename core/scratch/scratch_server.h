// SPDX-License-Identifier: PostgreSQL
// Throwaway local servers: made by initdb in a private folder, reached over a private socket,
// removed on stop. What exists is told by the folders alone, so that any process finds all. One
// whose process died keeps its files, and is started again under its name.
//
//   BASE/                 $GANTRY_SCRATCH_DIR or /var/tmp/gantry-UID, of the calling user alone
//     NAME/               0700, of the user that the server runs as
//       lock              flocked while a process starts or accompanies the server
//       server.json       written once the server accepts connections
//       server.log  data/  socket/
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace gantry::scratch {

enum class ScratchState {
    Starting,    ///< a process is at it
    Running,     ///< accepts connections
    LeftBehind,  ///< no server runs: a crash, a reboot, an interrupted start
};
std::string_view toString(ScratchState state);

struct ScratchInfo {
    std::string name;
    ScratchState state = ScratchState::LeftBehind;
    std::filesystem::path folder;
    std::string version;  ///< "15.14", as it was first started; empty if it never came up
    std::string binFolder;
    bool accompanied = false;  ///< it ends with the process that started it

    /// Left behind with what somebody may want back.
    bool canStartAgain() const {
        return state == ScratchState::LeftBehind && !version.empty() && !accompanied;
    }
    std::filesystem::path dataFolder() const { return folder / "data"; }
    std::filesystem::path socketFolder() const { return folder / "socket"; }
    std::filesystem::path logFile() const { return folder / "server.log"; }
    /// For libpq: "host=… port=5432 user=postgres dbname=postgres".
    std::string conninfo(const std::string& database = "postgres") const;
};

struct ScratchOptions {
    std::string name;                  ///< letters, digits, - and _; empty: "scratch-N"
    std::filesystem::path baseFolder;  ///< empty: the usual one
    /// Empty: the newest local installation; of one that is started again, the one it ran with, or
    /// another of that major version.
    std::filesystem::path binFolder;
    /// The server ends with the calling *thread*, even if that is killed, and with the object. A
    /// new one goes with it, one that was started again is left behind as it was.
    bool accompany = false;
    std::vector<std::string> settings;  ///< further lines for postgresql.conf, of a new one
    std::function<void(std::string_view)> onStep;  ///< "making the database files", …; may be empty
};

/// A server started by this process.
class ScratchServer {
public:
    /// Returns when it accepts connections, some seconds later. On failure and on stop
    /// (Error{Cancelled}) nothing is left. Throws Error{Preflight} for a bad or taken name and if
    /// no server programs are installed, else Error{Io} with the end of the server's log.
    /// A name that was left behind is startAgain()'s.
    static ScratchServer start(const ScratchOptions& options, std::stop_token stop = {});

    /// Starts the one of that name which was left behind on the files that it has, with their
    /// settings. On failure and on stop it is left behind as before. Throws like start(), and
    /// Error{Preflight} if there is none, if it runs, or if its files are not whole or of a version
    /// that is not installed.
    static ScratchServer startAgain(const ScratchOptions& options, std::stop_token stop = {});

    ScratchServer(ScratchServer&&) noexcept;
    ScratchServer& operator=(ScratchServer&&) noexcept;
    /// Stops and removes it, unless it was released; only stops it if it was started again.
    ~ScratchServer();

    const ScratchInfo& info() const;
    /// What is in it is older than this object.
    bool startedAgain() const;
    /// It goes on without us; not for an accompanied one.
    void release();

private:
    struct State;
    explicit ScratchServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// $GANTRY_SCRATCH_DIR, or /var/tmp/gantry-UID; not created by asking.
std::filesystem::path usualBaseFolder();

/// All that have a folder, by name. Nothing is changed.
std::vector<ScratchInfo> listServers(const std::filesystem::path& baseFolder = {});

/// Ends a server of whatever process and removes all that belongs to it; also what was left behind.
/// Throws Error{Preflight} if there is none of that name, or if it is just being started.
void stopServer(const std::string& name, const std::filesystem::path& baseFolder = {});

}  // namespace gantry::scratch
