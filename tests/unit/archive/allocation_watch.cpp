// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/archive/allocation_watch.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::ptrdiff_t> inUse = 0;
std::atomic<std::ptrdiff_t> most = 0;

void* tryAllocate(std::size_t size) noexcept {
    void* const memory = std::malloc(size > 0 ? size : 1);
    if (memory == nullptr) return nullptr;
    const auto got = static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
    const std::ptrdiff_t now = inUse.fetch_add(got, std::memory_order_relaxed) + got;
    std::ptrdiff_t before = most.load(std::memory_order_relaxed);
    while (now > before && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
    }
    return memory;
}

void* allocate(std::size_t size) {
    void* const memory = tryAllocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void release(void* memory) noexcept {
    if (memory == nullptr) return;
    inUse.fetch_sub(static_cast<std::ptrdiff_t>(::malloc_usable_size(memory)),
                    std::memory_order_relaxed);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return tryAllocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return tryAllocate(size); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace gantry::test {

AllocationWatch::AllocationWatch() : begin_(inUse) { most = begin_; }

std::size_t AllocationWatch::peak() const {
    const std::ptrdiff_t peak = most;
    return peak > begin_ ? static_cast<std::size_t>(peak - begin_) : 0;
}

}  // namespace gantry::test
