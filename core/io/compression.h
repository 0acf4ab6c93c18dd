// SPDX-License-Identifier: PostgreSQL
// How archive data is compressed: the choice, as users write it and as archives store it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::io {

/// The values are the compression byte of archives from version 1.15 on.
enum class Algorithm : uint8_t { None = 0, Gzip = 1, Lz4 = 2, Zstd = 3 };

/// A choice of codec. Spelling as in pg_dump -Z: "none", "gzip", "gzip:6", "lz4:3", "zstd:5",
/// "zstd:5,long", "zstd:level=5,long", a bare digit (gzip level, 0 = none), and our "auto".
struct Compression {
    Algorithm algorithm = Algorithm::None;
    std::optional<int> level;  ///< empty: the codec's default (gzip 6, lz4 fast, zstd 3)
    bool longWindow = false;   ///< zstd only: windowLog 27
    bool automatic = false;    ///< the level follows the compressors' load during the run

    friend bool operator==(const Compression&, const Compression&) = default;
};

/// Throws Error{Usage} that names the part which does not fit and what would.
Compression parseCompression(std::string_view text);
std::string toString(const Compression& compression);
std::string_view toString(Algorithm algorithm);

/// What directory members end with: "", ".gz", ".lz4", ".zst".
std::string_view fileSuffix(Algorithm algorithm);

}  // namespace gantry::io
