// SPDX-License-Identifier: PostgreSQL
#include "tests/server/headless/terminal_session.h"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string_view>

extern char** environ;

namespace gantry::test {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> environmentWith(const std::map<std::string, std::string>& added) {
    std::map<std::string, std::string> all{{"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}};
    for (const auto& [name, value] : added) all[name] = value;
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text(*entry);
        const std::string name = text.substr(0, text.find('='));
        if (!name.starts_with("PG") && name != "NO_COLOR" && !all.contains(name)) {
            entries.push_back(text);
        }
    }
    for (const auto& [name, value] : all) entries.push_back(name + '=' + value);
    return entries;
}

std::vector<char*> pointersTo(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::string lastOf(const std::string& output) {
    constexpr std::size_t kMost = 2000;
    return output.substr(output.size() - std::min(output.size(), kMost));
}

winsize sizeOf(int columns, int rows) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    return size;
}

}  // namespace

TerminalSession::TerminalSession(const std::vector<std::string>& argv,
                                 const std::map<std::string, std::string>& environment, int columns,
                                 int rows) {
    std::vector<std::string> words = argv;
    std::vector<std::string> entries = environmentWith(environment);
    const std::vector<char*> arguments = pointersTo(words);
    const std::vector<char*> variables = pointersTo(entries);
    const winsize size = sizeOf(columns, rows);
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ < 0) throw std::runtime_error("no terminal to be had");
    if (pid_ == 0) {
        ::execve(arguments.front(), arguments.data(), variables.data());
        ::_exit(127);
    }
}

TerminalSession::~TerminalSession() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ::close(terminal_);
}

void TerminalSession::type(const std::string& keys) {
    if (::write(terminal_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
        throw std::runtime_error("the terminal takes no keys");
    }
}

void TerminalSession::resize(int columns, int rows) const {
    const winsize size = sizeOf(columns, rows);
    ::ioctl(terminal_, TIOCSWINSZ, &size);
}

bool TerminalSession::readSome(std::chrono::milliseconds timeout) {
    pollfd wait{terminal_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(timeout.count())) <= 0) return true;
    std::array<char, 4096> block{};
    const ssize_t count = ::read(terminal_, block.data(), block.size());
    if (count > 0) output_.append(block.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
}

void TerminalSession::waitFor(const std::string& text, std::chrono::seconds timeout) {
    const auto giveUp = Clock::now() + timeout;
    bool open = true;
    while (true) {
        const std::size_t at = output_.find(text, found_);
        if (at != std::string::npos) {
            found_ = at + text.size();
            return;
        }
        if (!open || Clock::now() > giveUp) {
            throw std::runtime_error("\"" + text + "\" did not come; last there was:\n" +
                                     lastOf(output_));
        }
        open = readSome(std::chrono::milliseconds(100));
    }
}

int TerminalSession::waitForEnd(std::chrono::seconds timeout) {
    const auto giveUp = Clock::now() + timeout;
    while (readSome(std::chrono::milliseconds(100))) {
        if (Clock::now() > giveUp) {
            throw std::runtime_error("it does not end; last there was:\n" + lastOf(output_));
        }
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    constexpr int kSignalBase = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

}  // namespace gantry::test
