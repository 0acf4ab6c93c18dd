// SPDX-License-Identifier: PostgreSQL
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/tune/bench.h"

namespace gantry::tune {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "gantry-tune-";

/// The folder, locked; not open if somebody has it, or it is none of ours.
File lockedFolder(const fs::path& path) {
    File folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path);
    struct stat status {};
    if (!folder.isOpen() || ::fstat(folder.descriptor(), &status) != 0 ||
        status.st_uid != ::geteuid() || ::flock(folder.descriptor(), LOCK_EX | LOCK_NB) != 0) {
        return {};
    }
    return folder;
}

void removeLeftovers(const fs::path& parent) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
        if (!entry.path().filename().string().starts_with(kPrefix)) continue;
        const File left = lockedFolder(entry.path());
        if (left.isOpen()) fs::remove_all(entry.path(), ignored);
    }
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& parent) {
    const fs::path place = parent.empty() ? fs::temp_directory_path() : parent;
    removeLeftovers(place);
    std::string pattern = (place / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw systemError("make a folder for the sweep", pattern, errno);
    }
    path_ = pattern;
    lock_ = lockedFolder(path_);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace gantry::tune
