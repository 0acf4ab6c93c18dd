// SPDX-License-Identifier: PostgreSQL
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/base/error.h"
#include "core/tune/bench.h"

namespace gantry::tune {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const fs::path& parent) {
    std::string pattern =
        ((parent.empty() ? fs::temp_directory_path() : parent) / "gantry-tune-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw systemError("make a folder for the sweep", pattern, errno);
    }
    path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace gantry::tune
