// SPDX-License-Identifier: PostgreSQL
// Bytes of a stretch of a file as a stream.
#pragma once

#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/io/byte_source.h"

namespace gantry::archive {

/// Reads [position, position + length) of a file that others may read at the same time.
class FileSource final : public io::ByteSource {
public:
    FileSource(std::shared_ptr<const File> file, uint64_t position, uint64_t length)
        : file_(std::move(file)), position_(position), left_(length) {}

    std::size_t read(std::span<std::byte> into) override {
        if (into.size() > left_) into = into.first(static_cast<std::size_t>(left_));
        const std::size_t got = file_->readAt(position_, into);
        position_ += got;
        left_ -= got;
        return got;
    }

    uint64_t position() const { return position_; }

private:
    std::shared_ptr<const File> file_;
    uint64_t position_;
    uint64_t left_;
};

/// The bytes that a list of `compressedSize` bytes may have when decoded. Lists are repetitive, but
/// what is beyond this was made to fill the memory.
uint64_t largestDecoded(uint64_t compressedSize);

/// Reads to the end into memory, at most `limit` bytes; throws Error{Format} beyond.
std::string readAll(io::ByteSource& source, uint64_t limit, const std::string& name);

}  // namespace gantry::archive
