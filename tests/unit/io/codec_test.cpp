// SPDX-License-Identifier: PostgreSQL
// One suite for every codec and style: what goes in comes out, and damage is seen.
#include "core/io/codec.h"

#include <fmt/format.h>
#include <zstd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <set>

#include "core/base/error.h"
#include "core/io/checksum.h"
#include "tests/support/byte_sources.h"

using namespace gantry;
using namespace gantry::io;
using gantry::test::MemorySource;
using gantry::test::readAll;

namespace {

struct Codec {
    const char* spelling;
    FrameStyle style;
};

constexpr Codec kCodecs[] = {
    {"none", FrameStyle::Independent},      {"gzip:1", FrameStyle::Independent},
    {"gzip", FrameStyle::ZlibPieces},       {"lz4", FrameStyle::Independent},
    {"lz4:9", FrameStyle::Independent},     {"zstd:1", FrameStyle::Independent},
    {"zstd:long", FrameStyle::Independent}, {"zstd:13", FrameStyle::Independent},
};

std::string copyText(std::size_t size) {
    std::string text;
    text.reserve(size + 128);
    for (uint64_t row = 0; text.size() < size; ++row) {
        text += fmt::format("{}\t{:016x}\tcustomer {} of the north\t{}.{:02}\t\\N\n", row,
                            row * 0x9E3779B97F4A7C15u, row % 977, row % 4099, row % 100);
    }
    text.resize(size);
    return text;
}

// A stream of frames, and the offsets at which frames end.
struct Encoded {
    std::string bytes;
    std::set<std::size_t> frameEnds;
};

Encoded encodeAll(const Codec& codec, const std::vector<std::string>& pieces) {
    const auto encoder = makeFrameEncoder(parseCompression(codec.spelling), codec.style);
    const bool zlib = codec.style == FrameStyle::ZlibPieces;
    Encoded result;
    if (zlib) result.bytes = "\x78\x9c";
    if (!zlib) result.frameEnds.insert(0);
    Buffer frame;
    uint32_t adler = 1;
    for (const std::string& piece : pieces) {
        encoder->encode(bytesOf(piece), frame);
        result.bytes += textOf(frame.span());
        adler = adler32Combine(adler, adler32Of(bytesOf(piece)), piece.size());
        if (!zlib) result.frameEnds.insert(result.bytes.size());
    }
    if (zlib) {
        result.bytes += std::string_view("\x03\x00", 2);
        for (int shift = 24; shift >= 0; shift -= 8) {
            result.bytes += static_cast<char>((adler >> shift) & 0xFF);
        }
    }
    return result;
}

std::string decodeAll(const Codec& codec, std::string_view bytes, std::size_t portion = 65536) {
    MemorySource source(bytes, portion);
    const auto decoder =
        makeDecoder(parseCompression(codec.spelling).algorithm, source, codec.style);
    return readAll(*decoder, portion);
}

std::string join(const std::vector<std::string>& pieces) {
    std::string all;
    for (const auto& piece : pieces) all += piece;
    return all;
}

}  // namespace

TEST_CASE("frames decode to what was encoded") {
    for (const Codec& codec : kCodecs) {
        const std::vector<std::vector<std::string>> cases = {
            {},
            {""},
            {"x"},
            {copyText(8 << 20)},
            std::vector<std::string>(300, copyText(1000)),
            {"", copyText(70000), "", "y"},
        };
        for (const auto& pieces : cases) {
            CAPTURE(codec.spelling, pieces.size());
            const Encoded encoded = encodeAll(codec, pieces);
            const bool equal = decodeAll(codec, encoded.bytes) == join(pieces);
            CHECK(equal);
        }
    }
}

TEST_CASE("frames decode one byte at a time") {
    for (const Codec& codec : kCodecs) {
        CAPTURE(codec.spelling);
        const std::vector<std::string> pieces = {copyText(3000), "z", copyText(20000)};
        CHECK(decodeAll(codec, encodeAll(codec, pieces).bytes, 1) == join(pieces));
    }
}

