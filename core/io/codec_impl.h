// SPDX-License-Identifier: PostgreSQL
// What the codecs share: their makers, and the input side of a streaming decoder.
#pragma once

#include <memory>
#include <string>

#include "core/base/buffer.h"
#include "core/io/codec.h"

namespace gantry::io {

std::unique_ptr<FrameEncoder> makeNoneEncoder();
std::unique_ptr<FrameEncoder> makeGzipEncoder(const Compression& compression, FrameStyle style);
std::unique_ptr<FrameEncoder> makeLz4Encoder(const Compression& compression);
std::unique_ptr<FrameEncoder> makeZstdEncoder(const Compression& compression);

std::unique_ptr<ByteSource> makeNoneDecoder(ByteSource& source);
std::unique_ptr<ByteSource> makeGzipDecoder(ByteSource& source, FrameStyle style);
std::unique_ptr<ByteSource> makeLz4Decoder(ByteSource& source);
std::unique_ptr<ByteSource> makeZstdDecoder(ByteSource& source);

/// Holds a stretch of the source that is not decoded yet, and knows where in the source it stands.
class DecoderInput {
public:
    DecoderInput(ByteSource& source, Algorithm algorithm);

    /// What waits to be decoded; refilled from the source when it is empty. Empty: the source
    /// ended.
    std::span<const std::byte> fill();
    void consume(std::size_t count);

    /// Throws Error{Format} at the position reached.
    [[noreturn]] void damaged(std::string_view detail) const;
    [[noreturn]] void endsInsideFrame() const;

private:
    [[noreturn]] void fail(std::string message) const;

    ByteSource& source_;
    Algorithm algorithm_;
    Buffer buffer_;
    std::size_t used_ = 0;
    uint64_t offset_ = 0;  // of the first byte that is not consumed
};

}  // namespace gantry::io
