// SPDX-License-Identifier: PostgreSQL
#include "app/headless/stop_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include "app/headless/commands.h"
#include "app/headless/run_text.h"
#include "core/base/error.h"

namespace gantry::headless {
namespace {

constexpr std::array<int, 3> kStopSignals{SIGINT, SIGTERM, SIGHUP};
constexpr char kStop = 's';
constexpr char kEnd = 'e';

/// Where the handler writes to: all that it may do is a system call.
std::atomic<int> wakeDescriptor{-1};

extern "C" void onStopSignal(int /*number*/) {
    const int saved = errno;
    [[maybe_unused]] const ssize_t ignored = ::write(wakeDescriptor.load(), &kStop, 1);
    errno = saved;
}

}  // namespace

struct StopSignals::State {
    std::array<int, 2> pipe{-1, -1};
    std::array<struct sigaction, kStopSignals.size()> before{};
    struct sigaction pipeBefore {};
    struct sigaction fileSizeBefore {};
    std::string lastWords;
    std::stop_source source;
    std::thread thread;

    void listen() {
        using Clock = std::chrono::steady_clock;
        std::optional<Clock::time_point> first;
        char word = 0;
        while (true) {
            const ssize_t count = ::read(pipe[0], &word, 1);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0 || word == kEnd) return;
            source.request_stop();
            if (!first) first = Clock::now();
            if (!lastWords.empty() && Clock::now() - *first >= kStopPatience) endAtOnce();
        }
    }

    [[noreturn]] void endAtOnce() const {
        [[maybe_unused]] const ssize_t ignored =
            ::write(STDERR_FILENO, lastWords.data(), lastWords.size());
        ::_exit(kCancelled);
    }
};

StopSignals::StopSignals(std::string lastWords) : state_(std::make_unique<State>()) {
    state_->lastWords = std::move(lastWords);
    if (::pipe(state_->pipe.data()) != 0) throw systemError("make a pipe", {}, errno);
    for (const int fd : state_->pipe) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(state_->pipe[1], F_SETFL, O_NONBLOCK);
    wakeDescriptor = state_->pipe[1];
    state_->thread = std::thread([state = state_.get()] { state->listen(); });
    struct sigaction action {};
    action.sa_handler = onStopSignal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kStopSignals.size(); ++i) {
        ::sigaction(kStopSignals[i], nullptr, &state_->before[i]);
        // nohup and background jobs of scripts ignore them for a reason.
        if (state_->before[i].sa_handler != SIG_IGN) ::sigaction(kStopSignals[i], &action, nullptr);
    }
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &state_->pipeBefore);
    ::sigaction(SIGXFSZ, &ignore, &state_->fileSizeBefore);
}

StopSignals::~StopSignals() {
    for (std::size_t i = 0; i < kStopSignals.size(); ++i) {
        ::sigaction(kStopSignals[i], &state_->before[i], nullptr);
    }
    ::sigaction(SIGPIPE, &state_->pipeBefore, nullptr);
    ::sigaction(SIGXFSZ, &state_->fileSizeBefore, nullptr);
    // Many signals may have filled the pipe: this word has to get in.
    ::fcntl(state_->pipe[1], F_SETFL, 0);
    while (::write(state_->pipe[1], &kEnd, 1) < 0 && errno == EINTR) {
    }
    state_->thread.join();
    wakeDescriptor = -1;
    for (const int fd : state_->pipe) ::close(fd);
}

std::stop_token StopSignals::token() const { return state_->source.get_token(); }

}  // namespace gantry::headless
