// SPDX-License-Identifier: PostgreSQL
#include "tests/support/relay.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gantry::test {
namespace {

namespace fs = std::filesystem;

constexpr int kPort = 5432;
constexpr int kPollMs = 50;
constexpr std::size_t kHeader = 5;  // type, then a length that counts itself

sockaddr_un addressOf(const fs::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.string().size() >= sizeof address.sun_path) {
        throw std::runtime_error("too long for a socket: " + path.string());
    }
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

int connectTo(const fs::path& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = addressOf(path);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

bool sendAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// What the server says until it is ready for the first query, message by message.
class Greeting {
public:
    bool over() const { return over_; }

    /// Whole messages of what has come, with the process number changed.
    std::string take(std::string_view bytes) {
        pending_ += bytes;
        std::string whole;
        while (!over_ && pending_.size() >= kHeader) {
            std::size_t length = 0;
            for (std::size_t i = 1; i < kHeader; ++i) {
                length = (length << 8) | static_cast<unsigned char>(pending_[i]);
            }
            if (pending_.size() < length + 1) return whole;
            constexpr std::size_t kLastByteOfPid = 8;
            if (pending_[0] == 'K') pending_[kLastByteOfPid] = static_cast<char>(~pending_[8]);
            over_ = pending_[0] == 'Z';
            whole += pending_.substr(0, length + 1);
            pending_.erase(0, length + 1);
        }
        if (over_) whole += std::exchange(pending_, {});
        return whole;
    }

private:
    std::string pending_;
    bool over_ = false;
};

}  // namespace

fs::path socketPath(const fs::path& folder, int port) {
    return folder / fmt::format(".s.PGSQL.{}", port);
}

Relay::Relay(Settings settings) : settings_(std::move(settings)) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = addressOf(socketPath(folder_.path(), kPort));
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, SOMAXCONN) != 0) {
        throw std::runtime_error("cannot listen at " + folder_.path().string());
    }
    thread_ = std::thread([this] { listen(); });
}

Relay::~Relay() {
    ending_ = true;
    thread_.join();
    ::close(listener_);
}

void Relay::listen() {
    std::vector<std::thread> threads;
    while (!ending_) {
        pollfd entry{.fd = listener_, .events = POLLIN, .revents = 0};
        if (::poll(&entry, 1, kPollMs) <= 0) continue;
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        threads.emplace_back([this, client, n = count_++] { serve(client, n); });
    }
    for (std::thread& thread : threads) thread.join();
}

void Relay::serve(int client, int number) const {
    const int server = connectTo(settings_.server(number));
    std::array<pollfd, 2> ends{{{.fd = client, .events = POLLIN, .revents = 0},
                                {.fd = server, .events = POLLIN, .revents = 0}}};
    std::array<char, 65536> bytes;
    Greeting greeting;
    Loss loss = Loss::None;
    bool open = server >= 0;
    while (open && !ending_ && (number == 0 || number >= cutBelow_)) {
        if (::poll(ends.data(), ends.size(), kPollMs) <= 0) continue;
        for (std::size_t from = 0; from < ends.size() && open; ++from) {
            if (ends[from].revents == 0) continue;
            const ssize_t got = ::recv(ends[from].fd, bytes.data(), bytes.size(), 0);
            if (got <= 0) {
                open = false;
                break;
            }
            const std::string_view sent(bytes.data(), static_cast<std::size_t>(got));
            if (from == 0 && settings_.loses) loss = settings_.loses(sent);
            if (from == 1 && settings_.hidesProcess && !greeting.over()) {
                const std::string text = greeting.take(sent);
                open = sendAll(client, text);
            } else {
                open = loss != Loss::Request && sendAll(ends[1 - from].fd, sent);
            }
            if (loss == Loss::Answer) {
                (void)::recv(server, bytes.data(), bytes.size(), 0);
                open = false;
            }
        }
    }
    ::close(client);
    if (server < 0) return;
    while (loss == Loss::Request && !ending_ && ::poll(&ends[1], 1, kPollMs) == 0) {
    }
    ::close(server);
}

}  // namespace gantry::test
