// SPDX-License-Identifier: PostgreSQL
// Codecs under one contract: raw rows in, independent frames out, and back as a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "core/base/buffer.h"
#include "core/io/byte_source.h"
#include "core/io/checksum.h"
#include "core/io/compression.h"

namespace gantry::io {

/// How frames follow each other in what is written.
enum class FrameStyle {
    /// Every frame decodes by itself; frames are simply concatenated (directory members; custom
    /// format with zstd or lz4). Gzip: one gzip member a frame.
    Independent,
    /// Frames are pieces of one zlib stream (custom format with gzip): raw deflate ended by a full
    /// flush. The writer puts 78 9c before the first piece, and after the last one 03 00 and the
    /// big-endian Adler-32 of all raw bytes (adler32_combine of the pieces).
    ZlibPieces,
};

/// Compresses one buffer at a time; keeps its context between frames. One thread at a time.
class FrameEncoder {
public:
    virtual ~FrameEncoder() = default;

    /// Replaces the content of `out` by the frame. `checksum` is checksumOf(raw): who has it
    /// already spares the codec a pass. Throws Error{Internal} if the codec refuses,
    /// Error{Cancelled} once a stop is requested.
    virtual void encode(std::span<const std::byte> raw, uint64_t checksum, Buffer& out) = 0;
    void encode(std::span<const std::byte> raw, Buffer& out) { encode(raw, checksumOf(raw), out); }
    /// Takes effect from the next frame on; for codecs without levels it does nothing.
    virtual void setLevel(int level) = 0;
    /// A frame that takes long is given up on a stop; one that is soon done comes to its end.
    virtual void stopOn(std::stop_token /*stop*/) {}
};

std::unique_ptr<FrameEncoder> makeFrameEncoder(const Compression& compression, FrameStyle style);

/// Decodes a whole concatenation of frames from `source` (not owned, must outlive the decoder).
/// Throws Error{Format} with the compressed byte offset where bytes are damaged, and where the
/// source ends inside a frame: an end in mid-frame is never taken for the end of the data. (An end
/// exactly between two frames cannot be seen here; the manifest's frame list shows it.)
/// Memory is bounded whatever the frame headers claim (windowLog at most 27).
std::unique_ptr<ByteSource> makeDecoder(Algorithm algorithm, ByteSource& source, FrameStyle style);

/// Adler-32 of one piece, for FrameStyle::ZlibPieces; 1 for no bytes.
uint32_t adler32Of(std::span<const std::byte> raw);
/// The Adler-32 of two stretches that follow each other, `second` being `secondSize` bytes long.
uint32_t adler32Combine(uint32_t first, uint32_t second, uint64_t secondSize);

}  // namespace gantry::io
