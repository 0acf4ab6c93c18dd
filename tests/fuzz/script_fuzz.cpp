// SPDX-License-Identifier: PostgreSQL
// Plain dumps: recognized or not, decoded to the end or refused.
#include <vector>

#include "core/archive/script_file.h"
#include "tests/fuzz/input_file.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    const auto file = fuzz::makeInputFile(fuzz::textOfInput(data, size));
    (void)archive::isDumpScript(*file);
    try {
        const auto source = archive::openScript(file);
        std::vector<std::byte> piece(std::size_t{256} << 10);
        for (int i = 0; i < 64 && source->read(piece) > 0; ++i) {
        }
    } catch (const Error&) {
    }
    return 0;
}
