// SPDX-License-Identifier: PostgreSQL
// LZ4 frames with content size and content checksum.
#include <lz4frame.h>

#include "core/base/error.h"
#include "core/io/codec_impl.h"

namespace gantry::io {
namespace {

class Lz4Encoder : public FrameEncoder {
public:
    explicit Lz4Encoder(int level) : level_(level) {}

    void encode(std::span<const std::byte> raw, uint64_t, Buffer& out) override {
        LZ4F_preferences_t preferences{};
        preferences.frameInfo.blockSizeID = LZ4F_max1MB;
        preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
        preferences.frameInfo.contentSize = raw.size();
        preferences.compressionLevel = level_;
        out.clear();
        out.resize(LZ4F_compressFrameBound(raw.size(), &preferences));
        const std::size_t size =
            LZ4F_compressFrame(out.data(), out.size(), raw.data(), raw.size(), &preferences);
        if (LZ4F_isError(size) != 0) {
            throw Error(ErrorKind::Internal,
                        std::string("lz4 refused to compress: ") + LZ4F_getErrorName(size));
        }
        out.resize(size);
    }

    void setLevel(int level) override { level_ = level; }

private:
    int level_;
};

class Lz4Decoder : public ByteSource {
public:
    explicit Lz4Decoder(ByteSource& source) : input_(source, Algorithm::Lz4) {
        if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) {
            throw Error(ErrorKind::Internal, "lz4 refused to start decompressing");
        }
    }
    ~Lz4Decoder() override { LZ4F_freeDecompressionContext(context_); }
    Lz4Decoder(const Lz4Decoder&) = delete;
    Lz4Decoder& operator=(const Lz4Decoder&) = delete;

    std::size_t read(std::span<std::byte> into) override {
        std::size_t done = 0;
        while (done == 0 && !into.empty()) {
            const auto waiting = input_.fill();
            std::size_t taken = waiting.size();
            done = into.size();
            const std::size_t result =
                LZ4F_decompress(context_, into.data(), &done, waiting.data(), &taken, nullptr);
            if (LZ4F_isError(result) != 0) input_.damaged(LZ4F_getErrorName(result));
            input_.consume(taken);
            if (taken > 0 || done > 0) {
                betweenFrames_ = result == 0;
            } else if (waiting.empty()) {
                if (!betweenFrames_) input_.endsInsideFrame();
                break;
            }
        }
        return done;
    }

private:
    DecoderInput input_;
    LZ4F_dctx* context_ = nullptr;
    bool betweenFrames_ = true;
};

}  // namespace

std::unique_ptr<FrameEncoder> makeLz4Encoder(const Compression& compression) {
    return std::make_unique<Lz4Encoder>(compression.level.value_or(0));
}

std::unique_ptr<ByteSource> makeLz4Decoder(ByteSource& source) {
    return std::make_unique<Lz4Decoder>(source);
}

}  // namespace gantry::io
