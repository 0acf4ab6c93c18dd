// SPDX-License-Identifier: PostgreSQL
#include "core/base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/stoppable_sleep.h"
#include "core/base/sync.h"

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

extern char** environ;

namespace gantry {
namespace {

constexpr std::size_t kOutputLimit = std::size_t{1024} * 1024;
constexpr int kFirstFreeDescriptor = 3;

/// A descriptor that is closed with its owner.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }
    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

private:
    int fd_ = -1;
};

struct Pipe {
    Descriptor readEnd;
    Descriptor writeEnd;
};

/// Moves a descriptor above the standard ones, so that dup2 onto 0, 1 and 2 cannot clobber it.
Descriptor aboveStandard(Descriptor descriptor) {
    if (descriptor.get() >= kFirstFreeDescriptor) return descriptor;
    const int moved = ::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kFirstFreeDescriptor);
    if (moved < 0) throw systemError("duplicate a descriptor", {}, errno);
    return Descriptor(moved);
}

Pipe makePipe() {
    std::array<int, 2> ends{};
#ifdef __linux__
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw systemError("make a pipe", {}, errno);
#else
    if (::pipe(ends.data()) != 0) throw systemError("make a pipe", {}, errno);
    for (const int fd : ends) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    Descriptor readEnd(ends[0]);
    Descriptor writeEnd(ends[1]);
    return {aboveStandard(std::move(readEnd)), aboveStandard(std::move(writeEnd))};
}

/// Text of which only the front and the end are kept.
class BoundedText {
public:
    explicit BoundedText(std::size_t limit) : half_(limit / 2) {}

    void append(std::string_view text) {
        const std::size_t toHead = std::min(text.size(), half_ - head_.size());
        head_.append(text.substr(0, toHead));
        tail_.append(text.substr(toHead));
        if (tail_.size() > 2 * half_) trim();
    }
    std::string text() const {
        const std::size_t surplus = tail_.size() > half_ ? tail_.size() - half_ : 0;
        if (leftOut_ + surplus == 0) return head_ + tail_;
        return fmt::format("{}\n[… {} bytes left out …]\n{}", head_, leftOut_ + surplus,
                           std::string_view(tail_).substr(surplus));
    }

private:
    void trim() {
        leftOut_ += tail_.size() - half_;
        tail_.erase(0, tail_.size() - half_);
    }

    std::size_t half_;
    std::string head_;
    std::string tail_;
    std::size_t leftOut_ = 0;
};

/// Reads a pipe to its end on a thread of its own.
class Capture {
public:
    Capture(Descriptor source, std::size_t limit)
        : source_(std::move(source)),
          wake_(makePipe()),
          text_(limit),
          thread_([this] { readAll(); }) {}
    ~Capture() { wake_.writeEnd.close(); }

    /// Waits a moment for the end of the pipe: a grandchild may hold it open for good.
    void settle() {
        MutexLock lock(mutex_);
        atEnd_.wait_for(lock.native(), std::chrono::seconds(1),
                        [this]() REQUIRES(mutex_) { return ended_; });
    }
    std::string text() {
        const MutexLock lock(mutex_);
        return text_.text();
    }

private:
    void readAll() {
        std::array<pollfd, 2> waits{pollfd{source_.get(), POLLIN, 0},
                                    pollfd{wake_.readEnd.get(), POLLIN, 0}};
        std::array<char, 4096> bytes{};
        while (true) {
            if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
            if (waits[1].revents != 0) break;
            if (waits[0].revents == 0) continue;
            const ssize_t count = ::read(source_.get(), bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            const MutexLock lock(mutex_);
            text_.append({bytes.data(), static_cast<std::size_t>(count)});
        }
        const MutexLock lock(mutex_);
        ended_ = true;
        atEnd_.notify_all();
    }

    Descriptor source_;
    Pipe wake_;
    Mutex mutex_;
    std::condition_variable atEnd_;
    BoundedText text_ GUARDED_BY(mutex_);
    bool ended_ GUARDED_BY(mutex_) = false;
    std::jthread thread_;
};

Descriptor openLog(const std::filesystem::path& path) {
    constexpr mode_t kPrivate = 0600;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kPrivate);
    if (fd < 0) throw systemError("open the log", path.string(), errno);
    return aboveStandard(Descriptor(fd));
}

