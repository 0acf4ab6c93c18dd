// SPDX-License-Identifier: PostgreSQL
// gantryctl: argv in, core options out; events in, text out.
#include "app/headless/commands.h"
#include "core/base/standard_streams.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

/// Otherwise the first large block that is freed makes the allocator keep all others of its size: a
/// run of many thousands of tables would hold a fifth more than it has in use.
void giveLargeBlocksBack() {
#ifdef __GLIBC__
    constexpr int kLarge = 4 << 20;  // few rows come near it
    (void)mallopt(M_MMAP_THRESHOLD, kLarge);
    (void)mallopt(M_TRIM_THRESHOLD, 2 * kLarge);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    giveLargeBlocksBack();
    gantry::keepStandardStreams();
    return gantry::headless::runGantryctl(argc, argv);
}
