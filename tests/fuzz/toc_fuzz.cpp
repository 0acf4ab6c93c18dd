// SPDX-License-Identifier: PostgreSQL
// Tables of contents: what can be read can be written, and then stays the same; and becomes a
// script. The first byte chooses the script's options.
#include "core/archive/script.h"
#include "core/archive/toc.h"
#include "core/base/buffer.h"
#include "tests/fuzz/input_file.h"

using namespace gantry;

namespace {

class TextSource final : public io::ByteSource {
public:
    explicit TextSource(std::string_view text) : text_(text) {}
    std::size_t read(std::span<std::byte> into) override {
        const std::size_t count = text_.copy(reinterpret_cast<char*>(into.data()), into.size());
        text_.remove_prefix(count);
        return count;
    }

private:
    std::string_view text_;
};

archive::Toc read(std::string_view text) {
    TextSource source(text);
    return archive::readToc(source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text = fuzz::textOfInput(data, size).substr(1);
    archive::Toc toc;
    try {
        toc = read(text);
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::Format);
        return 0;
    }
    const std::string written = archive::writeToc(toc);
    fuzz::require(archive::writeToc(read(written)) == written);

    archive::ScriptOptions options;
    options.create = (data[0] & 1) != 0;
    options.clean = (data[0] & 2) != 0;
    options.ifExists = (data[0] & 4) != 0;
    options.noOwner = (data[0] & 8) != 0;
    options.noTablespaces = (data[0] & 16) != 0;
    options.useSetSessionAuthorization = (data[0] & 32) != 0;
    options.disableTriggers = (data[0] & 64) != 0;
    if ((data[0] & 128) != 0) options.restrictKey = "key";
    try {
        std::size_t pieces = 0;
        archive::renderScript(toc, options, [&](const archive::ScriptPiece&) { ++pieces; });
        fuzz::require(pieces > 0);
    } catch (const Error&) {
    }
    return 0;
}