std::filesystem::path resolveProgram(const std::filesystem::path& program) {
    if (program.native().find('/') != std::string::npos) return program;
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::filesystem::path candidate =
            std::filesystem::path(rest.substr(0, colon)) / program;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    throw Error(ErrorKind::Io, "cannot start the program: it is not in PATH", program.string());
}

std::vector<std::string> makeEnvironment(const ChildOptions& options) {
    std::map<std::string, std::string> merged;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        merged.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    for (const std::string& name : options.removeFromEnvironment) merged.erase(name);
    for (const auto& [name, value] : options.environment) merged[name] = value;
    std::vector<std::string> lines;
    lines.reserve(merged.size());
    for (const auto& [name, value] : merged) lines.push_back(name + "=" + value);
    return lines;
}

std::vector<char*> pointersTo(std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    pointers.reserve(strings.size() + 1);
    for (std::string& text : strings) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// All that the child needs between fork and exec, prepared before: the parent has other threads,
/// so that the child may only make async-signal-safe calls.
struct Launch {
    const char* program = nullptr;
    char** arguments = nullptr;
    char** environment = nullptr;
    const char* workingFolder = nullptr;
    std::array<int, 3> streams{-1, -1, -1};  ///< what becomes 0, 1, 2; -1 inherits
    int reportTo = -1;
    const UserIdentity* runAs = nullptr;
    int parentDeathSignal = 0;
    pid_t parent = 0;
    ChildOptions::Group group = ChildOptions::Group::Ours;
};

void resetSignals() {
    for (int number = 1; number < NSIG; ++number) {
        if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// In the child. Returns the step that failed, with errno set, or does not return.
void prepareAndExecute(const Launch& launch) {
    if (launch.group == ChildOptions::Group::OwnSession) ::setsid();
    if (launch.group == ChildOptions::Group::Own) ::setpgid(0, 0);
    if (launch.group != ChildOptions::Group::Ours) {
        // A Ctrl-C from before we left the terminal's group is pending still; ignoring forgets it.
        ::signal(SIGINT, SIG_IGN);
    }
    for (int target = 0; target < kFirstFreeDescriptor; ++target) {
        const int source = launch.streams[static_cast<std::size_t>(target)];
        if (source >= 0 && ::dup2(source, target) < 0) return;
    }
#if defined(__linux__) && defined(SYS_close_range)
    // Ours are all close-on-exec; a library's may not be. 4 is CLOSE_RANGE_CLOEXEC.
    ::syscall(SYS_close_range, kFirstFreeDescriptor, ~0U, 4U);
#endif
    if (launch.runAs != nullptr) {
        const gid_t gid = launch.runAs->gid;
        if (::setgroups(1, &gid) != 0 || ::setgid(gid) != 0 || ::setuid(launch.runAs->uid) != 0) {
            return;
        }
    }
#ifdef __linux__
    // After setuid, which clears it; the parent may have gone in between.
    if (launch.parentDeathSignal != 0) {
        ::prctl(PR_SET_PDEATHSIG, launch.parentDeathSignal);
        if (::getppid() != launch.parent) ::_exit(127);
    }
#endif
    if (launch.workingFolder != nullptr && ::chdir(launch.workingFolder) != 0) return;
    resetSignals();
    ::execve(launch.program, launch.arguments, launch.environment);
}

pid_t forkAndExecute(const Launch& launch) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    // No handler of ours may run in the child.
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    const int error = errno;
    if (pid == 0) {
        prepareAndExecute(launch);
        const int failure = errno;
        [[maybe_unused]] const ssize_t ignored = ::write(launch.reportTo, &failure, sizeof failure);
        ::_exit(127);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) throw systemError("start the program", launch.program, error);
    return pid;
}

/// Waits for exec to close the pipe; throws what the child reports instead.
void awaitExecution(pid_t pid, const Pipe& report, const std::string& program) {
    int failure = 0;
    ssize_t count = 0;
    do {
        count = ::read(report.readEnd.get(), &failure, sizeof failure);
    } while (count < 0 && errno == EINTR);
    if (count == 0) return;
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw systemError("start the program", program, failure);
}

ExitStatus decode(int raw) {
    ExitStatus status;
    if (WIFSIGNALED(raw)) {
        status.signal = WTERMSIG(raw);
    } else {
        status.code = WEXITSTATUS(raw);
    }
    return status;
}

}  // namespace

std::optional<UserIdentity> findUser(const std::string& name) {
    std::vector<char> scratch(16384);
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, scratch.data(), scratch.size(), &found) != 0 ||
        found == nullptr) {
        return std::nullopt;
    }
    return UserIdentity{entry.pw_uid, entry.pw_gid, entry.pw_name, entry.pw_dir};
}

