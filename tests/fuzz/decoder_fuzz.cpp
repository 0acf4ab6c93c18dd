// SPDX-License-Identifier: PostgreSQL
// Decoders: the first byte chooses the codec. What comes out does not depend on the sizes in which
// it is asked for, and ends in an error or at the source's end.
#include <algorithm>
#include <vector>

#include "core/base/buffer.h"
#include "core/io/codec.h"
#include "tests/fuzz/input_file.h"

using namespace gantry;

namespace {

// Frames may hold very much more than they are.
constexpr std::size_t kEnough = std::size_t{1} << 18;

class PortionSource final : public io::ByteSource {
public:
    PortionSource(std::string_view text, std::size_t portion) : text_(text), portion_(portion) {}
    std::size_t read(std::span<std::byte> into) override {
        const std::size_t count =
            text_.copy(reinterpret_cast<char*>(into.data()), std::min(into.size(), portion_));
        text_.remove_prefix(count);
        return count;
    }

private:
    std::string_view text_;
    std::size_t portion_;
};

struct Outcome {
    std::string text;
    bool failed = false;
};

Outcome decode(io::Algorithm algorithm, io::FrameStyle style, std::string_view bytes,
               std::size_t inPortion, std::size_t outPortion) {
    Outcome outcome;
    PortionSource source(bytes, inPortion);
    std::vector<std::byte> piece(outPortion);
    try {
        const auto decoder = io::makeDecoder(algorithm, source, style);
        while (outcome.text.size() < kEnough) {
            const std::size_t got = decoder->read(piece);
            if (got == 0) {
                fuzz::require(decoder->read(piece) == 0);
                break;
            }
            outcome.text += textOf(std::span(piece).first(got));
        }
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::Format);
        fuzz::require(error.info().byteOffset <= bytes.size());
        outcome.failed = true;
    }
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto algorithm = static_cast<io::Algorithm>(data[0] % 4);
    const auto style = (data[0] & 4) != 0 && algorithm == io::Algorithm::Gzip
                           ? io::FrameStyle::ZlibPieces
                           : io::FrameStyle::Independent;
    const std::string_view bytes = fuzz::textOfInput(data, size).substr(1);
    const Outcome whole = decode(algorithm, style, bytes, bytes.size() + 1, kEnough);
    const Outcome parts = decode(algorithm, style, bytes, 7, 1000);
    if (whole.text.size() >= kEnough || parts.text.size() >= kEnough) return 0;
    fuzz::require(whole.failed == parts.failed);
    // Before an error decoders may hand out more or less of what came before it.
    fuzz::require(whole.failed || whole.text == parts.text);
    return 0;
}
