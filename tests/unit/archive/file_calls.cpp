// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/archive/file_calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

namespace {

using gantry::test::FileCalls;

struct Failure {
    std::size_t from = SIZE_MAX;
    int errorNumber = 0;
};

struct Watch {
    std::mutex mutex;
    std::vector<FileCalls::Call> calls;
    std::array<std::size_t, 3> counts{};
    std::array<Failure, 3> failures{};
    bool writeHalf = false;
    bool withoutRenameFlags = false;
};

std::atomic<bool> watching = false;

Watch& watch() {
    static Watch state;
    return state;
}

std::string pathOf(int descriptor) {
    std::array<char, 4096> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
    return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

// Records the call; false if it has to fail, errno being set.
bool admit(FileCalls::Kind kind, std::string path) {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    const auto index = static_cast<std::size_t>(kind);
    const std::size_t nth = state.counts[index]++;
    state.calls.push_back({kind, std::move(path)});
    if (nth < state.failures[index].from) return true;
    errno = state.failures[index].errorNumber;
    return false;
}

std::size_t admittedSize(std::size_t size) {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    return state.writeHalf && size > 1 ? size / 2 : size;
}

bool lacksRenameFlags() {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    return state.withoutRenameFlags;
}

}  // namespace

extern "C" {

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
    if (watching) {
        if (!admit(FileCalls::Kind::Write, pathOf(fd))) return -1;
        size = admittedSize(size);
    }
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t copy_file_range(int in, off_t* inOffset, int out, off_t* outOffset, size_t size,
                        unsigned flags) {
    if (watching) {
        if (!admit(FileCalls::Kind::Write, pathOf(out))) return -1;
        size = admittedSize(size);
    }
    return syscall(SYS_copy_file_range, in, inOffset, out, outOffset, size, flags);
}

int fsync(int fd) {
    if (watching && !admit(FileCalls::Kind::Sync, pathOf(fd))) return -1;
    return static_cast<int>(syscall(SYS_fsync, fd));
}

int syncfs(int fd) noexcept {
    if (watching && !admit(FileCalls::Kind::Sync, pathOf(fd))) return -1;
    return static_cast<int>(syscall(SYS_syncfs, fd));
}

int rename(const char* from, const char* to) noexcept {
    if (watching && !admit(FileCalls::Kind::Rename, to)) return -1;
    return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
              unsigned flags) noexcept {
    if (watching && flags != 0 && lacksRenameFlags()) {
        errno = EINVAL;
        return -1;
    }
    if (watching && !admit(FileCalls::Kind::Rename, to)) return -1;
    return static_cast<int>(syscall(SYS_renameat2, fromFolder, from, toFolder, to, flags));
}
}

namespace gantry::test {

FileCalls::FileCalls() {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    state.calls.clear();
    state.counts = {};
    state.failures = {};
    state.writeHalf = false;
    state.withoutRenameFlags = false;
    watching = true;
}

FileCalls::~FileCalls() { watching = false; }

void FileCalls::failFrom(Kind kind, std::size_t nth, int errorNumber) {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    state.failures[static_cast<std::size_t>(kind)] = {nth, errorNumber};
}

void FileCalls::writeHalf() {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    state.writeHalf = true;
}

void FileCalls::withoutRenameFlags() {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    state.withoutRenameFlags = true;
}

std::vector<FileCalls::Call> FileCalls::calls() const {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    return state.calls;
}

std::size_t FileCalls::count(Kind kind) const {
    Watch& state = watch();
    const std::lock_guard lock(state.mutex);
    return state.counts[static_cast<std::size_t>(kind)];
}

std::size_t FileCalls::firstOf(Kind kind, const std::string& path) const {
    const std::vector<Call> all = calls();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Call& call) {
        return call.kind == kind && call.path == path;
    });
    return static_cast<std::size_t>(found - all.begin());
}

std::size_t FileCalls::lastOf(Kind kind, const std::string& path) const {
    const std::vector<Call> all = calls();
    for (std::size_t at = all.size(); at-- > 0;) {
        if (all[at].kind == kind && all[at].path == path) return at;
    }
    return all.size();
}

}  // namespace gantry::test
