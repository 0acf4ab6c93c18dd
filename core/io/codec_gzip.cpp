// SPDX-License-Identifier: PostgreSQL
// Gzip: one gzip member a frame, by libdeflate, which wants each in one piece and makes it in half
// of zlib's time; or pieces of one zlib stream, by zlib, which reads both.
//
// A piece is raw deflate that begins without history and ends with a full flush, hence on a byte
// and with nothing that a later piece could refer to: pieces made anywhere in any order can follow
// each other in one stream.
#include <libdeflate.h>
#include <zlib.h>

#include <limits>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/io/codec_impl.h"

namespace gantry::io {
namespace {

constexpr int kGzipWindow = MAX_WBITS + 16;
constexpr int kRawWindow = -MAX_WBITS;
constexpr int kZlibWindow = MAX_WBITS;
constexpr int kDefaultLevel = 6;
constexpr int kMemoryLevel = 8;  // 9 takes a sixth longer and saves nothing

// zlib counts in 32 bits.
uInt clamp(std::size_t count) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    return static_cast<uInt>(count < most ? count : most);
}

Bytef* input(const std::byte* bytes) {
    return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes));  // zlib's API is not const
}
Bytef* output(std::byte* bytes) { return reinterpret_cast<Bytef*>(bytes); }

std::string_view reason(const z_stream& stream, int code) {
    return stream.msg != nullptr ? stream.msg : zError(code);
}

class MemberEncoder final : public FrameEncoder {
public:
    explicit MemberEncoder(int level) { setLevel(level); }

    void encode(std::span<const std::byte> raw, uint64_t, Buffer& out) override {
        out.clear();
        out.resize(libdeflate_gzip_compress_bound(compressor_.get(), raw.size()));
        const std::size_t size = libdeflate_gzip_compress(compressor_.get(), raw.data(), raw.size(),
                                                          out.data(), out.size());
        if (size == 0) throw Error(ErrorKind::Internal, "libdeflate refused to compress");
        out.resize(size);
    }

    void setLevel(int level) override {
        if (compressor_ && level == level_) return;
        compressor_.reset(libdeflate_alloc_compressor(level));
        if (!compressor_) throw std::bad_alloc();
        level_ = level;
    }

private:
    struct FreeCompressor {
        void operator()(libdeflate_compressor* compressor) const {
            libdeflate_free_compressor(compressor);
        }
    };

    std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor_;
    int level_ = 0;
};

class PieceEncoder final : public FrameEncoder {
public:
    explicit PieceEncoder(int level) {
        check(deflateInit2(&stream_, level, Z_DEFLATED, kRawWindow, kMemoryLevel,
                           Z_DEFAULT_STRATEGY));
    }
    ~PieceEncoder() override { deflateEnd(&stream_); }
    PieceEncoder(const PieceEncoder&) = delete;
    PieceEncoder& operator=(const PieceEncoder&) = delete;

    void encode(std::span<const std::byte> raw, uint64_t, Buffer& out) override {
        check(deflateReset(&stream_));
        out.clear();
        out.resize(deflateBound(&stream_, raw.size()) + kFlushRoom);
        std::size_t done = 0;
        stream_.next_in = input(raw.data());
        stream_.avail_in = 0;
        for (;;) {
            if (stream_.avail_in == 0) {
                stream_.avail_in = clamp(raw.size());
                raw = raw.subspan(stream_.avail_in);
            }
            const uInt room = clamp(out.size() - done);
            stream_.next_out = output(out.data() + done);
            stream_.avail_out = room;
            const int code = deflate(&stream_, raw.empty() ? Z_FULL_FLUSH : Z_NO_FLUSH);
            done += room - stream_.avail_out;
            check(code);
            if (raw.empty() && stream_.avail_in == 0 && stream_.avail_out > 0) break;
            if (done == out.size()) out.resize(out.size() + out.size() / 2);
        }
        out.resize(done);
    }

    void setLevel(int level) override {
        check(deflateReset(&stream_));
        stream_.avail_in = 0;
        check(deflateParams(&stream_, level, Z_DEFAULT_STRATEGY));
    }

private:
    static constexpr std::size_t kFlushRoom = 16;

    void check(int code) const {
        if (code == Z_OK) return;
        throw Error(ErrorKind::Internal,
                    "zlib refused to compress: " + std::string(reason(stream_, code)));
    }

    z_stream stream_{};
};

class GzipDecoder : public ByteSource {
public:
    GzipDecoder(ByteSource& source, FrameStyle style)
        : input_(source, Algorithm::Gzip), style_(style) {
        const int window = style == FrameStyle::ZlibPieces ? kZlibWindow : kGzipWindow;
        if (inflateInit2(&stream_, window) != Z_OK) {
            throw Error(ErrorKind::Internal, "zlib refused to start decompressing");
        }
    }
    ~GzipDecoder() override { inflateEnd(&stream_); }
    GzipDecoder(const GzipDecoder&) = delete;
    GzipDecoder& operator=(const GzipDecoder&) = delete;

    std::size_t read(std::span<std::byte> into) override {
        const uInt room = clamp(into.size());
        stream_.next_out = output(into.data());
        stream_.avail_out = room;
        while (stream_.avail_out == room && room > 0) {
            const auto waiting = input_.fill();
            if (waiting.empty() && betweenFrames_) break;
            if (ended_) {
                if (style_ == FrameStyle::ZlibPieces) {
                    input_.damaged("bytes follow the end of the stream");
                }
                inflateReset(&stream_);
                ended_ = false;
            }
            decodeSome(waiting, room);
        }
        return room - stream_.avail_out;
    }

private:
    // With nothing waiting it still hands out what zlib holds back.
    void decodeSome(std::span<const std::byte> waiting, uInt room) {
        const uInt given = clamp(waiting.size());
        stream_.next_in = input(waiting.data());
        stream_.avail_in = given;
        const int code = inflate(&stream_, Z_NO_FLUSH);
        input_.consume(given - stream_.avail_in);
        const bool stuck = waiting.empty() && stream_.avail_out == room;
        if (stuck && code != Z_STREAM_END) input_.endsInsideFrame();
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            input_.damaged(reason(stream_, code));
        }
        ended_ = betweenFrames_ = code == Z_STREAM_END;
    }

    DecoderInput input_;
    FrameStyle style_;
    z_stream stream_{};
    bool betweenFrames_ = true;
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<FrameEncoder> makeGzipEncoder(const Compression& compression, FrameStyle style) {
    const int level = compression.level.value_or(kDefaultLevel);
    if (style == FrameStyle::ZlibPieces) return std::make_unique<PieceEncoder>(level);
    return std::make_unique<MemberEncoder>(level);
}

std::unique_ptr<ByteSource> makeGzipDecoder(ByteSource& source, FrameStyle style) {
    return std::make_unique<GzipDecoder>(source, style);
}

}  // namespace gantry::io
