// SPDX-License-Identifier: PostgreSQL
// Where bytes come from, one call at a time.
#pragma once

#include <cstddef>
#include <span>

namespace gantry::io {

/// A forward-only stream of bytes. One thread at a time. Errors are thrown as gantry::Error.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Fills up to `into.size()` bytes (at least one unless the stream has ended) and returns the
    /// count; 0 means the end, and then always.
    virtual std::size_t read(std::span<std::byte> into) = 0;
};

}  // namespace gantry::io
