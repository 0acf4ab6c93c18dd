// SPDX-License-Identifier: PostgreSQL
// How much memory a piece of a test takes at its peak, by way of operator new.
#pragma once

#include <cstddef>

namespace gantry::test {

/// Replaces operator new for the whole test program. What C libraries take with malloc is not seen.
/// One at a time; allocations of all threads count.
class AllocationWatch {
public:
    AllocationWatch();

    /// The most bytes that were in use at once since it was made, beyond those in use then.
    std::size_t peak() const;

private:
    std::ptrdiff_t begin_;
};

}  // namespace gantry::test