std::string ExitStatus::describe() const {
    if (signal == 0) return fmt::format("ended with exit code {}", code);
    return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
}

struct ChildProcess::State {
    pid_t pid = -1;
    std::optional<ExitStatus> status;
    bool detached = false;
    bool leadsGroup = false;
    Descriptor input;
    Descriptor output;
    Descriptor errors;
    std::unique_ptr<Capture> capture;
};

ChildProcess::ChildProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
}

ChildProcess::~ChildProcess() {
    if (!state_ || state_->detached || state_->status) return;
    signal(SIGKILL);
    while (::waitpid(state_->pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

ChildProcess ChildProcess::start(const ChildOptions& options) {
    const std::filesystem::path program = resolveProgram(options.program);
    std::vector<std::string> arguments{options.program.string()};
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    std::vector<std::string> environment = makeEnvironment(options);
    std::vector<char*> argumentPointers = pointersTo(arguments);
    std::vector<char*> environmentPointers = pointersTo(environment);

    auto state = std::make_unique<State>();
    std::array<Descriptor, 3> childEnds;
    const std::array<ChildStream, 3> modes{options.input, options.output, options.errors};
    const std::array<Descriptor*, 3> ourEnds{&state->input, &state->output, &state->errors};
    for (std::size_t stream = 0; stream < modes.size(); ++stream) {
        if (stream > 0 && !options.logFile.empty()) {
            childEnds[stream] = openLog(options.logFile);
            continue;
        }
        if (modes[stream] == ChildStream::Inherit) continue;
        if (modes[stream] == ChildStream::Null) {
            const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
            if (null < 0) throw systemError("open", "/dev/null", errno);
            childEnds[stream] = aboveStandard(Descriptor(null));
            continue;
        }
        Pipe pipe = makePipe();
        childEnds[stream] = std::move(stream == 0 ? pipe.readEnd : pipe.writeEnd);
        *ourEnds[stream] = std::move(stream == 0 ? pipe.writeEnd : pipe.readEnd);
    }

    Pipe report = makePipe();
    Launch launch;
    launch.program = program.c_str();
    launch.arguments = argumentPointers.data();
    launch.environment = environmentPointers.data();
    if (!options.workingFolder.empty()) launch.workingFolder = options.workingFolder.c_str();
    for (std::size_t stream = 0; stream < childEnds.size(); ++stream) {
        launch.streams[stream] = childEnds[stream].get();
    }
    launch.reportTo = report.writeEnd.get();
    launch.runAs = options.runAs ? &*options.runAs : nullptr;
    launch.parentDeathSignal = options.parentDeathSignal;
    launch.parent = ::getpid();
    launch.group = options.group;

    const pid_t pid = forkAndExecute(launch);
    report.writeEnd.close();
    awaitExecution(pid, report, program.string());
    state->pid = pid;
    state->leadsGroup = options.group != ChildOptions::Group::Ours;
    ChildProcess child(std::move(state));
    if (child.state_->errors.get() >= 0 && options.errors == ChildStream::Capture) {
        child.state_->capture =
            std::make_unique<Capture>(std::move(child.state_->errors), options.captureLimit);
    }
    return child;
}

pid_t ChildProcess::pid() const { return state_->pid; }
int ChildProcess::input() const { return state_->input.get(); }
int ChildProcess::output() const { return state_->output.get(); }
int ChildProcess::errors() const { return state_->errors.get(); }
void ChildProcess::closeInput() { state_->input.close(); }
void ChildProcess::closeOutput() { state_->output.close(); }

std::optional<ExitStatus> ChildProcess::waitFor(Duration timeout, std::stop_token stop) {
    // Asked at growing intervals: there is no portable way to sleep until a child ends or a stop
    // is requested, and 20 ms are nothing to the programs that run here.
    constexpr Duration kLongestNap = std::chrono::milliseconds(20);
    Duration nap = std::chrono::milliseconds(1);
    const SteadyClock clock;
    const Duration begin = clock.now();
    while (!state_->status) {
        int raw = 0;
        const pid_t reaped = ::waitpid(state_->pid, &raw, WNOHANG);
        if (reaped == state_->pid) {
            state_->status = decode(raw);
            break;
        }
        if (reaped < 0 && errno != EINTR) throw systemError("wait for a program", {}, errno);
        const Duration left = timeout - (clock.now() - begin);
        if (left <= Duration::zero() || stop.stop_requested()) return std::nullopt;
        sleepUnlessStopped(std::min(nap, left), stop);
        nap = std::min(nap * 2, kLongestNap);
    }
    return state_->status;
}

ExitStatus ChildProcess::wait() {
    while (!state_->status) {
        int raw = 0;
        if (::waitpid(state_->pid, &raw, 0) == state_->pid) {
            state_->status = decode(raw);
        } else if (errno != EINTR) {
            throw systemError("wait for a program", {}, errno);
        }
    }
    return *state_->status;
}

void ChildProcess::signal(int number) {
    if (!state_->status) ::kill(state_->leadsGroup ? -state_->pid : state_->pid, number);
}

ExitStatus ChildProcess::end(Duration grace) {
    if (poll()) return *state_->status;
    signal(SIGTERM);
    if (!waitFor(grace)) signal(SIGKILL);
    wait();
    // The number stays taken as long as the group has members.
    if (state_->leadsGroup) ::kill(-state_->pid, SIGKILL);
    return *state_->status;
}

void ChildProcess::detach() { state_->detached = true; }

std::string ChildProcess::errorText() const {
    if (!state_->capture) return {};
    if (state_->status) state_->capture->settle();
    return state_->capture->text();
}

ChildResult runToEnd(ChildOptions options, Duration timeout, std::stop_token stop) {
    options.output = ChildStream::Pipe;
    options.errors = ChildStream::Capture;
    ChildProcess child = ChildProcess::start(options);
    ChildResult result;
    {
        // The standard output is read by the same means as the captured standard error.
        Capture output(Descriptor(::fcntl(child.output(), F_DUPFD_CLOEXEC, kFirstFreeDescriptor)),
                       kOutputLimit);
        child.closeOutput();
        const std::optional<ExitStatus> status = child.waitFor(timeout, stop);
        if (!status) {
            child.end(std::chrono::milliseconds(500));
            if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
            throw Error(
                ErrorKind::Io,
                fmt::format("the program did not end within {} s",
                            std::chrono::duration_cast<std::chrono::seconds>(timeout).count()),
                options.program.string());
        }
        result.status = *status;
        output.settle();
        result.output = output.text();
    }
    result.errors = child.errorText();
    return result;
}

}  // namespace gantry
