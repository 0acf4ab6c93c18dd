// SPDX-License-Identifier: PostgreSQL
#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace gantry::test {

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gantry-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + pattern);
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace gantry::test
