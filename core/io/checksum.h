// SPDX-License-Identifier: PostgreSQL
// The checksums that manifests carry.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

struct XXH3_state_s;
struct XXH64_state_s;

namespace gantry::io {

enum class ChecksumKind {
    Xxh3,  ///< in manifests of version 1
    /// XXH64 with seed 0; its lower half is what zstd ends a frame with (RFC 8878, 3.1.1), so that
    /// one pass over the rows serves the manifest and every decoder.
    Xxh64,
};

/// 64 bits, of bytes that come piece by piece. One thread at a time.
class Checksum {
public:
    explicit Checksum(ChecksumKind kind = ChecksumKind::Xxh64);

    void update(std::span<const std::byte> bytes);
    /// Of all since the beginning, or the last reset.
    uint64_t value() const;
    void reset();

private:
    struct Free {
        void operator()(XXH3_state_s* state) const;
        void operator()(XXH64_state_s* state) const;
    };
    // One of the two.
    std::unique_ptr<XXH3_state_s, Free> xxh3_;
    std::unique_ptr<XXH64_state_s, Free> xxh64_;
};

/// Of bytes that are there at once.
uint64_t checksumOf(std::span<const std::byte> bytes, ChecksumKind kind = ChecksumKind::Xxh64);

}  // namespace gantry::io
