// SPDX-License-Identifier: PostgreSQL
// What the sinks of all formats share: a large object's bytes, cut into frames and compressed.
#pragma once

#include <memory>

#include "core/archive/archive_writer.h"
#include "core/archive/manifest.h"

namespace gantry::archive {

/// Cuts what is written into frames of at most 4 MiB and compresses them in the calling thread. An
/// empty object has one empty frame. Each sink belongs to one thread.
class ObjectSink : public LargeObjectMember::Sink {
public:
    void begin(Oid object) final;
    void write(std::span<const std::byte> bytes) final;
    void end() final;

protected:
    ObjectSink(const io::Compression& compression, io::FrameStyle style);

    virtual void beginObject(Oid object) = 0;
    /// `frame.offset` is left to the format. `last` is set with the last frame of the object.
    virtual void putFrame(const Frame& frame, std::span<const std::byte> bytes, bool last) = 0;
    virtual void endObject() = 0;

    /// Of all bytes of the object so far; kept up with FrameStyle::ZlibPieces only.
    uint32_t adler() const { return adler_; }

private:
    void encodeAndPut(std::span<const std::byte> raw, bool last);

    io::FrameStyle style_;
    std::unique_ptr<io::FrameEncoder> encoder_;
    Buffer raw_;
    Buffer encoded_;
    uint32_t adler_ = 1;
};

}  // namespace gantry::archive
