// SPDX-License-Identifier: PostgreSQL
// Compiled into every test program: it and what it starts keep a history of runs of their own, gone
// with it, and leave that of whoever runs the tests alone.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

class OwnHistory {
public:
    OwnHistory() { ::setenv("GANTRY_HISTORY_DIR", folder_.c_str(), 1); }
    ~OwnHistory() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    OwnHistory(const OwnHistory&) = delete;
    OwnHistory& operator=(const OwnHistory&) = delete;

private:
    const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                          ("gantry-test-history-" + std::to_string(::getpid()));
};

const OwnHistory ownHistory;

}  // namespace
