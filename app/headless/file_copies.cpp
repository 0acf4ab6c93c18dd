// SPDX-License-Identifier: PostgreSQL
#include "app/headless/file_copies.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry::headless {
namespace {

namespace fs = std::filesystem;

/// What can be read once only. Ends with a stop.
std::size_t readSome(int descriptor, const fs::path& name, std::span<std::byte> into,
                     const std::stop_token& stop) {
    constexpr int kStopLatencyMs = 100;
    for (;;) {
        if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
        if (::poll(&entry, 1, kStopLatencyMs) <= 0) continue;
        const ssize_t count = ::read(descriptor, into.data(), into.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR && errno != EAGAIN) throw systemError("read", name.string(), errno);
    }
}

}  // namespace

FileCopies::~FileCopies() {
    std::error_code ignored;
    for (const fs::path& path : copies_) fs::remove(path, ignored);
}

void FileCopies::replace(fs::path& file, const std::stop_token& stop) {
    std::error_code unreadable;  // what is wrong with it is told by whoever reads it
    if (!fs::is_other(file, unreadable)) return;
    // Else open() would wait for somebody to write to a FIFO, whatever is asked for.
    const int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) throw systemError("open", file.string(), errno);
    const File source(fd, file);
    file = copy(fd, file, stop);
}

void FileCopies::replaceFilters(std::vector<fs::path>& filters, const std::stop_token& stop) {
    fs::path standardInput;
    for (fs::path& filter : filters) {
        if (filter != "-") {
            replace(filter, stop);
            continue;
        }
        if (standardInput.empty()) standardInput = copy(STDIN_FILENO, "standard input", stop);
        filter = standardInput;
    }
}

fs::path FileCopies::copy(int source, const fs::path& name, const std::stop_token& stop) {
    std::string pattern = (fs::temp_directory_path() / "gantry-copy-XXXXXX").string();
    const int fd = ::mkstemp(pattern.data());
    if (fd < 0) throw systemError("create the file", pattern, errno);
    File file(fd, copies_.emplace_back(pattern));
    std::array<std::byte, 4096> block{};
    uint64_t offset = 0;
    while (const std::size_t count = readSome(source, name, block, stop)) {
        file.writeAt(offset, std::span(block).first(count));
        offset += count;
    }
    file.close();
    return copies_.back();
}

}  // namespace gantry::headless