TEST_CASE("an end inside a frame is an error at every byte") {
    for (const Codec& codec : kCodecs) {
        if (parseCompression(codec.spelling).algorithm == Algorithm::None) continue;
        const Encoded encoded = encodeAll(codec, {copyText(400), copyText(300), "short"});
        for (std::size_t length = 0; length < encoded.bytes.size(); ++length) {
            if (encoded.frameEnds.count(length) > 0) continue;
            if (length == 0) continue;  // no data at all is no frame
            CAPTURE(codec.spelling, length);
            std::string message = "(accepted)";
            try {
                decodeAll(codec, std::string_view(encoded.bytes).substr(0, length));
            } catch (const Error& error) {
                message = error.what();
                CHECK(error.kind() == ErrorKind::Format);
            }
            const auto name = toString(parseCompression(codec.spelling).algorithm);
            CHECK(message == fmt::format("the {} data ends in the middle of a frame at byte {}",
                                         name, length));
        }
    }
}

TEST_CASE("flipped bytes never give wrong rows silently") {
    for (const Codec& codec : kCodecs) {
        if (parseCompression(codec.spelling).algorithm == Algorithm::None) continue;
        const std::vector<std::string> pieces = {copyText(400), copyText(300)};
        const Encoded encoded = encodeAll(codec, pieces);
        for (std::size_t at = 0; at < encoded.bytes.size(); ++at) {
            for (const int mask : {0x01, 0x80, 0xFF}) {
                std::string damaged = encoded.bytes;
                damaged[at] = static_cast<char>(damaged[at] ^ mask);
                CAPTURE(codec.spelling, at, mask);
                try {
                    // Bytes that carry nothing, as the time in a gzip header, may well change.
                    const std::string decoded = decodeAll(codec, damaged);
                    CHECK(decoded == join(pieces));
                } catch (const Error& error) {
                    CHECK(error.kind() == ErrorKind::Format);
                    CHECK(error.info().byteOffset.has_value());
                }
            }
        }
    }
}

TEST_CASE("damage is named with the place and the codec's word for it") {
    std::string damaged = encodeAll(kCodecs[5], {copyText(400)}).bytes;
    damaged.back() = static_cast<char>(damaged.back() ^ 1);
    try {
        decodeAll(kCodecs[5], damaged);
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.info().message ==
              "the zstd data is damaged: Restored data doesn't match checksum");
    }
    const std::string trailing = encodeAll(kCodecs[2], {copyText(400)}).bytes;
    try {
        decodeAll(kCodecs[2], trailing + "x");
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.info().message ==
              "the gzip data is damaged: bytes follow the end of the stream");
        CHECK(error.info().byteOffset == trailing.size());
    }
}

TEST_CASE("gzip headers may have a name and more, wherever they are cut") {
    const auto crc16 = [](std::string_view bytes) {
        uint32_t crc = 0xFFFF'FFFF;
        for (const char c : bytes) {
            crc ^= static_cast<uint8_t>(c);
            for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB8'8320 : 0);
        }
        return static_cast<uint16_t>(~crc);
    };
    constexpr std::size_t kPlainHeader = 10;
    const Codec gzip{"gzip:1", FrameStyle::Independent};
    const std::string rows = copyText(300);
    const std::string plain = encodeAll(gzip, {rows}).bytes;
    std::string all;
    std::string expected;
    for (int flags = 0; flags < 32; ++flags) {
        std::string header = plain.substr(0, kPlainHeader);
        header[3] = static_cast<char>(flags);
        if ((flags & 4) != 0) header += std::string("\x05\0extra", 7);
        if ((flags & 8) != 0) header += std::string("name\0", 5);
        if ((flags & 16) != 0) header += std::string("a comment\0", 10);
        if ((flags & 2) != 0) {
            const uint16_t crc = crc16(header);
            header += static_cast<char>(crc & 0xFF);
            header += static_cast<char>(crc >> 8);
        }
        all += header + plain.substr(kPlainHeader);
        expected += rows;
    }
    for (const std::size_t portion : {std::size_t{1}, std::size_t{2}, std::size_t{7}, all.size()}) {
        CAPTURE(portion);
        CHECK(decodeAll(gzip, all, portion) == expected);
    }
}

TEST_CASE("zstd skips skippable frames and refuses windows beyond 128 MiB") {
    const std::string skippable(
        "\x50\x2A\x4D\x18\x03\x00\x00\x00"
        "abc",
        11);
    const std::string rows = copyText(500);
    const std::string frame = encodeAll(kCodecs[5], {rows}).bytes;
    CHECK(decodeAll(kCodecs[5], skippable + frame + skippable + frame + skippable) == rows + rows);

    // Magic, descriptor without content size, window descriptor 0xA8: 2^31 bytes.
    const std::string huge("\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00", 9);
    try {
        decodeAll(kCodecs[5], huge);
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.info().message ==
              "the zstd data is damaged: Frame requires too much memory for decoding");
    }
}

