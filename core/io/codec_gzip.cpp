// SPDX-License-Identifier: PostgreSQL
// Gzip: one gzip member a frame, by libdeflate, which wants each in one piece and makes it in half
// of zlib's time; or pieces of one zlib stream, by zlib. ISA-L reads both, whoever wrote them, in a
// third of zlib's time.
//
// A piece is raw deflate that begins without history and ends with a full flush, hence on a byte
// and with nothing that a later piece could refer to: pieces made anywhere in any order can follow
// each other in one stream.
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/io/codec_impl.h"

namespace gantry::io {
namespace {

constexpr int kRawWindow = -MAX_WBITS;
constexpr uint32_t kBitsOfByte = 8;
constexpr int kDefaultLevel = 6;
constexpr int kMemoryLevel = 8;  // 9 takes a sixth longer and saves nothing

// Both libraries count in 32 bits.
uint32_t clamp(std::size_t count) {
    constexpr std::size_t most = std::numeric_limits<uint32_t>::max();
    return static_cast<uint32_t>(count < most ? count : most);
}

uint8_t* input(const std::byte* bytes) {
    return const_cast<uint8_t*>(
        reinterpret_cast<const uint8_t*>(bytes));  // their APIs' are not const
}
uint8_t* output(std::byte* bytes) { return reinterpret_cast<uint8_t*>(bytes); }

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
            const uint32_t room = clamp(out.size() - done);
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

/// What isal_inflate says of a stream that it cannot decode.
std::string_view reason(int code) {
    switch (code) {
        case ISAL_NEED_DICT:
            return "it needs a dictionary";
        case ISAL_INVALID_BLOCK:
            return "invalid block";
        case ISAL_INVALID_SYMBOL:
            return "invalid symbol";
        case ISAL_INVALID_LOOKBACK:
            return "invalid distance too far back";
        case ISAL_INVALID_WRAPPER:
            return "incorrect header";
        case ISAL_UNSUPPORTED_METHOD:
            return "unknown compression method";
        case ISAL_INCORRECT_CHECKSUM:
            return "incorrect checksum";
        default:
            return "unknown error";
    }
}

class GzipDecoder : public ByteSource {
public:
    GzipDecoder(ByteSource& source, FrameStyle style)
        : input_(source, Algorithm::Gzip), style_(style) {
        isal_inflate_init(&state_);
    }

    std::size_t read(std::span<std::byte> into) override {
        const uint32_t room = clamp(into.size());
        state_.next_out = output(into.data());
        state_.avail_out = room;
        while (state_.avail_out == room && room > 0) {
            const auto waiting = input_.fill();
            const bool between = at_ == At::Start || at_ == At::EndOfFrame;
            if (waiting.empty() && between) break;
            if (between) beginFrame();
            if (at_ == At::Header) {
                readHeader(waiting);
            } else {
                decodeSome(waiting, room);
            }
        }
        return room - state_.avail_out;
    }

private:
    enum class At { Start, Header, InsideFrame, EndOfFrame };

    void beginFrame() {
        const bool zlib = style_ == FrameStyle::ZlibPieces;
        if (zlib && at_ == At::EndOfFrame) input_.damaged("bytes follow the end of the stream");
        isal_inflate_reset(&state_);
        header_ = {};
        isal_gzip_header_init(&header_);
        // The trailing checksum is the library's part, and of zlib's two forms the header, too.
        state_.crc_flag = zlib ? ISAL_ZLIB : ISAL_GZIP_NO_HDR_VER;
        at_ = zlib ? At::InsideFrame : At::Header;
    }

    /// It may have a name and other fields of any length, and come in parts, of which
    /// isal_inflate() would forget the first.
    void readHeader(std::span<const std::byte> waiting) {
        if (waiting.empty()) input_.endsInsideFrame();
        give(waiting);
        const int code = isal_read_gzip_header(&state_, &header_);
        input_.consume(reached(waiting));
        if (code < 0) input_.damaged(reason(code));
        if (code == ISAL_DECOMP_OK) at_ = At::InsideFrame;
    }

    // With nothing waiting it still hands out what the library holds back.
    void decodeSome(std::span<const std::byte> waiting, uint32_t room) {
        give(waiting);
        const int code = isal_inflate(&state_);
        const std::size_t taken = reached(waiting);
        if (code != ISAL_DECOMP_OK) {
            input_.consume(taken);
            input_.damaged(reason(code));
        }
        if (state_.block_state == ISAL_BLOCK_FINISH) {
            // It may have taken bytes beyond the end, which it does not give back.
            const std::size_t beyond = static_cast<uint32_t>(state_.read_in_length) / kBitsOfByte;
            input_.consume(taken - std::min(taken, beyond));
            at_ = At::EndOfFrame;
            if (beyond > taken) input_.damaged("bytes follow the end of the frame");
            return;
        }
        input_.consume(taken);
        if (taken > 0 || state_.avail_out != room) return;
        if (waiting.empty()) input_.endsInsideFrame();
        input_.damaged("no end of a block");
    }

    void give(std::span<const std::byte> waiting) {
        state_.next_in = input(waiting.data());
        state_.avail_in = clamp(waiting.size());
    }
    /// How much of it was taken; after an error avail_in means nothing.
    std::size_t reached(std::span<const std::byte> waiting) const {
        const auto taken = static_cast<std::size_t>(state_.next_in - input(waiting.data()));
        return std::min(taken, waiting.size());
    }

    DecoderInput input_;
    FrameStyle style_;
    inflate_state state_;
    isal_gzip_header header_{};
    At at_ = At::Start;
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
