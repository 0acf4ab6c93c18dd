// SPDX-License-Identifier: PostgreSQL
// A folder that lives as long as the test that made it.
#pragma once

#include <filesystem>

namespace gantry::test {

/// Made empty below the system's temporary folder; removed with all its content on destruction.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::filesystem::path& name) const {
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

}  // namespace gantry::test
