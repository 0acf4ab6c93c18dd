// SPDX-License-Identifier: PostgreSQL
// Compiled into every test program: it and what it starts keep a history of runs and throwaway
// servers of their own, gone with it. Those of whoever runs the tests, and of a test program beside
// this one, are left alone and not seen.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

class OwnFolders {
public:
    OwnFolders() {
        ::setenv("GANTRY_HISTORY_DIR", (folder_ / "history").c_str(), 1);
        ::setenv("GANTRY_SCRATCH_DIR", (folder_ / "scratch").c_str(), 1);
    }
    ~OwnFolders() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    OwnFolders(const OwnFolders&) = delete;
    OwnFolders& operator=(const OwnFolders&) = delete;

private:
    const std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("gantry-test-" + std::to_string(::getpid()));
};

const OwnFolders ownFolders;

}  // namespace
