// SPDX-License-Identifier: PostgreSQL
// The writes, flushes and renames of this program: recorded in order, or made to fail, as a full or
// broken disk would.
//
// The test program has functions of its own under the C library's names, which do the system call.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gantry::test {

/// Watches the calls of all threads while it lives; one at a time.
class FileCalls {
public:
    enum class Kind { Write, Sync, Rename };
    struct Call {
        Kind kind;
        std::string path;  ///< of the file or, with Rename, the new name
    };

    FileCalls();
    ~FileCalls();
    FileCalls(const FileCalls&) = delete;
    FileCalls& operator=(const FileCalls&) = delete;

    /// From call `nth` of this kind on, counted from 0, all fail with this errno.
    void failFrom(Kind kind, std::size_t nth, int errorNumber);
    /// Renames know no flags, as on some network file systems.
    void withoutRenameFlags();
    /// Writes of more than one byte put down only half.
    void writeHalf();

    std::vector<Call> calls() const;
    std::size_t count(Kind kind) const;
    /// The index of the first such call, or of the last; of one that never came, calls().size().
    std::size_t firstOf(Kind kind, const std::string& path) const;
    std::size_t lastOf(Kind kind, const std::string& path) const;
};

}  // namespace gantry::test
