// SPDX-License-Identifier: PostgreSQL
#include "core/events/run_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/events/event_json.h"

namespace gantry::events {

RunLog::Descriptor::~Descriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
}

RunLog::RunLog(int descriptor, bool owned, std::string name)
    : descriptor_(descriptor, owned), name_(std::move(name)) {}

RunLog RunLog::create(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) throw systemError("create the run log", path.string(), errno);
    // Held until the run is over: who would resume it sees that it is not.
    (void)::flock(fd, LOCK_EX | LOCK_NB);
    return RunLog(fd, true, path.string());
}

RunLog RunLog::onDescriptor(int descriptor, std::string name) {
    return RunLog(descriptor, false, std::move(name));
}

void RunLog::write(const Event& event) {
    std::string line = toJson(event);
    line += '\n';
    std::string_view left = line;
    while (!left.empty()) {
        const ssize_t put = ::write(descriptor_.get(), left.data(), left.size());
        if (put < 0) {
            if (errno == EINTR) continue;
            throw systemError("write the run log", name_, errno);
        }
        left.remove_prefix(static_cast<std::size_t>(put));
    }
}

}  // namespace gantry::events
