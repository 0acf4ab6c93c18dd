// SPDX-License-Identifier: PostgreSQL
// The header block of a tar member (POSIX ustar).
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace gantry::archive {

inline constexpr uint64_t kTarBlock = 512;

/// 512 bytes for a plain file of `size` bytes. Sizes from 8 GiB on are written in base 256, as GNU
/// tar does. `name` has at most 99 bytes.
std::string tarHeader(std::string_view name, uint64_t size, std::time_t modified);

/// What a header says; `block` has 512 bytes.
struct TarHeader {
    std::string_view name;  ///< points into the block
    uint64_t size = 0;
    bool intact = false;  ///< its checksum agrees
};
TarHeader parseTarHeader(std::string_view block);

}  // namespace gantry::archive
