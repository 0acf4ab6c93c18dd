// SPDX-License-Identifier: PostgreSQL
#include "core/archive/script_file.h"

#include <array>
#include <string>

#include "core/archive/file_source.h"
#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/io/codec.h"

namespace gantry::archive {
namespace {

constexpr std::string_view kScriptStart = "--\n-- PostgreSQL database dump\n";
constexpr std::size_t kLooksLikeText = 1024;

/// A decoder together with the file that it reads from.
class DecodedFile final : public ScriptSource {
public:
    DecodedFile(std::shared_ptr<const File> file, io::Algorithm algorithm)
        : name_(file->path().string()),
          compressed_(file, 0, file->size()),
          decoder_(io::makeDecoder(algorithm, compressed_, io::FrameStyle::Independent)) {}

    std::size_t read(std::span<std::byte> into) override {
        try {
            return decoder_->read(into);
        } catch (const Error& error) {
            if (!error.info().object.empty()) throw;
            ErrorInfo info = error.info();
            info.object = name_;
            throw Error(std::move(info));
        }
    }

    uint64_t position() const override { return compressed_.position(); }

private:
    std::string name_;
    FileSource compressed_;
    std::unique_ptr<io::ByteSource> decoder_;
};

io::Algorithm algorithmOfFile(const File& file) {
    std::array<std::byte, 4> start{};
    return algorithmOfStart(textOf(std::span(start).first(file.readAt(0, start))));
}

std::string beginningOf(const File& file, std::size_t size) {
    // The file stays the caller's: a shared pointer that does not own it.
    const std::shared_ptr<const File> borrowed(std::shared_ptr<void>(), &file);
    const auto source = openScript(borrowed);
    std::string text(size, '\0');
    std::size_t filled = 0;
    while (const std::size_t count =
               source->read(std::as_writable_bytes(std::span(text)).subspan(filled))) {
        filled += count;
    }
    text.resize(filled);
    return text;
}

}  // namespace

io::Algorithm algorithmOfStart(std::string_view start) {
    if (start.starts_with("\x1F\x8B")) return io::Algorithm::Gzip;
    if (start.starts_with("\x04\x22\x4D\x18")) return io::Algorithm::Lz4;
    if (start.starts_with("\x28\xB5\x2F\xFD")) return io::Algorithm::Zstd;
    return io::Algorithm::None;
}

bool isDumpScript(const File& file) {
    try {
        return beginningOf(file, kScriptStart.size()) == kScriptStart;
    } catch (const Error&) {
        return false;
    }
}

bool isText(const File& file) {
    const std::string text = beginningOf(file, kLooksLikeText);
    return !text.empty() && !text.starts_with("PGDMP") && text.find('\0') == std::string::npos;
}

std::unique_ptr<ScriptSource> openScript(std::shared_ptr<const File> file) {
    const io::Algorithm algorithm = algorithmOfFile(*file);
    return std::make_unique<DecodedFile>(std::move(file), algorithm);
}

}  // namespace gantry::archive
