// SPDX-License-Identifier: PostgreSQL
// No compression: frames are the rows themselves.
#include "core/io/codec_impl.h"

namespace gantry::io {
namespace {

class NoneEncoder : public FrameEncoder {
public:
    void encode(std::span<const std::byte> raw, uint64_t, Buffer& out) override {
        out.clear();
        out.append(raw);
    }
    void setLevel(int) override {}
};

class NoneDecoder : public ByteSource {
public:
    explicit NoneDecoder(ByteSource& source) : source_(source) {}
    std::size_t read(std::span<std::byte> into) override { return source_.read(into); }

private:
    ByteSource& source_;
};

}  // namespace

std::unique_ptr<FrameEncoder> makeNoneEncoder() { return std::make_unique<NoneEncoder>(); }

std::unique_ptr<ByteSource> makeNoneDecoder(ByteSource& source) {
    return std::make_unique<NoneDecoder>(source);
}

}  // namespace gantry::io
