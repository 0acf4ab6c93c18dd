// SPDX-License-Identifier: PostgreSQL
#include "core/base/buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace gantry {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

std::byte* Buffer::allocate(std::size_t size) {
    void* bytes = nullptr;
    if (size < kHugePage) {
        bytes = std::malloc(size);
    } else if (size <= SIZE_MAX - kHugePage) {
        const std::size_t whole = (size + kHugePage - 1) / kHugePage * kHugePage;
        bytes = std::aligned_alloc(kHugePage, whole);
#ifdef MADV_HUGEPAGE
        // A wish: where it cannot be met, pages are small.
        if (bytes != nullptr) (void)::madvise(bytes, whole, MADV_HUGEPAGE);
#endif
    }
    if (bytes == nullptr) throw std::bad_alloc();
    return static_cast<std::byte*>(bytes);
}

void Buffer::Free::operator()(std::byte* bytes) const { std::free(bytes); }

}  // namespace gantry
