// SPDX-License-Identifier: PostgreSQL
// Files for those who read them more than once, of what can be read once only.
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

namespace gantry::headless {

/// Filters and lists are read several times, and by other programs: what is no regular file, a pipe
/// for instance, goes through one, which is gone at the end.
class FileCopies {
public:
    FileCopies() = default;
    ~FileCopies();
    FileCopies(const FileCopies&) = delete;
    FileCopies& operator=(const FileCopies&) = delete;

    /// Puts a copy in the place of what can be read once only. Throws Error{Io, Cancelled}.
    void replace(std::filesystem::path& file, const std::stop_token& stop);
    /// The same for each of them; "-" is standard input.
    void replaceFilters(std::vector<std::filesystem::path>& filters, const std::stop_token& stop);

private:
    std::filesystem::path copy(int source, const std::filesystem::path& name,
                               const std::stop_token& stop);

    std::vector<std::filesystem::path> copies_;
};

}  // namespace gantry::headless
