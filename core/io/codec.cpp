// SPDX-License-Identifier: PostgreSQL
#include "core/io/codec.h"

#include <fmt/format.h>
#include <zlib.h>

#include "core/base/error.h"
#include "core/io/codec_impl.h"

namespace gantry::io {
namespace {

constexpr std::size_t kInputSize = 256 * 1024;

}  // namespace

std::unique_ptr<FrameEncoder> makeFrameEncoder(const Compression& compression, FrameStyle style) {
    switch (compression.algorithm) {
        case Algorithm::None:
            return makeNoneEncoder();
        case Algorithm::Gzip:
            return makeGzipEncoder(compression, style);
        case Algorithm::Lz4:
            return makeLz4Encoder(compression);
        case Algorithm::Zstd:
            return makeZstdEncoder(compression);
    }
    throw Error(ErrorKind::Internal, "unknown compression algorithm");
}

std::unique_ptr<ByteSource> makeDecoder(Algorithm algorithm, ByteSource& source, FrameStyle style) {
    switch (algorithm) {
        case Algorithm::None:
            return makeNoneDecoder(source);
        case Algorithm::Gzip:
            return makeGzipDecoder(source, style);
        case Algorithm::Lz4:
            return makeLz4Decoder(source);
        case Algorithm::Zstd:
            return makeZstdDecoder(source);
    }
    throw Error(ErrorKind::Internal, "unknown compression algorithm");
}

uint32_t adler32Of(std::span<const std::byte> raw) {
    if (raw.empty()) return 1;
    return static_cast<uint32_t>(
        adler32_z(1, reinterpret_cast<const Bytef*>(raw.data()), raw.size()));
}

uint32_t adler32Combine(uint32_t first, uint32_t second, uint64_t secondSize) {
    return static_cast<uint32_t>(adler32_combine(first, second, static_cast<z_off_t>(secondSize)));
}

DecoderInput::DecoderInput(ByteSource& source, Algorithm algorithm)
    : source_(source), algorithm_(algorithm), buffer_(kInputSize) {}

std::span<const std::byte> DecoderInput::fill() {
    if (used_ == buffer_.size()) {
        buffer_.resize(kInputSize);
        used_ = 0;
        buffer_.resize(source_.read(buffer_.span()));
    }
    return buffer_.span().subspan(used_);
}

void DecoderInput::consume(std::size_t count) {
    used_ += count;
    offset_ += count;
}

void DecoderInput::damaged(std::string_view detail) const {
    fail(fmt::format("the {} data is damaged: {}", toString(algorithm_), detail));
}

void DecoderInput::endsInsideFrame() const {
    fail(fmt::format("the {} data ends in the middle of a frame", toString(algorithm_)));
}

void DecoderInput::fail(std::string message) const {
    ErrorInfo info;
    info.kind = ErrorKind::Format;
    info.message = std::move(message);
    info.byteOffset = offset_;
    throw Error(std::move(info));
}

}  // namespace gantry::io
