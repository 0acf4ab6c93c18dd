// SPDX-License-Identifier: PostgreSQL
#include "core/archive/object_sink.h"

#include <algorithm>

#include "core/io/checksum.h"

namespace gantry::archive {
namespace {

constexpr std::size_t kFrameSize = 4 << 20;

}  // namespace

ObjectSink::ObjectSink(const io::Compression& compression, io::FrameStyle style)
    : style_(style), encoder_(io::makeFrameEncoder(compression, style)) {}

void ObjectSink::begin(Oid object) {
    raw_.clear();
    adler_ = 1;
    beginObject(object);
}

// A full frame waits until more comes: the last one is known as such.
void ObjectSink::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        if (raw_.size() == kFrameSize) {
            encodeAndPut(raw_.span(), false);
            raw_.clear();
        }
        const std::size_t count = std::min(bytes.size(), kFrameSize - raw_.size());
        raw_.append(bytes.first(count));
        bytes = bytes.subspan(count);
    }
}

void ObjectSink::end() {
    encodeAndPut(raw_.span(), true);
    endObject();
}

void ObjectSink::encodeAndPut(std::span<const std::byte> raw, bool last) {
    Frame frame;
    frame.checksum = io::checksumOf(raw);
    encoder_->encode(raw, frame.checksum, encoded_);
    frame.compressedSize = encoded_.size();
    frame.rawSize = raw.size();
    if (style_ == io::FrameStyle::ZlibPieces) {
        adler_ = io::adler32Combine(adler_, io::adler32Of(raw), raw.size());
    }
    putFrame(frame, encoded_.span(), last);
}

}  // namespace gantry::archive