TEST_CASE("a level may change between frames") {
    for (const Codec& codec : kCodecs) {
        CAPTURE(codec.spelling);
        const auto compression = parseCompression(codec.spelling);
        const auto encoder = makeFrameEncoder(compression, codec.style);
        const std::string rows = copyText(300000);
        Buffer first;
        Buffer second;
        encoder->setLevel(1);
        encoder->encode(bytesOf(rows), first);
        encoder->setLevel(9);
        encoder->encode(bytesOf(rows), second);
        if (compression.algorithm == Algorithm::None) {
            CHECK(first.size() == second.size());
        } else {
            CHECK(second.size() != first.size());
        }
        if (codec.style == FrameStyle::Independent) {
            CHECK(decodeAll(codec, textOf(second.span())) == rows);
        }
    }
}

TEST_CASE("a frame that takes long is given up on a stop, and the next one is whole") {
    const Codec slow{"zstd:19", FrameStyle::Independent};
    const auto encoder = makeFrameEncoder(parseCompression(slow.spelling), slow.style);
    const std::string rows = copyText(300000);
    Buffer frame;
    std::stop_source stop;
    encoder->stopOn(stop.get_token());
    stop.request_stop();
    CHECK_THROWS_AS(encoder->encode(bytesOf(rows), frame), Error);
    encoder->stopOn({});
    encoder->encode(bytesOf(rows), frame);
    CHECK(decodeAll(slow, textOf(frame.span())) == rows);
    encoder->encode({}, frame);
    CHECK(decodeAll(slow, textOf(frame.span())).empty());
}

TEST_CASE("checksums have the published values") {
    CHECK(checksumOf({}) == 0xEF46DB3751D8E999u);
    CHECK(checksumOf(bytesOf("xxhash")) == 0x32DD38952C4BC720u);
    CHECK(checksumOf({}, ChecksumKind::Xxh3) == 0x2D06800538D394C2u);
    CHECK(adler32Of({}) == 1);
    CHECK(adler32Of(bytesOf("Wikipedia")) == 0x11E60398u);
    CHECK(adler32Combine(adler32Of(bytesOf("Wiki")), adler32Of(bytesOf("pedia")), 5) ==
          0x11E60398u);
}

TEST_CASE("a checksum is the same in pieces and at once, time and again") {
    const auto kind = GENERATE(ChecksumKind::Xxh3, ChecksumKind::Xxh64);
    const std::string rows = copyText(1 << 20);
    Checksum checksum(kind);
    CHECK(checksum.value() == checksumOf({}, kind));
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{65536}, rows.size()}) {
        for (std::size_t at = 0; at < rows.size(); at += piece) {
            checksum.update(bytesOf(std::string_view(rows).substr(at, piece)));
        }
        CHECK(checksum.value() == checksumOf(bytesOf(rows), kind));
        checksum.reset();
    }
}

TEST_CASE("a zstd frame is to the byte what the library makes with a checksum of its own") {
    const int level = GENERATE(1, 3);
    const std::string rows = GENERATE(std::string(), std::string("1\tx\n"), copyText(600000));
    Buffer frame;
    makeFrameEncoder({.algorithm = Algorithm::Zstd, .level = level}, FrameStyle::Independent)
        ->encode(bytesOf(rows), frame);
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> library(ZSTD_createCCtx(),
                                                                       &ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(library.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(library.get(), ZSTD_c_checksumFlag, 1);
    std::string expected(ZSTD_compressBound(rows.size()), '\0');
    expected.resize(
        ZSTD_compress2(library.get(), expected.data(), expected.size(), rows.data(), rows.size()));
    CHECK(textOf(frame.span()) == expected);
}

TEST_CASE("rows that are not those of the checksum are found when they are decoded") {
    constexpr Codec zstd{"zstd:1", FrameStyle::Independent};
    const std::string rows = copyText(100000);
    Buffer frame;
    makeFrameEncoder(parseCompression(zstd.spelling), zstd.style)
        ->encode(bytesOf(rows), checksumOf(bytesOf(rows)) ^ 1, frame);
    CHECK_THROWS_AS(decodeAll(zstd, textOf(frame.span())), Error);
}
