// SPDX-License-Identifier: PostgreSQL
// Manifests: what can be read can be written, and then stays the same.
#include <fmt/format.h>

#include "core/archive/manifest.h"
#include "tests/fuzz/input_file.h"

using namespace gantry;

namespace {

archive::Manifest read(std::string_view text) {
    const auto file = fuzz::makeInputFile(text);
    return archive::readManifest(fmt::format("/proc/self/fd/{}", file->descriptor()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    archive::Manifest manifest;
    try {
        manifest = read(fuzz::textOfInput(data, size));
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::Format);
        return 0;
    }
    const std::string written = archive::writeManifest(manifest);
    fuzz::require(archive::writeManifest(read(written)) == written);
    return 0;
}
