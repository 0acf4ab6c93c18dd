// SPDX-License-Identifier: PostgreSQL
// Byte sources over memory, and how to drain one.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/buffer.h"
#include "core/io/byte_source.h"

namespace gantry::test {

/// Hands out a copy of `content`, at most `portion` bytes a call.
class MemorySource : public io::ByteSource {
public:
    explicit MemorySource(std::string_view content, std::size_t portion = std::string_view::npos)
        : content_(content), portion_(portion) {}

    std::size_t read(std::span<std::byte> into) override {
        const std::size_t count = std::min({into.size(), portion_, content_.size() - used_});
        if (count > 0) std::memcpy(into.data(), content_.data() + used_, count);
        used_ += count;
        return count;
    }

private:
    std::string content_;
    std::size_t portion_;
    std::size_t used_ = 0;
};

/// Everything the source still has, read `portion` bytes a call.
inline std::string readAll(io::ByteSource& source, std::size_t portion = 65536) {
    std::string all;
    std::vector<std::byte> piece(portion);
    while (const std::size_t count = source.read(piece)) {
        all += textOf(std::span<const std::byte>(piece).first(count));
    }
    return all;
}

}  // namespace gantry::test
