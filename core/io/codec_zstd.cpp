// SPDX-License-Identifier: PostgreSQL
// Zstandard frames with content size and checksum.
#include <zstd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/io/codec_impl.h"

namespace gantry::io {
namespace {

/// From this level on a frame may take seconds.
constexpr int kSlowLevel = 10;
constexpr std::size_t kSlice = std::size_t{256} << 10;

/// From this level on the tables that go by default with a window of some megabytes would take ten
/// times its room. These take four times it: of rows, in frames of 8 MiB, the last level loses less
/// than a hundredth by that.
constexpr int kLevelOfLargeTables = 12;
constexpr int kHashLog = 21;
constexpr int kChainLog = 22;

constexpr int kLongWindowLog = 27;  // the most that decoders take without being told

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdEncoder final : public FrameEncoder {
public:
    explicit ZstdEncoder(const Compression& compression) : context_(ZSTD_createCCtx()) {
        if (!context_) throw std::bad_alloc();
        setLevel(compression.level.value_or(ZSTD_defaultCLevel()));
        if (compression.longWindow) {
            set(ZSTD_c_enableLongDistanceMatching, 1);
            set(ZSTD_c_windowLog, kLongWindowLog);
        }
    }

    void encode(std::span<const std::byte> raw, uint64_t checksum, Buffer& out) override {
        out.clear();
        out.resize(ZSTD_compressBound(raw.size()));
        out.resize(level_ < kSlowLevel ? encodeAtOnce(raw, out) : encodeInSlices(raw, out));
        endWith(checksum, out);
    }

    void setLevel(int level) override {
        set(ZSTD_c_compressionLevel, level);
        const bool bounded = level >= kLevelOfLargeTables;
        set(ZSTD_c_hashLog, bounded ? kHashLog : 0);  // 0: as the level says
        set(ZSTD_c_chainLog, bounded ? kChainLog : 0);
        level_ = level;
    }
    void stopOn(std::stop_token stop) override { stop_ = std::move(stop); }

private:
    /// Content_Checksum as the library would write it, had it been told to make one.
    static void endWith(uint64_t checksum, Buffer& frame) {
        constexpr std::size_t kDescriptor = 4;  // behind the magic number
        constexpr std::byte kHasChecksum{0x04};
        frame.data()[kDescriptor] |= kHasChecksum;
        std::array<std::byte, 4> lowerHalf;
        for (std::byte& byte : lowerHalf) {  // in little-endian order
            byte = static_cast<std::byte>(checksum & 0xFF);
            checksum >>= 8;
        }
        frame.append(lowerHalf);
    }

    std::size_t encodeAtOnce(std::span<const std::byte> raw, Buffer& out) {
        const std::size_t size =
            ZSTD_compress2(context_.get(), out.data(), out.size(), raw.data(), raw.size());
        check(size);
        return size;
    }
    std::size_t encodeInSlices(std::span<const std::byte> raw, Buffer& out) {
        check(ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only));
        check(ZSTD_CCtx_setPledgedSrcSize(context_.get(), raw.size()));
        ZSTD_outBuffer frame{out.data(), out.size(), 0};
        ZSTD_inBuffer slice{raw.data(), 0, 0};
        std::size_t waiting = 0;
        do {
            if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
            if (slice.pos == slice.size) slice.size += std::min(kSlice, raw.size() - slice.size);
            const bool last = slice.size == raw.size();
            waiting = ZSTD_compressStream2(context_.get(), &frame, &slice,
                                           last ? ZSTD_e_end : ZSTD_e_continue);
            check(waiting);
        } while (slice.size < raw.size() || waiting != 0);
        return frame.pos;
    }

    void set(ZSTD_cParameter parameter, int value) {
        check(ZSTD_CCtx_setParameter(context_.get(), parameter, value));
    }
    static void check(std::size_t result) {
        if (ZSTD_isError(result) == 0) return;
        throw Error(ErrorKind::Internal,
                    std::string("zstd refused to compress: ") + ZSTD_getErrorName(result));
    }

    std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
    int level_ = 0;
    std::stop_token stop_;
};

class ZstdDecoder : public ByteSource {
public:
    explicit ZstdDecoder(ByteSource& source)
        : input_(source, Algorithm::Zstd), context_(ZSTD_createDCtx()) {
        if (!context_) throw std::bad_alloc();
        ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kLongWindowLog);
    }

    std::size_t read(std::span<std::byte> into) override {
        ZSTD_outBuffer out{into.data(), into.size(), 0};
        while (out.pos == 0 && out.size > 0) {
            const auto waiting = input_.fill();
            if (waiting.empty() && betweenFrames_) break;
            ZSTD_inBuffer in{waiting.data(), waiting.size(), 0};
            const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
            if (ZSTD_isError(result) != 0) input_.damaged(ZSTD_getErrorName(result));
            input_.consume(in.pos);
            betweenFrames_ = result == 0;
            if (waiting.empty() && out.pos == 0) input_.endsInsideFrame();
        }
        return out.pos;
    }

private:
    DecoderInput input_;
    std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
    bool betweenFrames_ = true;
};

}  // namespace

std::unique_ptr<FrameEncoder> makeZstdEncoder(const Compression& compression) {
    return std::make_unique<ZstdEncoder>(compression);
}

std::unique_ptr<ByteSource> makeZstdDecoder(ByteSource& source) {
    return std::make_unique<ZstdDecoder>(source);
}

}  // namespace gantry::io
