// SPDX-License-Identifier: PostgreSQL
#include "app/headless/terminal.h"

#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry::headless {
namespace {

class EchoOff {
public:
    explicit EchoOff(int fd) : fd_(fd) {
        ::tcgetattr(fd_, &before_);
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(fd_, TCSAFLUSH, &silent);
    }
    ~EchoOff() { ::tcsetattr(fd_, TCSAFLUSH, &before_); }
    EchoOff(const EchoOff&) = delete;
    EchoOff& operator=(const EchoOff&) = delete;

private:
    int fd_;
    termios before_{};
};

void writeText(int fd, std::string_view text) {
    [[maybe_unused]] const ssize_t ignored = ::write(fd, text.data(), text.size());
}

}  // namespace

bool isCapableTerminal(int descriptor) {
    if (::isatty(descriptor) == 0) return false;
    const char* kind = std::getenv("TERM");
    return kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

TextStyle terminalStyle(int descriptor) {
    TextStyle style;
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        style.width = size.ws_col;
        style.height = size.ws_row;
    }
    const char* noColor = std::getenv("NO_COLOR");
    style.color = noColor == nullptr || *noColor == '\0';
    style.unicode = std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
    return style;
}

std::size_t helpWidth() {
    constexpr std::size_t kNarrowest = 60;
    constexpr std::size_t kWidest = 100;
    return std::clamp(terminalStyle(STDOUT_FILENO).width, kNarrowest, kWidest);
}

std::optional<std::string> askSecret(const std::string& prompt, const std::stop_token& stop) {
    const int fd = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return std::nullopt;
    const File terminal(fd, "/dev/tty");
    const EchoOff silent(fd);
    writeText(fd, prompt);
    std::string secret;
    constexpr int kStopLatencyMs = 100;
    while (true) {
        if (stop.stop_requested()) {
            writeText(fd, "\n");
            throw Error(ErrorKind::Cancelled, "cancelled");
        }
        pollfd wait{fd, POLLIN, 0};
        if (::poll(&wait, 1, kStopLatencyMs) <= 0) continue;
        char c = 0;
        const ssize_t count = ::read(fd, &c, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || c == '\n') break;
        secret += c;
    }
    writeText(fd, "\n");
    return secret;
}

}  // namespace gantry::headless
