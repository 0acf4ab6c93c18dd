// SPDX-License-Identifier: PostgreSQL
// Archives of the custom format: opened, listed, verified, or refused.
#include "core/archive/custom_reader.h"
#include "tests/fuzz/input_file.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    try {
        const auto file = fuzz::makeInputFile(fuzz::textOfInput(data, size));
        fuzz::useArchive(*archive::openCustomArchive("input", file));
    } catch (const Error&) {
    }
    return 0;
}
