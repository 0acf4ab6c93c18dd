// SPDX-License-Identifier: PostgreSQL
// Programs run as children: argv without a shell, pipes to poll, an end that is always reaped.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace gantry {

/// A user to run as; only root can be somebody else.
struct UserIdentity {
    uid_t uid = 0;
    gid_t gid = 0;
    std::string name;
    std::filesystem::path home;
};

/// Looks a user up by name in the system's databases.
std::optional<UserIdentity> findUser(const std::string& name);

/// What a child's standard stream is connected to.
enum class ChildStream {
    Inherit,  ///< ours
    Null,     ///< /dev/null
    Pipe,     ///< ChildProcess::input(), output() or errors()
    Capture,  ///< standard error only: kept by a thread of ours, see errorText()
};

struct ChildOptions {
    std::filesystem::path program;                   ///< searched in PATH if it has no slash
    std::vector<std::string> arguments;              ///< without argv[0]
    std::map<std::string, std::string> environment;  ///< added to ours, or replacing ours
    std::vector<std::string> removeFromEnvironment;
    std::filesystem::path workingFolder;  ///< empty: ours
    ChildStream input = ChildStream::Null;
    ChildStream output = ChildStream::Inherit;
    ChildStream errors = ChildStream::Inherit;
    std::filesystem::path logFile;         ///< if set, takes standard output and error instead
    std::size_t captureLimit = 64 * 1024;  ///< of Capture: half from the front, half from the end
    std::optional<UserIdentity> runAs;
    /// Sent to the child by the kernel when the *thread* that started it ends (Linux only): start
    /// such a child from a thread that lives as long. 0: none.
    int parentDeathSignal = 0;
    /// Out of reach of the terminal's Ctrl-C; signals of ours then go to the child's children too.
    /// A session of its own also survives the terminal.
    enum class Group { Ours, Own, OwnSession } group = Group::Ours;
};

struct ExitStatus {
    int code = 0;    ///< valid if `signal` is 0
    int signal = 0;  ///< that ended it

    bool success() const { return code == 0 && signal == 0; }
    /// "ended with exit code 1", "was ended by signal 9 (Killed)".
    std::string describe() const;
};

/// A child. Its destructor kills and reaps it unless it was detached. Use from one thread at a
/// time; signal() from any, as long as nobody waits for the end at that moment.
class ChildProcess {
public:
    /// Throws Error{Io}, also if the program cannot be executed in the child. No descriptor of ours
    /// but the three streams reaches the child; signals are at their defaults there.
    static ChildProcess start(const ChildOptions& options);

    ChildProcess(ChildProcess&&) noexcept;
    ChildProcess& operator=(ChildProcess&&) noexcept;
    ~ChildProcess();

    pid_t pid() const;

    /// Our ends of the pipes, blocking; -1 if there is none. To be polled, read and written freely.
    int input() const;
    int output() const;
    int errors() const;
    void closeInput();
    void closeOutput();

    /// The end, once it has come; waits until it does, `timeout` has passed or a stop is asked for.
    std::optional<ExitStatus> waitFor(Duration timeout, std::stop_token stop = {});
    /// The end, without waiting.
    std::optional<ExitStatus> poll() { return waitFor(Duration::zero()); }
    ExitStatus wait();

    /// Does nothing once the child has ended.
    void signal(int number);
    /// SIGTERM, and SIGKILL to what has not ended after `grace`; then reaps. Of a group of its own
    /// nobody outlives the child.
    ExitStatus end(Duration grace);
    /// The child goes on without us; nobody reaps it while we live.
    void detach();

    /// What came to a captured standard error. After the end of the child it is whole, but for what
    /// was left out in the middle beyond the limit ("[… 1234 bytes left out …]").
    std::string errorText() const;

private:
    struct State;
    explicit ChildProcess(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

struct ChildResult {
    ExitStatus status;
    std::string output;
    std::string errors;
};

/// Runs a program that says little and ends soon, with both outputs captured (1 MiB at most).
/// Throws Error{Io} if it cannot be started or has not ended after `timeout` (it is killed then),
/// Error{Cancelled} on stop.
ChildResult runToEnd(ChildOptions options, Duration timeout, std::stop_token stop = {});

}  // namespace gantry
